// Verifies an import: asks two servers the same, and reports where the answers differ. Counts for every type, and all fields of random nodes.

import {
  addToGroup,
  type Field,
  formatUid,
  type LinkField,
  type Model,
  type NodeType,
  type Snapshot,
  type Uid,
  writeJson,
} from "../../../core/plugin.ts";

/** Sends a GraphQL query and returns its data. Integers beyond 2^53 are bigints. */
export type AskGraph = (query: string, variables: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

export interface ComparisonRequest {
  readonly model: Model;
  /** The store of the import, for the choice of nodes. */
  readonly snapshot: Snapshot;
  readonly here: AskGraph;
  readonly there: AskGraph;
  /** The number of nodes to compare. */
  readonly nodes: number;
  /** The highest uid. */
  readonly highestUid: Uid;
  readonly progress: (done: number, total: number) => void;
}

/** What was compared, and what differs. */
export interface GraphComparison {
  readonly types: number;
  readonly nodes: number;
  /** Those of the nodes that neither server shows: access rules hide them, or they lack a required value. */
  readonly hidden: number;
  /** Names of types whose nodes no query finds: they have neither an ID nor a key, or no queries. Only their counts are compared. */
  readonly countedOnly: readonly string[];
  readonly differences: readonly FieldDifferences[];
}

/** The differences in one field of one type. */
export interface FieldDifferences {
  readonly type: string;
  /** Also `count`, and `(the node)` where one server has no such node. */
  readonly field: string;
  /** Nodes that differ. */
  readonly count: number;
  /** Some of them. */
  readonly samples: readonly GraphDifference[];
}

export interface GraphDifference {
  /** A type, or a node: `Person 0x5`. */
  readonly place: string;
  readonly field: string;
  readonly here: unknown;
  readonly there: unknown;
}

const nodesAtOnce = 50;
const linksAtMost = 1_000;
const samplesAtMost = 5;
const triesPerNode = 10;

/** Gathers differences by field. */
class Differences {
  readonly #fields = new Map<string, { type: string; field: string; count: number; samples: GraphDifference[] }>();

  add(type: string, found: readonly GraphDifference[]): void {
    for (const each of found) {
      const key = `${type}.${each.field}`;
      const known = this.#fields.get(key) ?? { type, field: each.field, count: 0, samples: [] };
      this.#fields.set(key, known);
      known.count += 1;
      if (known.samples.length < samplesAtMost) known.samples.push(each);
    }
  }

  list(): readonly FieldDifferences[] {
    return [...this.#fields.values()];
  }
}

/** Compares what two servers answer: the counts of every type, and all fields of random nodes. */
export async function compareGraphs(request: ComparisonRequest): Promise<GraphComparison> {
  const types = [...request.model.nodeTypes.values()].filter((type) => type.kind === "object");
  const differences = new Differences();
  const counted = types.filter((type) => type.allows("aggregate"));
  for (const type of counted) differences.add(type.name, await compareCounts(request, type));
  const found = types.filter((type) => type.allows("query") && (type.idField !== undefined || keyOf(type) !== undefined));
  const chosen = await chooseNodes(request, found);
  const total = [...chosen.values()].reduce((sum, uids) => sum + uids.length, 0);
  let [nodes, hidden] = [0, 0];
  for (const type of found) {
    const uids = chosen.get(type.stored) ?? [];
    for (let from = 0; from < uids.length; from += nodesAtOnce) {
      const some = uids.slice(from, from + nodesAtOnce);
      const compared = await compareNodes(request, type, some);
      differences.add(type.name, compared.differences);
      nodes += some.length;
      hidden += some.length - compared.shown;
      request.progress(nodes, total);
    }
  }
  const countedOnly = types.filter((type) => !found.includes(type)).map(({ name }) => name);
  return { types: counted.length, nodes, hidden, countedOnly, differences: differences.list() };
}

async function compareCounts({ here, there }: ComparisonRequest, { name }: NodeType): Promise<readonly GraphDifference[]> {
  const query = `{ found: aggregate${name} { count } }`;
  const [own, other] = await Promise.all([here(query, {}), there(query, {})]);
  const [ours, theirs] = [countIn(own), countIn(other)];
  return ours === theirs ? [] : [{ place: name, field: "count", here: ours, there: theirs }];
}

/** A type without nodes has no aggregate, or a count of 0. */
function countIn({ found }: Readonly<Record<string, unknown>>): number {
  return typeof found === "object" && found !== null && "count" in found ? Number(found.count ?? 0) : 0;
}

/** Uids by type, all different. The node after a random uid is as good as a random node. A store with fewer nodes gives all of them. */
async function chooseNodes(
  { snapshot, nodes, highestUid }: ComparisonRequest,
  types: readonly NodeType[],
): Promise<ReadonlyMap<string, readonly Uid[]>> {
  const names = types.map(({ stored }) => stored);
  const [row] = await snapshot.aggregate({ over: { types: names }, measures: [{ kind: "count" }] });
  const isWhole = Number(row?.[0] ?? 0) <= nodes;
  const chosen = new Map<Uid, string>();
  // Where gaps make some nodes unlikely, fewer do.
  for (let [tries, after] = [0, 0]; chosen.size < nodes && tries < triesPerNode * nodes; tries++) {
    if (!isWhole) after = Math.floor(Math.random() * highestUid);
    const page = await snapshot.find({ types: names, where: { kind: "after", uid: after }, page: { first: 1 }, fields: [] });
    const [uid, type] = [page.uids[0], page.types[0]];
    if (uid !== undefined && type !== undefined) chosen.set(uid, type);
    if (isWhole) {
      if (uid === undefined) break;
      after = uid;
    }
  }
  const byType = new Map<string, Uid[]>();
  for (const [uid, type] of [...chosen].sort(([a], [b]) => a - b)) addToGroup(byType, type, uid);
  return byType;
}

interface ComparedNodes {
  /** Nodes that one of the servers shows. */
  readonly shown: number;
  readonly differences: readonly GraphDifference[];
}

async function compareNodes(request: ComparisonRequest, type: NodeType, uids: readonly Uid[]): Promise<ComparedNodes> {
  const asked = await questionOf(request, type, uids);
  if (asked === undefined) return { shown: 0, differences: [] };
  const [here, there] = await Promise.all([request.here(asked.query, asked.variables), request.there(asked.query, asked.variables)]);
  const [ours, theirs] = [byKey(here.found, asked.key), byKey(there.found, asked.key)];
  const ordered = new Set([...type.fields.values()].filter(isOrdered).map(({ name }) => name));
  const shown = [...new Set([...ours.keys(), ...theirs.keys()])];
  const differences = shown.flatMap((key) => differencesOf(`${type.name} ${key}`, { here: ours.get(key), there: theirs.get(key), ordered }));
  return { shown: shown.length, differences };
}

/** The order of numbers in a vector, and of points in a geometry, is part of the value. */
function isOrdered(field: Field): boolean {
  return field.role === "value" && (field.kind === "vector" || field.kind === "geo");
}

interface Question {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The field that identifies the nodes. */
  readonly key: string;
}

/** By ID; a type without one by its key. */
async function questionOf({ snapshot }: ComparisonRequest, type: NodeType, uids: readonly Uid[]): Promise<Question | undefined> {
  const fields = [...type.fields.values()].flatMap((field) => selectionOf(field) ?? []).join(" ");
  if (type.idField !== undefined) {
    const key = type.idField.name;
    return {
      key,
      variables: { keys: uids.map(formatUid) },
      query: `query ($keys: [ID!]) { found: query${type.name}(filter: { ${key}: $keys }) { ${fields} } }`,
    };
  }
  const key = keyOf(type);
  if (key === undefined) return undefined;
  const { columns } = await snapshot.load({ uids, types: [type.stored], fields: [key.stored] });
  const values = (columns[0] ?? []).filter((value) => value !== undefined);
  return {
    key: key.name,
    variables: { keys: values },
    query: `query ($keys: [${key.type.name}]) { found: query${type.name}(filter: { ${key.name}: { in: $keys } }) { ${fields} } }`,
  };
}

function keyOf({ keys }: NodeType): NodeType["keys"][number]["field"] | undefined {
  return keys.find(({ field }) => field.exposure.output)?.field;
}

const points = "{ longitude latitude }";
const geometries: ReadonlyMap<string, string> = new Map([
  ["Point", points],
  ["Polygon", `{ coordinates { points ${points} } }`],
  ["MultiPolygon", `{ polygons { coordinates { points ${points} } } }`],
]);

/** How a field is asked for; undefined: it is not shown, or computed. */
function selectionOf(field: Field): string | undefined {
  if (!field.exposure.output || field.role === "computed") return undefined;
  if (field.role === "link") return linkSelection(field);
  return `${field.name}${geometries.has(field.type.name) ? ` ${geometries.get(field.type.name)}` : ""}`;
}

function linkSelection({ name, type, target, exposure }: LinkField): string | undefined {
  const page = type.list && exposure.arguments ? `(first: ${linksAtMost})` : "";
  if (target.kind === "union")
    return `${name}${page} { __typename ${target.members.map((member) => `... on ${member.name} { ${keyFieldOf(member) ?? "__typename"} }`).join(" ")} }`;
  return `${name}${page} { ${keyFieldOf(target) ?? "__typename"} }`;
}

function keyFieldOf({ idField, keys }: NodeType): string | undefined {
  return idField?.name ?? keys[0]?.field.name;
}

type Row = Readonly<Record<string, unknown>>;

function byKey(rows: unknown, key: string): ReadonlyMap<string, Row> {
  return new Map(
    (Array.isArray(rows) ? rows : []).filter((row) => typeof row === "object" && row !== null).map((row: Row) => [String(row[key]), row]),
  );
}

interface Rows {
  readonly here: Row | undefined;
  readonly there: Row | undefined;
  /** Fields whose lists have an order. */
  readonly ordered: ReadonlySet<string>;
}

function differencesOf(place: string, { here, there, ordered }: Rows): readonly GraphDifference[] {
  if (here === undefined || there === undefined) return [{ place, field: "(the node)", here: here !== undefined, there: there !== undefined }];
  const isSame = (field: string) => {
    const lists = ordered.has(field) ? "ordered" : "unordered";
    return canonical(here[field], lists) === canonical(there[field], lists);
  };
  return Object.keys(there)
    .filter((field) => !isSame(field))
    .map((field) => ({ place, field, here: here[field], there: there[field] }));
}

/** Lists of values and of nodes have no order, and an empty list is as good as none. */
function canonical(value: unknown, lists: "ordered" | "unordered"): string {
  if (Array.isArray(value)) {
    const elements = value.map((each) => canonical(each, lists));
    return value.length === 0 ? "null" : `[${(lists === "ordered" ? elements : elements.sort()).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return writeJson(value ?? null);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}:${canonical(member, lists)}`).join(",")}}`;
}
