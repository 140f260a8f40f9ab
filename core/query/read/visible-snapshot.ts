// A snapshot that shows what a caller may see: hidden nodes do not exist in it, and hidden fields have no values.

import type { Layout } from "../../contracts/layout.ts";
import type { Model, NodeType } from "../../contracts/model.ts";
import { and, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, FollowRequest, LoadRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, FieldName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { Turns } from "../../ground/work.ts";
import { type LayoutIndex, layoutIndexOf } from "../layout-index/layout-index.ts";
import { concurrently } from "../level/concurrently.ts";
import type { Masks } from "../level/masks.ts";
import type { AccessContext } from "../operation-context.ts";
import { maskRows, masksOf } from "./mask.ts";
import { measure } from "./masked-measures.ts";
import { findOrdered, followOrdered } from "./masked-order.ts";
import { narrowTypes } from "./narrow.ts";

type Access = AccessContext & { readonly deployment: { readonly model: Model; readonly layout: Layout } };

/** `snapshot` itself when nothing is hidden. The caller of `snapshot` closes it. Rows are sorted in turns of `budget`. */
export function visibleSnapshot(snapshot: Snapshot, context: Access, budget: Turns): MaybePromise<Snapshot> {
  const { model, layout } = context.deployment;
  const types = [...model.nodeTypes.values()].filter((type) => type.kind === "object");
  return andThen(masksOf(types, "query", context), (masks) =>
    andThen(conditionsOf(types, context), (conditions) =>
      masks === undefined && [...conditions.values()].every((each) => each.kind === "all")
        ? snapshot
        : new VisibleSnapshot({ snapshot, conditions, masks, index: layoutIndexOf(layout), budget }),
    ),
  );
}

type Conditions = ReadonlyMap<TypeName, Predicate>;

function conditionsOf(types: readonly NodeType[], context: Access): MaybePromise<Conditions> {
  const asked = types.map((type) => () => narrowTypes([type], "query", context));
  return andThen(concurrently(asked), (answers) => {
    const entries = types.map((type, i): [TypeName, Predicate] => [type.stored, answers[i]?.where ?? { kind: "none" }]);
    return new Map(entries);
  });
}

interface Sight {
  readonly snapshot: Snapshot;
  /** What nodes of each concrete type must satisfy. */
  readonly conditions: Conditions;
  readonly masks: Masks | undefined;
  readonly index: LayoutIndex;
  readonly budget: Turns;
}

class VisibleSnapshot implements Snapshot {
  readonly at: Snapshot["at"];
  readonly #sight: Sight;

  constructor(sight: Sight) {
    this.at = sight.snapshot.at;
    this.#sight = sight;
  }

  find(request: FindRequest): MaybePromise<Batch> {
    const { snapshot } = this.#sight;
    const narrowed = this.#narrowed(request, request.types);
    const { nearest } = request;
    const mask = nearest && this.#sight.masks?.get(nearest.field);
    const where = mask ? and(narrowed.where, mask.visible) : narrowed.where;
    const found = findOrdered({ ...request, ...narrowed, where }, this.#ordering(snapshot));
    return andThen(found, (batch) => this.#shown(batch, request.fields));
  }

  follow(request: FollowRequest): MaybePromise<Links> {
    const { snapshot, masks } = this.#sight;
    const types = request.types ?? this.#partnersOf(request.end);
    const narrowed = { ...request, ...this.#narrowed(request, types) };
    return andThen(this.#sourcesThatShow(request), (from) => {
      const isWhole = from === request.from;
      const followed = from.length === 0 ? noLinks(request) : followOrdered({ ...narrowed, from }, { ...this.#ordering(snapshot), masks });
      return andThen(followed, (links) => {
        const aligned = isWhole ? links : { ...links, starts: spread(links.starts, from, request.from) };
        return andThen(this.#shown(links.nodes, request.fields), (nodes) => ({ ...aligned, nodes }));
      });
    });
  }

  load(request: LoadRequest): MaybePromise<Batch> {
    const { snapshot } = this.#sight;
    const { types, where } = this.#narrowed({}, request.types);
    const loaded = (uids: readonly Uid[]) => andThen(snapshot.load({ ...request, types, uids }), (batch) => this.#shown(batch, request.fields));
    if (where.kind === "all" || request.uids.length === 0) return loaded(request.uids);
    return andThen(this.#passing(request.uids, types, where), (seen) => loaded(request.uids.filter((uid) => seen.has(uid))));
  }

  aggregate({ over, measures }: AggregateRequest): MaybePromise<readonly MeasureRow[]> {
    const { snapshot, masks } = this.#sight;
    if (!("end" in over)) return measure({ over: { ...over, ...this.#narrowed(over, over.types) }, measures }, masks, snapshot);
    const narrowed = { ...over, ...this.#narrowed(over, over.types ?? this.#partnersOf(over.end)) };
    return andThen(this.#sourcesThatShow(over), (from) => {
      if (from === over.from) return measure({ over: narrowed, measures }, masks, snapshot);
      const rows = from.length === 0 ? [] : measure({ over: { ...narrowed, from }, measures }, masks, snapshot);
      return andThen(rows, (counted) => spreadRows(counted, { from, asked: over.from, measures }));
    });
  }

  meta(name: string) {
    return this.#sight.snapshot.meta(name);
  }

  /** The snapshot below belongs to another. */
  close(): void {}

  #ordering(snapshot: Snapshot) {
    const { masks, index, budget } = this.#sight;
    return { snapshot, masks, budget, kindOf: (field: FieldName) => index.kindOf(field) };
  }

  #partnersOf(end: EndName): readonly TypeName[] {
    return this.#sight.index.edges.end(end)?.partners ?? [];
  }

  #passing(uids: readonly Uid[], types: readonly TypeName[], where: Predicate): MaybePromise<ReadonlySet<Uid>> {
    const distinct = [...new Set(uids)].sort((a, b) => a - b);
    if (types.length === 0) return new Set();
    const found = this.#sight.snapshot.find({ types, where: and({ kind: "uids", uids: distinct }, where), fields: [] });
    return andThen(found, (batch) => new Set(batch.uids));
  }

  /** The sources of which the caller may see the end; the same list when it is all of them. */
  #sourcesThatShow({ from, end }: Pick<FollowRequest, "from" | "end">): MaybePromise<readonly Uid[]> {
    const mask = this.#sight.masks?.get(end);
    if (!mask) return from;
    if (mask.visible.kind === "none") return [];
    const types = this.#sight.index.edges.end(end)?.types ?? [];
    return andThen(this.#passing(from, types, mask.visible), (seen) => from.filter((uid) => seen.has(uid)));
  }

  #narrowed({ where }: { readonly where?: Predicate }, types: readonly TypeName[]) {
    const { conditions } = this.#sight;
    const open = types.filter((type) => (conditions.get(type) ?? { kind: "all" }).kind !== "none");
    const rewritten: Predicate = where ? this.#rewritten(where) : { kind: "all" };
    return { types: open, where: open.length === 0 ? ({ kind: "none" } as const) : and(rewritten, this.#conditionFor(open)) };
  }

  /** Types with the same condition share it. */
  #conditionFor(types: readonly TypeName[]): Predicate {
    const groups = new Map<Predicate, TypeName[]>();
    const free: TypeName[] = [];
    for (const type of types) {
      const condition = this.#sight.conditions.get(type) ?? { kind: "all" };
      if (condition.kind === "all") free.push(type);
      else groups.set(condition, [...(groups.get(condition) ?? []), type]);
    }
    const [only] = groups;
    if (!only) return { kind: "all" };
    if (groups.size === 1 && free.length === 0) return only[0];
    const cases = [...groups].map(([condition, own]) => and({ kind: "type", types: own }, condition));
    return free.length === 0 ? or(...cases) : or({ kind: "type", types: free }, ...cases);
  }

  /** A condition that sees no hidden field and no hidden node behind a link. */
  #rewritten(where: Predicate): Predicate {
    const mask = "field" in where ? this.#sight.masks?.get(where.field) : "end" in where ? this.#sight.masks?.get(where.end) : undefined;
    const visible = mask?.visible ?? { kind: "all" };
    switch (where.kind) {
      case "and":
        return and(...where.of.map((each) => this.#rewritten(each)));
      case "or":
        return or(...where.of.map((each) => this.#rewritten(each)));
      case "not":
        return not(this.#rewritten(where.of));
      case "lookup": {
        const field = this.#sight.index.index(where.index)?.field;
        return and((field === undefined ? undefined : this.#sight.masks?.get(field)?.visible) ?? { kind: "all" }, where);
      }
      case "linked": {
        const { types, where: inner } = this.#narrowed(where, this.#partnersOf(where.end));
        return types.length === 0 ? { kind: "none" } : and(visible, { ...where, where: and({ kind: "type", types }, inner) });
      }
      default:
        return and(visible, where);
    }
  }

  #shown(batch: Batch, columns: readonly (FieldName | EndName)[]): MaybePromise<Batch> {
    const { masks, snapshot, conditions, index } = this.#sight;
    const types = [...conditions.keys()];
    const masked = masks ? andThen(maskRows(batch, { masks, types, columns, others: [], snapshot }), (rows) => rows.batch) : batch;
    const ends = columns.flatMap((name, column) => (index.edges.end(name) ? [{ name, column }] : []));
    return ends.length === 0 ? masked : andThen(masked, (shown) => this.#withoutHiddenPartners(shown, ends));
  }

  /** A single end as a column gives the uid of its partner, which may be hidden. */
  #withoutHiddenPartners(batch: Batch, ends: readonly { readonly name: EndName; readonly column: number }[]): MaybePromise<Batch> {
    const asked = ends.map(({ name, column }) => () => {
      const partners = (batch.columns[column] ?? []).filter((value) => typeof value === "number");
      const { types, where } = this.#narrowed({}, this.#partnersOf(name));
      return this.#passing(partners, types, where);
    });
    return andThen(concurrently(asked), (seen) => {
      const columns = batch.columns.map((column, c) => {
        const visible = seen[ends.findIndex((each) => each.column === c)];
        return visible ? column.map((value) => (typeof value === "number" && visible.has(value) ? value : undefined)) : column;
      });
      return { ...batch, columns };
    });
  }
}

function noLinks({ fields }: FollowRequest): Links {
  return { starts: [0], rows: [], nodes: { uids: [], types: [], columns: fields.map(() => []) } };
}

/** Sources that do not show the end have no links. */
function spread(starts: readonly number[], from: readonly Uid[], asked: readonly Uid[]): readonly number[] {
  const aligned = [0];
  let source = 0;
  for (const uid of asked) {
    if (from[source] === uid) source++;
    aligned.push(starts[source] ?? 0);
  }
  return aligned;
}

interface Spreading {
  readonly from: readonly Uid[];
  readonly asked: readonly Uid[];
  readonly measures: AggregateRequest["measures"];
}

function spreadRows(rows: readonly MeasureRow[], { from, asked, measures }: Spreading): readonly MeasureRow[] {
  const nothing: MeasureRow = measures.map(({ kind }) => (kind === "count" ? 0 : undefined));
  let source = 0;
  return asked.map((uid) => (from[source] === uid ? (rows[source++] ?? nothing) : nothing));
}
