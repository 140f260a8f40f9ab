// The calls of an import store over HTTP: JSON of one request and its answer. Values travel as JSON; the schema says what they mean.

import { type Change, fitsKind, isObject, QuernError, type Stored, type Value } from "../../../core/plugin.ts";
import { jsonOfStored, storedOfJson } from "./records.ts";
import type { Target } from "./target.ts";
import { type ImportMark, type ImportStore, parseMark } from "./write-store.ts";

/** Nodes or links that one request carries: a server writes them in a few milliseconds. */
const remoteBatchSize = 100;

/** Sends one call and returns its result. */
export type SendCall = (call: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The store of a running server. */
export function remoteImportStore(send: SendCall): ImportStore {
  return {
    batchSize: remoteBatchSize,
    mark: async () => parseMark(await send({ call: "mark" })),
    async apply(changes, { before, mark }) {
      await send({ call: "apply", changes: changes.map(writeChange), before: before ?? null, mark });
    },
    async claim(highest) {
      await send({ call: "claim", highest });
    },
    taken: async (uids) => numbersIn(await send({ call: "taken", uids })),
    freshOffset: async () => Number(await send({ call: "freshOffset" })),
    async count() {
      const counts = await send({ call: "count" });
      return Object.fromEntries(Object.entries(isObject(counts) ? counts : {}).map(([type, count]) => [type, Number(count)]));
    },
  };
}

/** Runs one call on the server's side. @throws QuernError `REQUEST_INVALID` for a call that is malformed */
export async function runImportCall(store: ImportStore, target: Target, call: unknown): Promise<unknown> {
  if (!isObject(call)) throw malformed("it is no object");
  switch (call.call) {
    case "mark":
      return (await store.mark()) ?? null;
    case "apply":
      return await store.apply(changesIn(call.changes, target), { before: parseMark(call.before), mark: markIn(call.mark) });
    case "claim":
      return await store.claim(uidIn(call.highest));
    case "taken":
      return await store.taken(numbersIn(call.uids).map(uidIn));
    case "freshOffset":
      return await store.freshOffset();
    case "count":
      return await store.count();
    default:
      throw malformed(`there is no call ${String(call.call)}`);
  }
}

function writeChange(change: Change): object {
  if (change.kind !== "create") return change;
  return { ...change, fields: Object.fromEntries(Object.entries(change.fields).map(([name, value]) => [name, jsonOfStored(value)])) };
}

function changesIn(value: unknown, target: Target): readonly Change[] {
  if (!Array.isArray(value)) throw malformed("changes is no list");
  return value.map((each) => changeIn(each, target));
}

function changeIn(value: unknown, target: Target): Change {
  if (!isObject(value)) throw malformed("a change is no object");
  if (value.kind === "create") {
    const type = target.types.get(String(value.type));
    if (type === undefined || !isObject(value.fields)) throw malformed("a node has no type of the schema");
    return {
      kind: "create",
      uid: uidIn(value.uid),
      type: type.name,
      fields: Object.fromEntries(Object.entries(value.fields).map((entry) => fieldIn(entry, target, type.fields))),
    };
  }
  const end = target.ends.get(String(value.end))?.end;
  const [fromType, toType] = [String(value.fromType), String(value.toType)];
  if (value.kind !== "link" || !end?.types.includes(fromType) || !end.partners.includes(toType)) throw malformed("a link does not fit the schema");
  return { kind: "link", end: end.name, from: uidIn(value.from), fromType, to: uidIn(value.to), toType };
}

function fieldIn([name, json]: readonly [string, unknown], target: Target, own: ReadonlySet<string>): readonly [string, Stored] {
  const field = target.fields.get(name);
  if (field === undefined || !own.has(name)) throw malformed(`there is no field ${name}`);
  const stored = storedOfJson(json, field.kind);
  const values: readonly Value[] = Array.isArray(stored) ? stored : [stored as Value];
  if (Array.isArray(stored) !== field.list || values.length === 0 || !values.every((each) => fitsKind(field.kind, each)))
    throw malformed(`a value does not fit ${name}`);
  return [name, stored];
}

function markIn(value: unknown): ImportMark {
  const mark = parseMark(value);
  if (mark === undefined) throw malformed("the mark is invalid");
  return mark;
}

function uidIn(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformed("a uid is no whole number");
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

function malformed(reason: string): QuernError {
  return new QuernError("REQUEST_INVALID", `The call of the import is invalid: ${reason}.`);
}
