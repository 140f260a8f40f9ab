// Judges what a mutation has written, whatever wrote it: an input, a default, another plugin.

import {
  addToGroup,
  type Change,
  type ChangesContext,
  type FieldName,
  type InputPath,
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
    const problems = await problemsOf(changes, known, (field, value) => placesOf(mutation, field.name, value));
    if (problems.length > 0) throw refusal(problems);
  };
}

/** The places in the arguments at which a caller has sent the value for the field. */
type PlacesOf = (field: ValueField, value: Stored) => readonly InputPath[];

/** The errors of the mutation, by their texts. */
type Problems = readonly QuernError[];

function refusal(problems: Problems): QuernError {
  const hint = "Write values that the schema's rules allow.";
  return new QuernError("VALUE_INVALID", problems.map(({ message }) => message).join(" "), { hint, errors: problems });
}

async function problemsOf(changes: readonly Change[], rules: ReadonlyMap<TypeName, RulesOfType>, placesOf: PlacesOf): Promise<Problems> {
  const problems = new Map<string, QuernError>();
  const clock = new TurnClock();
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    const ofType = rules.get(change.type);
    if (!ofType) continue;
    for (const [name, value] of Object.entries(change.fields)) {
      if (value === null) continue;
      for (const problem of problemsIn(value, ofType.get(name) ?? [], { isNew: change.kind === "create", placesOf }))
        problems.set(`${problem.message} ${String(problem.input)}`, problem);
      if (problems.size >= maxNamed) return [...problems.values()];
      if (!clock.isOver) continue;
      await nextTurn();
      clock.restart();
    }
  }
  return [...problems.values()];
}

interface Written {
  readonly isNew: boolean;
  readonly placesOf: PlacesOf;
}

/** One error for each place of the value; without a place, one. */
function problemsIn(value: Stored, rules: readonly Rule[], { isNew, placesOf }: Written): Problems {
  return rules.flatMap(({ field, written, problem, code, broken }) => {
    const found = problem(value);
    if (found === undefined) return [];
    const places = placesOf(field, value);
    const text = `${field.owner.name}.${field.name} breaks ${written}${isNew || places.length > 0 ? `: found ${found}` : ""}.`;
    return places.length === 0
      ? [new QuernError(code, text, { rule: broken })]
      : places.slice(0, maxNamed).map((input) => new QuernError(code, text, { rule: broken, input }));
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
  return new QuernError("FORBIDDEN", `${owner.name}.${name}: who adds to a list that has rules needs the right to read it, of each object`, {
    hint: "Choose objects of which you may read the field.",
  });
}

function byTypeAndField(rules: readonly Rule[]): ReadonlyMap<TypeName, RulesOfType> {
  const types = new Map<TypeName, Map<FieldName, Rule[]>>();
  for (const rule of rules) {
    const { stored, owner } = rule.field;
    const fields = types.get(owner.stored) ?? new Map<FieldName, Rule[]>();
    addToGroup(fields, stored, rule);
    types.set(owner.stored, fields);
  }
  return types;
}

// Whether a caller has sent the value that breaks a rule. Texts name such values alone: others may be made of what was stored, as a sum or a longer list is.

type Sent = ChangesContext["mutation"];

/** Where the mutation sets a field of this name to the value: `["input", 0, "price"]`. */
function placesOf({ kind, arguments: { input } }: Sent, name: string, value: Stored): readonly InputPath[] {
  const given = kind === "add" ? [{ at: ["input"], it: input }] : membersOf({ at: ["input"], it: input }, "set");
  return given.flatMap((each) => membersOf(each, name)).flatMap(({ at, it }) => (isSame(it, value) ? [at] : []));
}

interface Placed {
  readonly at: InputPath;
  readonly it: unknown;
}

/** The members of this name, at any depth. */
function membersOf({ at, it }: Placed, name: string): readonly Placed[] {
  if (Array.isArray(it)) return it.flatMap((each: unknown, i) => membersOf({ at: [...at, i], it: each }, name));
  if (!isObject(it)) return [];
  return Object.entries(it).flatMap(([member, inner]) => {
    const placed = { at: [...at, member], it: inner };
    return [...(member === name ? [placed] : []), ...membersOf(placed, name)];
  });
}

/** An Int64 may be a number or a text. A list is stored together with what was there. */
function isSame(given: unknown, value: Stored): boolean {
  return (
    !Array.isArray(value) && (typeof given === "string" || typeof given === "number" || typeof given === "bigint") && String(given) === String(value)
  );
}
