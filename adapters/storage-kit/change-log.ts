// Collects what a transaction changes, for its change record. Above a bound only the names of types, fields and ends are kept.

import type {
  ChangedEntry,
  ChangedLink,
  ChangedNode,
  ChangeRecord,
  CommitToken,
  EdgeLayout,
  FieldName,
  IndexName,
  Token,
  TypeName,
  Uid,
  Value,
} from "../../core/storage.ts";

/** A transaction that changes more nodes than this, or more index entries than `detailedEntries`, gets a coarse record. */
const detailedNodes = 10_000;
/** A text has an index entry for each of its tokens, often fifty. */
const detailedEntries = 50_000;

interface NodeTrace {
  readonly type: TypeName;
  what: ChangedNode["what"];
  fields: readonly FieldName[];
}

interface CoarseNames {
  readonly types: Set<TypeName>;
  readonly fields: Set<FieldName>;
}

/** All index entries of a node that came or went, listed when the record is made. */
type NewEntries = () => readonly ChangedEntry[];

/** The changes of one transaction. Opposite changes cancel each other out. */
export class ChangeLog {
  readonly #nodes = new Map<Uid, NodeTrace>();
  readonly #links: ChangedLink[] = [];
  readonly #entries: (ChangedEntry | NewEntries)[] = [];
  #entryCount = 0;
  #isEmpty = true;
  /** The edges of all links. */
  #edges: Set<EdgeLayout> | undefined;
  /** Names that only a coarse record has; undefined until the log turns coarse. */
  #coarse: CoarseNames | undefined;
  /** A node was changed more than once, so opposite entries may have to be cancelled out. */
  #needsCancelling = false;
  #count = 0;

  /** Nodes changed so far. Each counts once; after the log has turned coarse, each change counts. */
  get changedNodes(): number {
    return this.#count;
  }

  /** The size of the record: nodes, links and index entries that it names. */
  get weight(): number {
    return this.#nodes.size + this.#links.length + this.#entries.length;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Notes that a node was created, changed or removed. `fields` are those that the change wrote. */
  node(uid: Uid, change: { readonly type: TypeName; readonly what: ChangedNode["what"]; readonly fields: readonly FieldName[] }): void {
    this.#isEmpty = false;
    if (this.#coarse !== undefined) {
      addNames(this.#coarse, change);
      this.#count++;
      return;
    }
    const known = this.#nodes.get(uid);
    if (known === undefined) {
      this.#count++;
      this.#nodes.set(uid, { type: change.type, what: change.what, fields: change.fields });
      if (this.#count > detailedNodes) this.#turnCoarse();
      return;
    }
    this.#needsCancelling = true;
    known.fields = [...new Set([...known.fields, ...change.fields])];
    if (change.what !== "removed") return;
    if (known.what === "created") this.#nodes.delete(uid);
    else known.what = "removed";
  }

  /** Notes a link that was made (`on`) or removed. `from` is on the first side of the edge. */
  link(edge: EdgeLayout, { from, to, on }: { readonly from: Uid; readonly to: Uid; readonly on: boolean }): void {
    this.#isEmpty = false;
    this.#edges ??= new Set();
    this.#edges.add(edge);
    if (this.#coarse === undefined) this.#links.push({ edge: edge.name, from, to, on });
  }

  /** Notes an index entry that was added (`on`) or removed. */
  entry(index: IndexName, key: Token | Value, uid: Uid, options: { readonly on: boolean }): void {
    if (this.#coarse !== undefined) return;
    this.#entries.push({ index, key, uid, on: options.on });
    if (++this.#entryCount > detailedEntries) this.#turnCoarse();
  }

  /** Notes all index entries of a node that was made or removed. @param count the length of what `entries` returns */
  newEntries(entries: NewEntries, count: number): void {
    if (this.#coarse !== undefined || count === 0) return;
    this.#entries.push(entries);
    this.#entryCount += count;
    if (this.#entryCount > detailedEntries) this.#turnCoarse();
  }

  #turnCoarse(): void {
    this.#coarse = { types: new Set(), fields: new Set() };
    for (const trace of this.#nodes.values()) addNames(this.#coarse, trace);
    this.#nodes.clear();
    this.#links.length = 0;
    this.#entries.length = 0;
  }

  /** The change record of the commit `token`. */
  record(token: CommitToken): ChangeRecord {
    if (this.#coarse !== undefined) {
      const { types, fields } = this.#coarse;
      const ends = [...(this.#edges ?? [])].flatMap((edge) => edge.sides.flatMap((side) => side.ends.map((end) => end.name)));
      return { kind: "coarse", token, types: [...types], fields: [...fields], ends };
    }
    const entries = this.#entries.flatMap((each) => (typeof each === "function" ? each() : [each]));
    return {
      kind: "detailed",
      token,
      nodes: [...this.#nodes].map(([uid, trace]) => ({ uid, type: trace.type, what: trace.what, fields: trace.fields })),
      edges: netOf(this.#links, (link) => `${link.edge} ${link.from} ${link.to}`),
      entries: this.#needsCancelling ? netOf(entries, (entry) => `${entry.index} ${entry.uid} ${typeof entry.key} ${keyText(entry.key)}`) : entries,
    };
  }
}

function addNames({ types, fields }: CoarseNames, change: { readonly type: TypeName; readonly fields: readonly FieldName[] }): void {
  types.add(change.type);
  for (const field of change.fields) fields.add(field);
}

function keyText(key: Token | Value): string {
  return typeof key === "object" ? JSON.stringify(key) : String(key);
}

/** The events that remain when additions and removals of the same thing cancel each other out. */
function netOf<T extends { readonly on: boolean }>(events: readonly T[], nameOf: (event: T) => string): readonly T[] {
  if (events.length < 2) return events;
  const net = new Map<string, T>();
  for (const event of events) {
    const name = nameOf(event);
    const before = net.get(name);
    if (before !== undefined && before.on !== event.on) net.delete(name);
    else net.set(name, event);
  }
  return net.size === events.length ? events : [...net.values()];
}
