// Counts, at a deploy, the objects that break a rule which the schema before did not have. They stay as they are.

import { print } from "graphql";
import type { Model, SchemaWarning, Snapshot, Stored, Value } from "../../core/plugin.ts";
import { counted } from "./length.ts";
import type { Rule } from "./value-rules.ts";

interface Survey {
  readonly former: Model | undefined;
  readonly snapshot: Snapshot;
}

export async function countBroken(rules: readonly Rule[], { former, snapshot }: Survey): Promise<readonly SchemaWarning[]> {
  const warnings: SchemaWarning[] = [];
  for (const rule of rules.filter((each) => !isOld(each, former))) {
    const count = await broken(rule, snapshot);
    if (count === 0) continue;
    const { owner, name } = rule.field;
    const break_ = count === 1 ? "breaks" : "break";
    warnings.push({
      message: `Type ${owner.name}; Field ${name}: ${counted(count, "object")} ${break_} ${rule.written}. Stored values stay as they are; writes of the field are judged.`,
    });
  }
  return warnings;
}

function isOld({ field, written }: Rule, former: Model | undefined): boolean {
  const before = former?.nodeTypes.get(field.owner.name)?.fields.get(field.name);
  return before?.definition.directives?.some((directive) => print(directive) === written) === true;
}

async function broken({ field, written, problem }: Rule, snapshot: Snapshot): Promise<number> {
  const wholeValue = (values: readonly Value[]): Stored | undefined => (field.type.list ? values : values[0]);
  const holds = (values: readonly Value[]) => {
    const value = wholeValue(values);
    return value !== undefined && problem(value) !== undefined;
  };
  const test = { id: `validation@1 ${written}`, holds };
  const over = { types: [field.owner.stored], where: { kind: "check", field: field.stored, test } } as const;
  const [row] = await snapshot.aggregate({ over, measures: [{ kind: "count" }] });
  return Number(row?.[0] ?? 0);
}
