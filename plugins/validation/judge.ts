// Judges what a mutation has written, whatever wrote it: an input, a default, another plugin.

import { type Change, type ChangesContext, type FieldName, nextTurn, QuernError, type Stored, TurnClock, type TypeName } from "../../core/plugin.ts";
import type { Rule } from "./rules.ts";

/** The rules of a type, by stored field. */
type RulesOfType = ReadonlyMap<FieldName, readonly Rule[]>;

/** Problems that one refusal names. */
const maxNamed = 10;

export function judge(rules: readonly Rule[]): (context: ChangesContext) => Promise<void> {
  let known: ReadonlyMap<TypeName, RulesOfType> | undefined;
  return async ({ changes }) => {
    // Storage names are final when the schema is served.
    known ??= byTypeAndField(rules);
    const problems = await problemsOf(changes, known);
    if (problems.length > 0) throw new QuernError("VALUE_INVALID", problems.join(" "), { hint: "Write values that the schema's rules allow." });
  };
}

async function problemsOf(changes: readonly Change[], rules: ReadonlyMap<TypeName, RulesOfType>): Promise<readonly string[]> {
  const problems = new Set<string>();
  const clock = new TurnClock();
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    const ofType = rules.get(change.type);
    if (!ofType) continue;
    for (const [name, value] of Object.entries(change.fields)) {
      if (value === null) continue;
      for (const problem of problemsIn(value, ofType.get(name) ?? [])) problems.add(problem);
      if (problems.size >= maxNamed) return [...problems];
      if (!clock.isOver) continue;
      await nextTurn();
      clock.restart();
    }
  }
  return [...problems];
}

function problemsIn(value: Stored, rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ field, written, problem }) => {
    const found = problem(value);
    return found === undefined ? [] : [`${field.owner.name}.${field.name} breaks ${written}: found ${found}.`];
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
