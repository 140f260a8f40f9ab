// Which fields of some types a caller may not see everywhere, and what is left of rows for that caller.

import type { FieldLayout } from "../../contracts/layout.ts";
import type { NodeType } from "../../contracts/model.ts";
import type { FieldMask } from "../../contracts/plugin/hooks.ts";
import type { Purpose, RequestView } from "../../contracts/plugin/request-view.ts";
import { and, none, type Predicate } from "../../contracts/predicate.ts";
import type { Batch, Column } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { EndName, FieldName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";
import type { HiddenRows, Mask, Masks } from "../level/masks.ts";
import type { AccessContext } from "../operation-context.ts";
import { type Answer, joinAnswers } from "./narrow.ts";
import { unreadableFields } from "./unreadable-fields.ts";

/** What plugins hide of nodes of `types`, object types, from the caller; undefined: nothing. Rules see everything. */
export function masksOf(types: readonly NodeType[], purpose: Purpose, context: AccessContext): MaybePromise<Masks | undefined> {
  const unreadable = unreadableFields(types, purpose, context);
  const known = purpose === "rule" ? undefined : masksIn(context.deployment);
  return known ? run(allMasks(types, known, { unreadable, context })) : unreadable;
}

interface MaskContext {
  readonly unreadable: Masks | undefined;
  readonly context: AccessContext;
}

function* allMasks(types: readonly NodeType[], known: KnownMasks, { unreadable, context }: MaskContext): Work<Masks | undefined> {
  const names = [...new Set(types.flatMap((type) => [...(known.get(type)?.keys() ?? [])]))];
  const casesOf = (name: string) => types.map((type) => known.get(type)?.get(name) ?? []);
  const masks = yield* together(names.map((name) => ruledMask(types, casesOf(name), context.request)));
  const hiding = names.flatMap((name, i) => {
    const mask = masks[i];
    return mask ? [[name, mask] as const] : [];
  });
  return hiding.length === 0 ? unreadable : new Map([...hiding, ...(unreadable ?? [])]);
}

/**
 * What `masks` hooks hide of one field; undefined: nothing.
 *
 * @param cases those of each type
 */
function* ruledMask(types: readonly NodeType[], cases: readonly (readonly FieldMask[])[], request: RequestView): Work<Mask | undefined> {
  const visible = joinAnswers(types, yield* together(cases.map((masks) => askAll(masks, request))));
  if (visible.kind === "all") return undefined;
  return { visible, shows: cases.some((masks) => masks.some(({ shows }) => shows === "error")) ? "error" : "null" };
}

/** Whether some plugin hides fields of some nodes from some callers. */
export function hidesFields(deployment: Masking): boolean {
  return masksIn(deployment) !== undefined;
}

/** Whether some plugin may hide fields from callers. */
export function isMasking(deployment: Masking): boolean {
  return hidesFields(deployment) || deployment.hooks.some(({ hooks }) => hooks.permissions !== undefined);
}

type Masking = Pick<AccessContext["deployment"], "hooks" | "layout">;
type KnownMasks = ReadonlyMap<NodeType, Map<FieldName | EndName, readonly FieldMask[]>>;

const found = new WeakMap<readonly PluginHooks[], { readonly masks: KnownMasks | undefined }>();

/** Found once per deployment. */
function masksIn({ hooks, layout }: Masking): KnownMasks | undefined {
  const known = found.get(hooks);
  if (known) return known.masks;
  const masks = findMasks(hooks, layout?.fields ?? []);
  found.set(hooks, { masks });
  return masks;
}

function findMasks(hooks: readonly PluginHooks[], fields: readonly FieldLayout[]): KnownMasks | undefined {
  const all = hooks.flatMap((each) => each.hooks.masks ?? []);
  if (all.length === 0) return undefined;
  const byType = new Map<NodeType, Map<FieldName | EndName, readonly FieldMask[]>>();
  for (const mask of all) {
    const { owner, stored } = mask.field;
    const ofType = byType.get(owner) ?? new Map<FieldName | EndName, readonly FieldMask[]>();
    byType.set(owner, ofType.set(stored, [...(ofType.get(stored) ?? []), mask]));
  }
  for (const masks of byType.values()) for (const field of fields) hideDerived(field, masks);
  return byType;
}

/** A value that is derived from hidden ones would show them. */
function hideDerived({ name, derived }: FieldLayout, masks: Map<FieldName | EndName, readonly FieldMask[]>): void {
  const inherited = derived?.from.flatMap((source) => masks.get(source) ?? []) ?? [];
  if (inherited.length > 0) masks.set(name, [...(masks.get(name) ?? []), ...inherited]);
}

/** Answers of one request, so that a rule is asked once however often its field shows in the plan. */
const answered = new WeakMap<RequestView, Map<FieldMask, MaybePromise<Answer | undefined>>>();

function* askAll(masks: readonly FieldMask[], request: RequestView): Work<Answer> {
  const answers = yield* together(masks.map((mask) => ask(mask, request)));
  const conditions = answers.filter((each): each is Predicate => each !== "deny");
  return conditions.length < answers.length ? "deny" : and(...conditions);
}

function* ask(mask: FieldMask, request: RequestView): Work<Answer> {
  const known = answered.get(request) ?? new Map<FieldMask, MaybePromise<Answer | undefined>>();
  answered.set(request, known);
  const answer = known.get(mask) ?? mask.visible(request) ?? { kind: "all" };
  known.set(mask, answer);
  return (yield* wait<Answer | undefined>(answer)) ?? { kind: "all" };
}

// ---- rows -----------------------------------------------------------------------------------------------------------------

export interface MaskedRows {
  readonly batch: Batch;
  readonly hidden: HiddenRows;
}

export interface MaskRequest {
  readonly masks: Masks;
  readonly types: readonly TypeName[];
  /** Names of `batch`'s columns. */
  readonly columns: readonly (FieldName | EndName)[];
  /** Fields that are read besides the columns. */
  readonly others: readonly EndName[];
  readonly snapshot: Snapshot;
}

/** The rows with hidden values taken out. */
export function maskRows(batch: Batch, request: MaskRequest): MaybePromise<MaskedRows> {
  const names = [...new Set([...request.columns, ...request.others])].filter((name) => request.masks.has(name));
  return names.length === 0 || batch.uids.length === 0 ? { batch, hidden: new Map() } : run(hideIn(batch, names, request));
}

function* hideIn(batch: Batch, names: readonly (FieldName | EndName)[], { masks, types, columns, snapshot }: MaskRequest): Work<MaskedRows> {
  const conditions = names.map((name) => masks.get(name)?.visible ?? none);
  const distinct = [...new Set(conditions)];
  const seen = yield* together(distinct.map((visible) => seeing(visible, batch, { types, snapshot })));
  const hidden: HiddenRows = new Map(
    names.map((name, i) => {
      const sees = seen[distinct.indexOf(conditions[i] ?? none)];
      const mask = masks.get(name);
      const isHidden = (row: number) => sees?.has(batch.uids[row] ?? 0) !== true;
      return [name, { shows: mask?.shows ?? "null", isUnreadable: mask?.unreadable !== undefined, isHidden }];
    }),
  );
  const shown = batch.columns.map((column, i) => withoutHidden(column, hidden.get(columns[i] ?? "")?.isHidden));
  return { batch: { ...batch, columns: shown }, hidden };
}

/** The nodes of the batch that satisfy `visible`. */
function* seeing(visible: Predicate, batch: Batch, { types, snapshot }: Pick<MaskRequest, "types" | "snapshot">): Work<ReadonlySet<Uid>> {
  if (visible.kind === "none") return new Set();
  const uids = [...new Set(batch.uids)].sort((a, b) => a - b);
  return new Set((yield* wait(snapshot.find({ types, where: and({ kind: "uids", uids }, visible), fields: [] }))).uids);
}

function withoutHidden(column: Column, isHidden: ((row: number) => boolean) | undefined): Column {
  return isHidden ? column.map((value, row) => (isHidden(row) ? undefined : value)) : column;
}
