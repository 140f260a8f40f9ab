// A snapshot with an overlay: nodes of the overlay are looked at one by one, all others by the store. For few nodes: those that the store cannot hold as they
// are, and those of an open transaction.

import {
  type AggregateRequest,
  all,
  and,
  type Batch,
  type EndName,
  type FieldName,
  type FindRequest,
  type FollowRequest,
  type LayoutIndex,
  type Linked,
  type Links,
  type LoadRequest,
  type MeasureRow,
  matcher,
  not,
  type OrderKey,
  type Predicate,
  rowComparator,
  type Snapshot,
  type Stored,
  type TypeName,
  type Uid,
} from "../../../core/plugin.ts";
import { namesOfUntyped, untypedName } from "../schema/catalog.ts";
import { exists, type Overlay, type OverlayNode, shownType } from "./overlay.ts";
import { fieldsIn, linkedIn, withLinked } from "./predicates.ts";

/** One node with the values that were asked for. */
interface Row {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly values: ReadonlyMap<string, Stored | undefined>;
}

export interface OverlaySource {
  readonly overlay: Overlay;
  readonly index: LayoutIndex;
  /** The concrete types of the schema. */
  readonly types: readonly TypeName[];
  /** Nodes of the overlay that rules keep from whoever reads. */
  readonly hidden?: ReadonlySet<Uid>;
}

/** The nodes of an overlay that a view under rules does not show. Those without a type have no rules, so nobody sees them. */
export async function hiddenUnderRules(view: Snapshot, { overlay, types }: OverlaySource): Promise<ReadonlySet<Uid>> {
  const nodes = [...overlay.nodes.values()];
  const uids = nodes.flatMap(({ uid, native }) => (native === undefined ? [] : [uid])).sort(ascending);
  const seen = new Set(uids.length === 0 ? [] : (await view.load({ uids, types, fields: [] })).uids);
  return new Set(nodes.flatMap(({ uid, native, type }) => ((native === undefined ? type !== undefined : seen.has(uid)) ? [] : [uid])));
}

/** `base` with what differs from it. Closing it closes `base`. */
export function overlaySnapshot(base: Snapshot, source: OverlaySource): Snapshot {
  return source.overlay.nodes.size === 0 ? base : new OverlaySnapshot(base, source);
}

class OverlaySnapshot implements Snapshot {
  readonly #base: Snapshot;
  readonly #overlay: Overlay;
  readonly #index: LayoutIndex;
  readonly #types: readonly TypeName[];
  readonly #hidden: ReadonlySet<Uid> | undefined;

  constructor(base: Snapshot, { overlay, index, types, hidden }: OverlaySource) {
    this.#hidden = hidden;
    this.#base = base;
    this.#types = types;
    this.#overlay = overlay;
    this.#index = index;
  }

  get at(): Snapshot["at"] {
    return this.#base.at;
  }

  meta(name: string): ReturnType<Snapshot["meta"]> {
    return this.#base.meta(name);
  }

  close(): void {
    this.#base.close();
  }

  async find(request: FindRequest): Promise<Batch> {
    // The nearest nodes are those of the store.
    if (request.nearest) return this.#base.find({ ...request, types: storedTypes(request.types) });
    const { where = all, order = [], page, fields } = request;
    const joins = await this.#joins(where);
    const columns = [...new Set([...fields, ...order.map(({ field }) => field)])];
    const stored = await this.#findStored(request, columns, joins);
    const own = await this.#findOwn(request, columns, joins);
    const compare = rowComparator(order, ({ field }: OrderKey) => this.#index.kindOf(field));
    const keyed = [...stored, ...own].map((row) => ({ row, uid: row.uid, keys: order.map(({ field }) => row.values.get(field)) }));
    const behind = request.after;
    const sorted = keyed.filter((each) => behind === undefined || compare(each, behind) > 0).sort(compare);
    return batchOf(
      cutPage(sorted, page).map(({ row }) => row),
      fields,
    );
  }

  async follow(request: FollowRequest): Promise<Links> {
    const { from, end, types, where = all, order, page, fields } = request;
    const partners = await this.#partners(end, from);
    const uids = [...new Set([...partners.values()].flat())].sort(ascending);
    const found = await this.find({
      types: types ?? [...this.#types, untypedName()],
      where: and({ kind: "uids", uids }, where),
      ...(order && { order }),
      fields,
    });
    const rank = new Map(found.uids.map((uid, row) => [uid, row]));
    const starts = [0];
    const rows: number[] = [];
    for (const source of from) {
      const own = (partners.get(source) ?? []).flatMap((uid) => rank.get(uid) ?? []).sort(ascending);
      const behind = request.after === undefined ? own : own.filter((row) => this.#isBehind(found, row, request));
      rows.push(...cutPage(behind, page));
      starts.push(rows.length);
    }
    return withoutUnused({ starts, rows, nodes: found });
  }

  async load({ uids, types, fields }: LoadRequest): Promise<Batch> {
    const stored = await this.#base.load({ uids: uids.filter((uid) => !this.#overlay.nodes.has(uid)), types: storedTypes(types), fields });
    const known = new Map(rowsOf(stored, fields).map((row) => [row.uid, row]));
    const own = uids.flatMap((uid) => this.#overlay.nodes.get(uid) ?? []).filter((node) => isOneOf(node, types));
    for (const row of await this.#rows(this.#existing(own), fields)) known.set(row.uid, row);
    return batchOf(
      uids.flatMap((uid) => known.get(uid) ?? []),
      fields,
    );
  }

  /** DQL only counts. */
  async aggregate({ over, measures }: AggregateRequest): Promise<readonly MeasureRow[]> {
    if (measures.some(({ kind }) => kind !== "count")) throw new TypeError("An overlay only counts.");
    if (!("end" in over)) {
      const { uids } = await this.find({ ...over, fields: [] });
      return [measures.map(() => uids.length)];
    }
    const { starts } = await this.follow({ ...over, fields: [] });
    return over.from.map((_, i) => measures.map(() => (starts[i + 1] ?? 0) - (starts[i] ?? 0)));
  }

  // ---- nodes of the store ---------------------------------------------------------------------------------------------------

  async #findStored({ types, where = all, order, page, after }: FindRequest, columns: readonly string[], joins: Joins): Promise<readonly Row[]> {
    const kept = storedTypes(types);
    if (kept.length === 0) return [];
    const uids = [...this.#overlay.nodes.keys()].sort(ascending);
    const batch = await this.#base.find({
      types: kept,
      where: and(
        not({ kind: "uids", uids }),
        withLinked(where, (linked) => joins.get(linked)?.inStore ?? linked),
      ),
      ...(order && { order }),
      ...(after && { after }),
      ...wider(page),
      fields: columns,
    });
    return rowsOf(batch, columns);
  }

  // ---- nodes of the overlay -------------------------------------------------------------------------------------------------

  async #findOwn({ types, where = all }: FindRequest, columns: readonly string[], joins: Joins): Promise<readonly Row[]> {
    const nodes = this.#existing([...this.#overlay.nodes.values()].filter((node) => isOneOf(node, types)));
    const read = [...new Set([...columns, ...fieldsIn(where, this.#index)])];
    const rows = await this.#rows(nodes, read);
    const holds = matcher(where, {
      kindOf: (field) => this.#index.kindOf(field),
      index: (name) => this.#index.index(name),
      linked: ({ uid }, linked) => joins.get(linked)?.holds(uid) ?? false,
    });
    return rows.filter(({ uid, type, values }) => holds({ uid, type, value: (field) => values.get(field) }));
  }

  /** A node is there when it has a type, a value or a link. */
  #existing(nodes: readonly OverlayNode[]): readonly OverlayNode[] {
    return nodes.filter((node) => this.#hidden?.has(node.uid) !== true && exists(node, this.#overlay));
  }

  async #rows(nodes: readonly OverlayNode[], fields: readonly string[]): Promise<readonly Row[]> {
    if (nodes.length === 0) return [];
    const native = nodes.flatMap(({ uid, native: type }) => (type === undefined ? [] : [uid])).sort(ascending);
    const values = fields.filter((field) => this.#index.edges.end(field) === undefined);
    const stored = native.length > 0 && values.length > 0 ? await this.#base.load({ uids: native, types: this.#types, fields: values }) : emptyBatch;
    const known = new Map(rowsOf(stored, values).map((row) => [row.uid, row.values]));
    const ends = await this.#singles(nodes, fields);
    return nodes.map((node) => ({
      uid: node.uid,
      type: shownType(node),
      values: new Map(fields.map((field) => [field, ends.get(field)?.get(node.uid) ?? valueIn(node, field, known.get(node.uid))])),
    }));
  }

  async #singles(nodes: readonly OverlayNode[], fields: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<Uid, Uid>>> {
    const found = new Map<string, ReadonlyMap<Uid, Uid>>();
    for (const end of fields) {
      if (this.#index.edges.end(end) === undefined) continue;
      const partners = await this.#partners(
        end,
        nodes.map(({ uid }) => uid),
      );
      found.set(end, new Map([...partners].flatMap(([uid, [first]]): [Uid, Uid][] => (first === undefined ? [] : [[uid, first]]))));
    }
    return found;
  }

  // ---- links ----------------------------------------------------------------------------------------------------------------

  /** By source: the partners at the other side of `end`, ascending. */
  async #partners(end: EndName, sources: readonly Uid[]): Promise<ReadonlyMap<Uid, readonly Uid[]>> {
    const distinct = [...new Set(sources)];
    const native = distinct.filter((uid) => {
      const node = this.#overlay.nodes.get(uid);
      return node === undefined || node.native !== undefined;
    });
    const links = native.length === 0 ? emptyLinks : await this.#base.follow({ from: native, end, fields: [] });
    const partners = new Map<Uid, readonly Uid[]>();
    for (const [i, uid] of native.entries()) {
      partners.set(
        uid,
        links.rows.slice(links.starts[i] ?? 0, links.starts[i + 1] ?? 0).map((row) => links.nodes.uids[row] ?? 0),
      );
    }
    for (const uid of distinct) {
      const overrides = this.#overlay.links.at(end, uid);
      if (overrides) partners.set(uid, overridden(partners.get(uid) ?? [], overrides));
    }
    return partners;
  }

  /** What each semi-join of a condition means for nodes of the store, and for those of the overlay. */
  async #joins(where: Predicate): Promise<Joins> {
    const joins = new Map<Linked, Join>();
    for (const linked of linkedIn(where)) joins.set(linked, await this.#join(linked));
    return joins;
  }

  async #join(linked: Linked): Promise<Join> {
    const { end, where, atLeast } = linked;
    const isPlain = where.kind === "all" || where.kind === "uids" || where.kind === "none";
    const passing = where.kind === "all" ? undefined : await this.#passing(where);
    const partners = await this.#partners(end, [...this.#overlay.nodes.keys()]);
    return {
      inStore: isPlain ? linked : { ...linked, where: { kind: "uids", uids: [...(passing ?? [])].sort(ascending) } },
      holds: (uid) => (partners.get(uid) ?? []).filter((partner) => passing === undefined || passing.has(partner)).length >= atLeast,
    };
  }

  async #passing(where: Predicate): Promise<ReadonlySet<Uid>> {
    if (where.kind === "uids") return new Set(where.uids);
    const { uids } = await this.find({ types: [...this.#types, untypedName()], where, fields: [] });
    return new Set(uids);
  }

  #isBehind(found: Batch, row: number, { order = [], after }: FollowRequest): boolean {
    const uid = found.uids[row] ?? 0;
    // Only the order by uid has places in DQL.
    return order.length > 0 || after === undefined || uid > after.uid;
  }
}

type Joins = ReadonlyMap<Linked, Join>;

interface Join {
  readonly inStore: Predicate;
  holds(uid: Uid): boolean;
}

const emptyBatch: Batch = { uids: [], types: [], columns: [] };
const emptyLinks: Links = { starts: [0], rows: [], nodes: emptyBatch };

function ascending(a: number, b: number): number {
  return a - b;
}

function storedTypes(types: readonly TypeName[]): readonly TypeName[] {
  return types.filter((type) => namesOfUntyped(type) === undefined);
}

/** A question about nodes of all types finds those without one too, and what nodes have beside their types. */
function isOneOf(node: OverlayNode, types: readonly TypeName[]): boolean {
  return types.includes(untypedName()) || (node.type !== undefined && types.includes(node.type));
}

function valueIn({ fields }: OverlayNode, field: FieldName, stored: Row["values"] | undefined): Stored | undefined {
  const own = fields.get(field);
  return own === undefined ? stored?.get(field) : (own ?? undefined);
}

function overridden(stored: readonly Uid[], overrides: ReadonlyMap<Uid, boolean>): readonly Uid[] {
  const partners = new Set(stored);
  for (const [uid, on] of overrides) {
    if (on) partners.add(uid);
    else partners.delete(uid);
  }
  return [...partners].sort(ascending);
}

function rowsOf(batch: Batch, fields: readonly string[]): readonly Row[] {
  return batch.uids.map((uid, row) => ({
    uid,
    type: batch.types[row] ?? "",
    values: new Map(fields.map((field, column) => [field, batch.columns[column]?.[row]])),
  }));
}

function batchOf(rows: readonly Row[], fields: readonly string[]): Batch {
  return {
    uids: rows.map(({ uid }) => uid),
    types: rows.map(({ type }) => type),
    columns: fields.map((field) => rows.map(({ values }) => values.get(field))),
  };
}

type Page = FindRequest["page"];

/** The first rows of the page, with those that its offset skips: rows of the overlay may come between. */
function wider(page: Page): Pick<FindRequest, "page"> {
  if (page === undefined) return {};
  if ("last" in page) return { page };
  return page.first === undefined ? {} : { page: { first: page.first + (page.offset ?? 0) } };
}

function cutPage<T>(rows: readonly T[], page: Page): readonly T[] {
  if (page === undefined) return rows;
  if ("last" in page) return rows.slice(Math.max(0, rows.length - page.last));
  const offset = page.offset ?? 0;
  return rows.slice(offset, page.first === undefined ? undefined : offset + page.first);
}

/** Only nodes that some source leads to. */
function withoutUnused({ starts, rows, nodes }: Links): Links {
  const used = [...new Set(rows)].sort(ascending);
  if (used.length === nodes.uids.length) return { starts, rows, nodes };
  const place = new Map(used.map((row, i) => [row, i]));
  const pick = <T>(list: readonly T[]): T[] => used.flatMap((row) => list.slice(row, row + 1));
  return {
    starts,
    rows: rows.map((row) => place.get(row) ?? 0),
    nodes: { uids: pick(nodes.uids), types: pick(nodes.types), columns: nodes.columns.map(pick) },
  };
}
