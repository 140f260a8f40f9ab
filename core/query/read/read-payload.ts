// The payload of a mutation, read through the ordinary read path: filtered, ordered and narrowed like any query.

import { and, none } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise, Uid } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { Rows, Texts } from "../level/rows.ts";
import type { PayloadMember } from "../level/selection.ts";
import type { ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { executionFailure } from "../write/error-messages.ts";
import { writeString } from "../write/write-text.ts";
import { bindLevel } from "./bind.ts";
import { Completion } from "./complete.ts";
import { findRows } from "./read-level.ts";
import { logMisfits, withReported } from "./root-parts.ts";
import { writeAhead } from "./serialize-in-slices.ts";

/** What a mutation changed, as its payload shows it. */
export interface Payload {
  /** The root objects it touched, in any order. */
  readonly uids: readonly Uid[];
  readonly numUids: number;
  readonly msg?: string;
}

type ListMember = Extract<PayloadMember, { kind: "list" }>;

/** The payload's JSON. Objects that the caller may not query are missing from the list; `numUids` counts them. */
export function readPayload(root: RootPlan, payload: Payload, context: ReadContext): MaybePromise<RootResult> {
  return andThen(beginPayload(root, payload, context), (finish) => finish());
}

/**
 * Reads the payload. The function in the result writes it: when the payload has slow computed fields, it first computes them, and so it must not
 * be called within a transaction. Otherwise everything is done already.
 */
export function beginPayload(root: RootPlan, payload: Payload, context: ReadContext): MaybePromise<() => MaybePromise<RootResult>> {
  return run(begin(root, payload, context), context.budget);
}

function* begin(root: RootPlan, payload: Payload, context: ReadContext): Work<() => MaybePromise<RootResult>> {
  const shape = root.selection.select(context.variables);
  if (shape.kind !== "payload") throw new QuernError("INTERNAL", `${root.field} has no payload.`);
  context.budget.show(payload.numUids);
  const uids = [...new Set(payload.uids)].sort((a, b) => a - b);
  const lists = shape.members.filter((member): member is ListMember => member.kind === "list");
  const reads = lists.map((member) => readList(member, uids, context));
  const found = yield* worded(together(reads, context.budget), root);
  const rest = { lists, found, members: shape.members, context };
  if (context.aside.waits) return () => run(writeLater(root, payload, rest), context.budget);
  const result = yield* writePayload(root, payload, rest);
  return () => result;
}

function* writeLater(root: RootPlan, payload: Payload, rest: FoundRows): Work<RootResult> {
  yield* worded(wait(rest.context.aside.settle()), root);
  return yield* writePayload(root, payload, rest);
}

/** The payload where no list can be read: its JSON, and the paths of the lists, or of the whole payload where a list must not be null. */
export function unreadPayload(
  { key, selection }: RootPlan,
  payload: Payload,
  variables: Readonly<Record<string, unknown>>,
): { readonly json: string; readonly missing: readonly (readonly string[])[] } {
  const shape = selection.select(variables);
  const members = shape.kind === "payload" ? shape.members : [];
  const lists = members.filter((member): member is ListMember => member.kind === "list");
  if (lists.length === 0 || lists.some(({ type }) => type.nonNull)) return { json: "null", missing: [[key]] };
  const texts = members.map((member) => member.opening + (member.kind === "list" ? "null" : knownText(member, payload)));
  return { json: `${texts.join("")}}`, missing: lists.map((member) => [key, member.key]) };
}

function* readList(member: ListMember, uids: readonly Uid[], context: ReadContext): Work<Rows> {
  const bound = yield* wait(bindLevel(member.level, { context, purpose: "query" }));
  return yield* findRows(bound.with({ where: uids.length === 0 ? none : and({ kind: "uids", uids }, bound.where) }), context);
}

interface FoundRows {
  readonly lists: readonly ListMember[];
  /** Aligned with `lists`. */
  readonly found: readonly Rows[];
  readonly members: readonly PayloadMember[];
  readonly context: ReadContext;
}

function* writePayload(root: RootPlan, payload: Payload, { lists, found, members, context }: FoundRows): Work<RootResult> {
  const rows = new Map<PayloadMember, ListRows>();
  for (const [i, list] of lists.entries()) {
    const each = found[i];
    if (each) rows.set(list, { rows: each, texts: yield* writeAhead(each, context.budget) });
  }
  return completePayload(root, payload, { members, rows, context });
}

interface ListRows {
  readonly rows: Rows;
  readonly texts: Texts;
}

interface PayloadRows {
  readonly members: readonly PayloadMember[];
  readonly rows: ReadonlyMap<PayloadMember, ListRows | undefined>;
  readonly context: ReadContext;
}

function completePayload(root: RootPlan, payload: Payload, { members, rows, context }: PayloadRows): RootResult {
  const completion = new Completion(root.key, context.budget);
  let text = "";
  for (const member of members) {
    const value = memberText(member, payload, { completion, rows });
    if (value === undefined) return { json: "null", errors: withReported(completion, context) };
    text += member.opening + value;
  }
  logMisfits(completion, context);
  return { json: text === "" ? "{}" : `${text}}`, errors: withReported(completion, context) };
}

function memberText(
  member: PayloadMember,
  payload: Payload,
  { completion, rows }: { readonly completion: Completion; readonly rows: PayloadRows["rows"] },
): string | undefined {
  if (member.kind !== "list") return knownText(member, payload);
  const found = rows.get(member);
  return found ? completion.payloadList(member, found.rows, found.texts) : "[]";
}

/** The value of a member that needs no reading. */
function knownText(member: Exclude<PayloadMember, ListMember>, payload: Payload): string {
  switch (member.kind) {
    case "typename":
      return member.text;
    case "numUids":
      return String(payload.numUids);
    case "msg":
      return payload.msg === undefined ? "null" : writeString(payload.msg);
  }
}

/** Reports failures with the text of a query: reading the payload is one. */
function* worded<T>(work: Work<T>, root: RootPlan): Work<T> {
  try {
    return yield* work;
  } catch (error) {
    throw executionFailure(error, root.key);
  }
}
