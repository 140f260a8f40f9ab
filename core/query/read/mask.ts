// Which fields of some types a caller may not see everywhere, and what is left of rows for that caller.

import type { FieldLayout } from "../../contracts/layout.ts";
import type { NodeType } from "../../contracts/model.ts";
import type { FieldMask } from "../../contracts/plugin/hooks.ts";
import type { Purpose, RequestView } from "../../contracts/plugin/request-view.ts";
import { and, type Predicate } from "../../contracts/predicate.ts";
import type { Batch, Column } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, FieldName, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";
import { concurrently } from "../level/concurrently.ts";
import type { HiddenRows, Mask, Masks } from "../level/masks.ts";
import type { AccessContext } from "../operation-context.ts";
import { type Answer, joinAnswers } from "./narrow.ts";
import { unreadableFields } from "./unreadable-fields.ts";

/** What plugins hide of nodes of `types`, object types, from the caller; undefined: nothing. Rules see everything. */
export function masksOf(types: readonly NodeType[], purpose: Purpose, context: AccessContext): MaybePromise<Masks | undefined> {
  const unreadable = unreadableFields(types, purpose, context);
  const masks = ruledMasks(types, purpose, context);
  return unreadable === undefined ? masks : andThen(masks, (ruled) => (ruled ? new Map([...ruled, ...unreadable]) : unreadable));
}

/** What `masks` hooks hide. */
function ruledMasks(types: readonly NodeType[], purpose: Purpose, context: AccessContext): MaybePromise<Masks | undefined> {
  const known = purpose === "rule" ? undefined : masksIn(context.deployment);
  const names = known && [...new Set(types.flatMap((type) => [...(known.get(type)?.keys() ?? [])]))];
  if (!known || !names || names.length === 0) return undefined;
  const questions = names.map((name) => () => maskOf(types.map((type) => ({ type, masks: known.get(type)?.get(name) ?? [] }))));
  return andThen(concurrently(questions), (masks) => {
    const hiding = names.flatMap((name, i) => {
      const mask = masks[i];
      return mask ? [[name, mask] as const] : [];
    });
    return hiding.length === 0 ? undefined : new Map(hiding);
  });

  function maskOf(cases: readonly { readonly type: NodeType; readonly masks: readonly FieldMask[] }[]): MaybePromise<Mask | undefined> {
    const answers = concurrently(cases.map((each) => () => askAll(each.masks, context.request)));
    return andThen(answers, (all) => {
      const visible = joinAnswers(types, all);
      if (visible.kind === "all") return undefined;
      return { visible, shows: cases.some(({ masks }) => masks.some(({ shows }) => shows === "error")) ? "error" : "null" };
    });
  }
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
const answered = new WeakMap<RequestView, Map<FieldMask, MaybePromise<Answer>>>();

function askAll(masks: readonly FieldMask[], request: RequestView): MaybePromise<Answer> {
  return andThen(concurrently(masks.map((mask) => () => ask(mask, request))), (answers): Answer => {
    const conditions = answers.filter((each): each is Predicate => each !== "deny");
    return conditions.length < answers.length ? "deny" : and(...conditions);
  });
}

function ask(mask: FieldMask, request: RequestView): MaybePromise<Answer> {
  const known = answered.get(request) ?? new Map<FieldMask, MaybePromise<Answer>>();
  answered.set(request, known);
  const answer = known.get(mask) ?? andThen(mask.visible(request), (given): Answer => given ?? { kind: "all" });
  known.set(mask, answer);
  return answer;
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
export function maskRows(batch: Batch, { masks, types, columns, others, snapshot }: MaskRequest): MaybePromise<MaskedRows> {
  const names = [...new Set([...columns, ...others])].filter((name) => masks.has(name));
  if (names.length === 0 || batch.uids.length === 0) return { batch, hidden: new Map() };
  const seers = new Map<Predicate, MaybePromise<(uid: Uid) => boolean>>();
  const seerOf = (visible: Predicate) => {
    const known = seers.get(visible) ?? seer(visible, batch, { types, snapshot });
    seers.set(visible, known);
    return known;
  };
  const asked = names.map((name) => () => seerOf(masks.get(name)?.visible ?? { kind: "none" }));
  return andThen(concurrently(asked), (sees) => {
    const hidden = new Map(
      names.map((name, i) => [
        name,
        {
          shows: masks.get(name)?.shows ?? "null",
          isUnreadable: masks.get(name)?.unreadable !== undefined,
          isHidden: (row: number) => sees[i]?.(batch.uids[row] ?? 0) !== true,
        },
      ]),
    );
    const shown = batch.columns.map((column, i) => withoutHidden(column, hidden.get(columns[i] ?? "")?.isHidden));
    return { batch: { ...batch, columns: shown }, hidden };
  });
}

function seer(visible: Predicate, batch: Batch, { types, snapshot }: Pick<MaskRequest, "types" | "snapshot">): MaybePromise<(uid: Uid) => boolean> {
  if (visible.kind === "none") return () => false;
  const uids = [...new Set(batch.uids)].sort((a, b) => a - b);
  const passing = snapshot.find({ types, where: and({ kind: "uids", uids }, visible), fields: [] });
  return andThen(passing, (seen) => {
    const set = new Set(seen.uids);
    return (uid: Uid) => set.has(uid);
  });
}

function withoutHidden(column: Column, isHidden: ((row: number) => boolean) | undefined): Column {
  return isHidden ? column.map((value, row) => (isHidden(row) ? undefined : value)) : column;
}
