// A snapshot that shows what a caller may see: hidden nodes do not exist in it, and hidden fields have no values.

import type { Layout } from "../../contracts/layout.ts";
import type { Model } from "../../contracts/model.ts";
import { and, none, not, or, type Predicate } from "../../contracts/predicate.ts";
import type { AggregateRequest, FindRequest, FollowRequest, LoadRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Column, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { addToGroup } from "../../ground/groups.ts";
import type { EndName, FieldName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import { run, type Turns, together, type Work, wait } from "../../ground/work.ts";
import { type LayoutIndex, layoutIndexOf } from "../layout-index/layout-index.ts";
import type { Masks } from "../level/masks.ts";
import type { AccessContext } from "../operation-context.ts";
import { maskRows, masksOf } from "./mask.ts";
import { measure } from "./masked-measures.ts";
import { findOrdered, followOrdered } from "./masked-order.ts";
import { narrowTypes } from "./narrow.ts";

type Access = AccessContext & { readonly deployment: { readonly model: Model; readonly layout: Layout } };

/** `snapshot` itself when nothing is hidden. The caller of `snapshot` closes it. Rows are sorted in turns of `budget`. */
export function visibleSnapshot(snapshot: Snapshot, context: Access, budget: Turns): MaybePromise<Snapshot> {
  return run(visible(snapshot, context, budget), budget);
}

function* visible(snapshot: Snapshot, context: Access, budget: Turns): Work<Snapshot> {
  const { model, layout } = context.deployment;
  const types = [...model.nodeTypes.values()].filter((type) => type.kind === "object");
  const masks = yield* wait(masksOf(types, "query", context));
  const answers = yield* together(types.map((type) => wait(narrowTypes([type], "query", context))));
  const conditions = new Map(types.map((type, i): [TypeName, Predicate] => [type.stored, answers[i]?.where ?? none]));
  if (masks === undefined && [...conditions.values()].every((each) => each.kind === "all")) return snapshot;
  return new VisibleSnapshot({ snapshot, conditions, masks, index: layoutIndexOf(layout), budget });
}

type Conditions = ReadonlyMap<TypeName, Predicate>;

interface View {
  readonly snapshot: Snapshot;
  /** What nodes of each concrete type must satisfy. */
  readonly conditions: Conditions;
  readonly masks: Masks | undefined;
  readonly index: LayoutIndex;
  readonly budget: Turns;
}

class VisibleSnapshot implements Snapshot {
  readonly at: Snapshot["at"];
  readonly #view: View;

  constructor(view: View) {
    this.at = view.snapshot.at;
    this.#view = view;
  }

  find(request: FindRequest): MaybePromise<Batch> {
    return this.#run(this.#find(request));
  }

  follow(request: FollowRequest): MaybePromise<Links> {
    return this.#run(this.#follow(request));
  }

  load(request: LoadRequest): MaybePromise<Batch> {
    return this.#run(this.#load(request));
  }

  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]> {
    return this.#run(this.#aggregate(request));
  }

  #run<T>(work: Work<T>): MaybePromise<T> {
    return run(work, this.#view.budget);
  }

  *#find(request: FindRequest): Work<Batch> {
    const narrowed = this.#narrowed(request, request.types);
    const { nearest } = request;
    const mask = nearest && this.#view.masks?.get(nearest.field);
    const where = mask ? and(narrowed.where, mask.visible) : narrowed.where;
    return yield* this.#shown(yield* wait(findOrdered({ ...request, ...narrowed, where }, this.#ordering())), request.fields);
  }

  *#follow(request: FollowRequest): Work<Links> {
    const narrowed = { ...request, ...this.#narrowed(request, request.types ?? this.#partnersOf(request.end)) };
    const from = yield* this.#sourcesThatShow(request);
    const links = from.length === 0 ? noLinks(request) : yield* wait(followOrdered({ ...narrowed, from }, this.#ordering()));
    const aligned = from === request.from ? links : { ...links, starts: spread(links.starts, from, request.from) };
    return { ...aligned, nodes: yield* this.#shown(links.nodes, request.fields) };
  }

  *#load(request: LoadRequest): Work<Batch> {
    const { types, where } = this.#narrowed({}, request.types);
    const isWhole = where.kind === "all" || request.uids.length === 0;
    const seen = isWhole ? undefined : yield* this.#passing(request.uids, types, where);
    const uids = seen ? request.uids.filter((uid) => seen.has(uid)) : request.uids;
    return yield* this.#shown(yield* wait(this.#view.snapshot.load({ ...request, types, uids })), request.fields);
  }

  *#aggregate({ over, measures }: AggregateRequest): Work<readonly MeasureRow[]> {
    const { snapshot, masks } = this.#view;
    if (!("end" in over)) return yield* wait(measure({ over: { ...over, ...this.#narrowed(over, over.types) }, measures }, masks, snapshot));
    const narrowed = { ...over, ...this.#narrowed(over, over.types ?? this.#partnersOf(over.end)) };
    const from = yield* this.#sourcesThatShow(over);
    const rows = from.length === 0 ? [] : yield* wait(measure({ over: { ...narrowed, from }, measures }, masks, snapshot));
    return from === over.from ? rows : spreadRows(rows, { from, asked: over.from, measures });
  }

  meta(name: string) {
    return this.#view.snapshot.meta(name);
  }

  /** The snapshot below belongs to another. */
  close(): void {}

  #ordering() {
    const { snapshot, masks, index, budget } = this.#view;
    return { snapshot, masks, budget, kindOf: (field: FieldName) => index.kindOf(field) };
  }

  #partnersOf(end: EndName): readonly TypeName[] {
    return this.#view.index.edges.end(end)?.partners ?? [];
  }

  *#passing(uids: readonly Uid[], types: readonly TypeName[], where: Predicate): Work<ReadonlySet<Uid>> {
    const distinct = [...new Set(uids)].sort((a, b) => a - b);
    if (types.length === 0) return new Set();
    const found = this.#view.snapshot.find({ types, where: and({ kind: "uids", uids: distinct }, where), fields: [] });
    return new Set((yield* wait(found)).uids);
  }

  /** The sources of which the caller may see the end; the same list when it is all of them. */
  *#sourcesThatShow({ from, end }: Pick<FollowRequest, "from" | "end">): Work<readonly Uid[]> {
    const mask = this.#view.masks?.get(end);
    if (!mask) return from;
    if (mask.visible.kind === "none") return [];
    const seen = yield* this.#passing(from, this.#view.index.edges.end(end)?.types ?? [], mask.visible);
    return from.filter((uid) => seen.has(uid));
  }

  #narrowed({ where }: { readonly where?: Predicate }, types: readonly TypeName[]) {
    const { conditions } = this.#view;
    const open = types.filter((type) => (conditions.get(type) ?? { kind: "all" }).kind !== "none");
    const rewritten: Predicate = where ? this.#rewritten(where) : { kind: "all" };
    return { types: open, where: open.length === 0 ? ({ kind: "none" } as const) : and(rewritten, this.#conditionFor(open)) };
  }

  /** Types with the same condition share it. */
  #conditionFor(types: readonly TypeName[]): Predicate {
    const groups = new Map<Predicate, TypeName[]>();
    const free: TypeName[] = [];
    for (const type of types) {
      const condition = this.#view.conditions.get(type) ?? { kind: "all" };
      if (condition.kind === "all") free.push(type);
      else addToGroup(groups, condition, type);
    }
    const [only] = groups;
    if (!only) return { kind: "all" };
    if (groups.size === 1 && free.length === 0) return only[0];
    const cases = [...groups].map(([condition, own]) => and({ kind: "type", types: own }, condition));
    return free.length === 0 ? or(...cases) : or({ kind: "type", types: free }, ...cases);
  }

  /** A condition that sees no hidden field and no hidden node behind a link. */
  #rewritten(where: Predicate): Predicate {
    const mask = "field" in where ? this.#view.masks?.get(where.field) : "end" in where ? this.#view.masks?.get(where.end) : undefined;
    const visible = mask?.visible ?? { kind: "all" };
    switch (where.kind) {
      case "and":
        return and(...where.of.map((each) => this.#rewritten(each)));
      case "or":
        return or(...where.of.map((each) => this.#rewritten(each)));
      case "not":
        return not(this.#rewritten(where.of));
      case "lookup": {
        const field = this.#view.index.index(where.index)?.field;
        return and((field === undefined ? undefined : this.#view.masks?.get(field)?.visible) ?? { kind: "all" }, where);
      }
      case "linked": {
        const { types, where: inner } = this.#narrowed(where, this.#partnersOf(where.end));
        return types.length === 0 ? { kind: "none" } : and(visible, { ...where, where: and({ kind: "type", types }, inner) });
      }
      default:
        return and(visible, where);
    }
  }

  *#shown(batch: Batch, columns: readonly (FieldName | EndName)[]): Work<Batch> {
    const { masks, snapshot, conditions, index } = this.#view;
    const types = [...conditions.keys()];
    const masked = masks ? (yield* wait(maskRows(batch, { masks, types, columns, others: [], snapshot }))).batch : batch;
    const isEnd = columns.map((name) => index.edges.end(name) !== undefined);
    if (!isEnd.includes(true)) return masked;
    const shown = masked.columns.map((column, c) => (isEnd[c] ? this.#visiblePartners(column, columns[c] ?? "") : wait(column)));
    return { ...masked, columns: yield* together(shown) };
  }

  /** A single end as a column gives the uid of its partner, which may be hidden. */
  *#visiblePartners(column: Column, end: EndName): Work<Column> {
    const partners = column.filter((value) => typeof value === "number");
    const { types, where } = this.#narrowed({}, this.#partnersOf(end));
    const visible = yield* this.#passing(partners, types, where);
    return column.map((value) => (typeof value === "number" && visible.has(value) ? value : undefined));
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
