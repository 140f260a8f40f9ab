// Judges what a mutation has written, whatever wrote it: an input, a default, another plugin.

import {
  type Change,
  type ChangesContext,
  type FieldName,
  isObject,
  nextTurn,
  QuernError,
  type Set as SetChange,
  type Stored,
  TurnClock,
  type TypeName,
  type ValueField,
} from "../../core/plugin.ts";
import type { Rule } from "./value-rules.ts";

/** The rules of a type, by stored field. */
type RulesOfType = ReadonlyMap<FieldName, readonly Rule[]>;

/** Problems that one refusal names. */
const maxNamed = 10;

/** @param counts which of the rules are judged; asked when the schema is served */
export function judge(rules: readonly Rule[], counts: (rule: Rule) => boolean): (context: ChangesContext) => Promise<void> {
  let known: ReadonlyMap<TypeName, RulesOfType> | undefined;
  return async ({ changes, sees, mutation }) => {
    // Storage names are final when the schema is served.
    known ??= byTypeAndField(rules.filter(counts));
    await assertSeen(changes, known, sees);
    const problems = await problemsOf(changes, known, (field, value) => isSent(mutation, field.name, value));
    if (problems.length > 0) throw new QuernError("VALUE_INVALID", problems.join(" "), { hint: "Write values that the schema's rules allow." });
  };
}

type IsSent = (field: ValueField, value: Stored) => boolean;

async function problemsOf(changes: readonly Change[], rules: ReadonlyMap<TypeName, RulesOfType>, isSent: IsSent): Promise<readonly string[]> {
  const problems = new Set<string>();
  const clock = new TurnClock();
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    const ofType = rules.get(change.type);
    if (!ofType) continue;
    for (const [name, value] of Object.entries(change.fields)) {
      if (value === null) continue;
      for (const problem of problemsIn(value, ofType.get(name) ?? [], change.kind === "create" ? () => true : isSent)) problems.add(problem);
      if (problems.size >= maxNamed) return [...problems];
      if (!clock.isOver) continue;
      await nextTurn();
      clock.restart();
    }
  }
  return [...problems];
}

function problemsIn(value: Stored, rules: readonly Rule[], isNamed: IsSent): readonly string[] {
  return rules.flatMap(({ field, written, problem }) => {
    const found = problem(value);
    if (found === undefined) return [];
    return [`${field.owner.name}.${field.name} breaks ${written}${isNamed(field, value) ? `: found ${found}` : ""}.`];
  });
}

/** A list is judged with what it held before. Who may not read it would learn that from the verdict. */
async function assertSeen(changes: readonly Change[], rules: ReadonlyMap<TypeName, RulesOfType>, sees: ChangesContext["sees"]): Promise<void> {
  for (const [type, ofType] of rules) {
    const lists = [...ofType.values()].flatMap(([rule]) => (rule?.field.type.list ? [rule.field] : []));
    const judged = lists.length === 0 ? [] : changes.filter((change): change is SetChange => change.kind === "set" && change.type === type);
    if (judged.length === 0) continue;
    const isSeen = await sees(
      judged,
      lists.map(({ stored }) => stored),
    );
    for (const field of lists) {
      if (judged.some(({ uid, fields }) => (fields[field.stored] ?? null) !== null && !isSeen(uid, field.stored))) throw unread(field);
    }
  }
}

function unread({ owner, name }: ValueField): QuernError {
  return new QuernError("REQUEST_REFUSED", `${owner.name}.${name}: who adds to a list that has rules needs the right to read it, of each object`, {
    hint: "Choose objects of which you may read the field.",
  });
}

function byTypeAndField(rules: readonly Rule[]): ReadonlyMap<TypeName, RulesOfType> {
  const types = new Map<TypeName, Map<FieldName, Rule[]>>();
  for (const rule of rules) {
    const { stored, owner } = rule.field;
    const fields = types.get(owner.stored) ?? new Map<FieldName, Rule[]>();
    fields.set(stored, [...(fields.get(stored) ?? []), rule]);
    types.set(owner.stored, fields);
  }
  return types;
}

// Whether a caller has sent the value that breaks a rule. Texts name such values alone: others may be made of what was stored, as a sum or a longer list is.

type Sent = ChangesContext["mutation"];

/** Whether the mutation sets a field of this name to the value. */
function isSent({ kind, arguments: { input } }: Sent, name: string, value: Stored): boolean {
  const given = kind === "add" ? [input] : membersOf(input, "set");
  return given.some((each) => membersOf(each, name).some((sent) => isSame(sent, value)));
}

/** The members of this name, at any depth. */
function membersOf(given: unknown, name: string): readonly unknown[] {
  if (Array.isArray(given)) return given.flatMap((each) => membersOf(each, name));
  if (!isObject(given)) return [];
  return Object.entries(given).flatMap(([member, inner]) => [...(member === name ? [inner] : []), ...membersOf(inner, name)]);
}

/** An Int64 may be a number or a text. A list is stored together with what was there. */
function isSame(given: unknown, value: Stored): boolean {
  return (
    !Array.isArray(value) && (typeof given === "string" || typeof given === "number" || typeof given === "bigint") && String(given) === String(value)
  );
}
