// The payload of a mutation, read through the ordinary read path: filtered, ordered and narrowed like any query.

import { and } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise, Uid } from "../../ground/values/value.ts";
import type { ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { PayloadMember } from "../plan/selection.ts";
import { bindLevel } from "./bind.ts";
import { Completion } from "./complete.ts";
import { concurrently } from "./concurrently.ts";
import { executionFailure } from "./error-messages.ts";
import { findRows } from "./read-level.ts";
import { logMisfits, withReported } from "./root-parts.ts";
import type { Rows, Texts } from "./rows.ts";
import { serializeInSlices } from "./serialize-in-slices.ts";
import { writeString } from "./write-text.ts";

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
  const shape = root.selection.select(context.variables);
  if (shape.kind !== "payload") throw new QuernError("INTERNAL", `${root.field} has no payload.`);
  context.budget.show(payload.numUids);
  const uids = [...new Set(payload.uids)].sort((a, b) => a - b);
  const lists = shape.members.filter((member): member is ListMember => member.kind === "list");
  const read = () => concurrently(lists.map((member) => () => readList(member, uids, context)));
  return andThen(worded(read, root), (found) => {
    const write = () => writePayload(root, payload, { lists, found, members: shape.members, context });
    if (context.aside.waits)
      return () =>
        andThen(
          worded(() => context.aside.settle(), root),
          write,
        );
    return andThen(write(), (result) => () => result);
  });
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

function readList(member: ListMember, uids: readonly Uid[], context: ReadContext): MaybePromise<Rows> {
  return andThen(bindLevel(member.level, { context, purpose: "query" }), (bound) =>
    findRows({ ...bound, where: uids.length === 0 ? { kind: "none" } : and({ kind: "uids", uids }, bound.where) }, context),
  );
}

interface FoundRows {
  readonly lists: readonly ListMember[];
  /** Aligned with `lists`. */
  readonly found: readonly Rows[];
  readonly members: readonly PayloadMember[];
  readonly context: ReadContext;
}

function writePayload(root: RootPlan, payload: Payload, { lists, found, members, context }: FoundRows): MaybePromise<RootResult> {
  const written = concurrently(found.map((rows) => () => andThen(serializeInSlices(rows, context.budget), (texts) => ({ rows, texts }))));
  return andThen(written, (each) => {
    const rows = new Map(lists.map((member, i) => [member, each[i]]));
    return completePayload(root, payload, { members, rows, context });
  });
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
function worded<T>(read: () => MaybePromise<T>, root: RootPlan): MaybePromise<T> {
  const reword = (error: unknown): never => {
    throw executionFailure(error, root.key);
  };
  try {
    const result = read();
    return result instanceof Promise ? result.catch(reword) : result;
  } catch (error) {
    return reword(error);
  }
}
