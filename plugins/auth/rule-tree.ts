// Parses `AuthRule`: each node has exactly one of `and`, `or`, `not`, `rule`.

import { Kind, type ObjectValueNode, type ValueNode } from "graphql";

export type RuleTree =
  | { readonly kind: "and" | "or"; readonly of: readonly RuleTree[] }
  | { readonly kind: "not"; readonly of: RuleTree }
  | { readonly kind: "claim"; readonly rule: string }
  | { readonly kind: "graph"; readonly rule: string };

const choice = 'there should be only one of "and", "or", "not" and "rule"';

/** Undefined when an error was reported. */
export function readRule(value: ValueNode, report: (message: string) => void): RuleTree | undefined {
  if (value.kind !== Kind.OBJECT || value.fields.length === 0) {
    report(`no arguments - ${choice}`);
    return undefined;
  }
  const [member, ...others] = value.fields;
  const tree = member && others.length === 0 ? readMember(member, report) : "none";
  if (tree !== "none") return tree;
  report(choice);
  return undefined;
}

/** `none`: not a member of a rule. */
function readMember({ name, value }: ObjectValueNode["fields"][number], report: (message: string) => void): RuleTree | undefined | "none" {
  switch (name.value) {
    case "and":
    case "or":
      return readGroup(name.value, value, report);
    case "not": {
      if (value.kind !== Kind.OBJECT || value.fields.length === 0) return "none";
      const of = readRule(value, report);
      return of && { kind: "not", of };
    }
    case "rule": {
      const rule = textOf(value);
      return { kind: rule.startsWith("{") ? "claim" : "graph", rule };
    }
    default:
      return "none";
  }
}

function readGroup(kind: "and" | "or", value: ValueNode, report: (message: string) => void): RuleTree | undefined | "none" {
  const values = elementsOf(value);
  if (values.length === 0) return "none";
  const of = values.map((each) => readRule(each, report));
  if (of.length < 2) {
    report(`'${kind.toUpperCase()}' should contain at least two rules`);
    return undefined;
  }
  const trees = of.filter((each) => each !== undefined);
  return trees.length === of.length ? { kind, of: trees } : undefined;
}

/** As Dgraph reads them: of an object in the place of a list, the values of its members, which are no rules. */
function elementsOf(value: ValueNode): readonly ValueNode[] {
  if (value.kind === Kind.LIST) return value.values;
  return value.kind === Kind.OBJECT ? value.fields.map((field) => field.value) : [value];
}

/** The string, or the printed value of another kind, which is not a valid rule. */
function textOf(value: ValueNode): string {
  if (value.kind === Kind.NULL) return "null";
  return "value" in value ? String(value.value) : "[]";
}
