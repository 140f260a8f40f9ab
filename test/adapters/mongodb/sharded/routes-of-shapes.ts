// Requests that name the nodes that they read or write, with how many these are and how many keys name or belong to them.

export interface NamedShape {
  /** Of `growth-shapes.ts`, or with a query of its own. */
  readonly what: string;
  readonly query?: string;
  readonly nodes: number;
  readonly keys: number;
  /** A mutation that changes nothing notes so in `quern.meta`, which one shard has. */
  readonly unchanged?: 1;
}

export const named: readonly NamedShape[] = [
  { what: "add with a key", query: `mutation { addHome(input: [{ name: "h9" }]) { numUids } }`, nodes: 1, keys: 1 },
  { what: "get by a key", nodes: 1, keys: 1 },
  { what: "get by another key", nodes: 1, keys: 1 },
  { what: "a key in", nodes: 2, keys: 3 },
  { what: "get of an interface by its key", nodes: 1, keys: 1 },
  { what: "get of a type by the key of its interface", nodes: 1, keys: 1 },
  { what: "an interface's key in", nodes: 2, keys: 3 },
  { what: "an interface's key or something else", nodes: 2, keys: 2 },
  { what: "count by an interface's key", nodes: 1, keys: 1 },
  { what: "get of a key within another field", nodes: 1, keys: 1 },
  { what: "get of an interface's key within another field", nodes: 1, keys: 1 },
  { what: "get of a key within a link", nodes: 2, keys: 2 },
  { what: "one that has a list of many to many", nodes: 1, keys: 1 },
  { what: "get under a rule about links", nodes: 2, keys: 1 },
  { what: "update by a key", nodes: 1, keys: 1 },
  { what: "update by an interface's key", nodes: 1, keys: 1, unchanged: 1 },
  { what: "upsert by an interface's key", nodes: 1, keys: 1, unchanged: 1 },
  { what: "a reference by an interface's key", nodes: 2, keys: 2 },
  { what: "a key that is taken", nodes: 1, keys: 1 },
  { what: "upsert by a key within a link", nodes: 2, keys: 2, unchanged: 1 },
  { what: "upsert by an interface's key within a field", nodes: 1, keys: 1 },
  { what: "update under a rule about links", nodes: 3, keys: 2 },
  { what: "add with links of many to many", nodes: 3, keys: 4 },
  { what: "move a to-one link", nodes: 2, keys: 2 },
];
