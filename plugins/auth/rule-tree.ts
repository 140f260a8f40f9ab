// Parses `AuthRule`: each node has exactly one of `and`, `or`, `not`, `rule`.

import { Kind, type ObjectValueNode, type ValueNode } from "graphql";

export type RuleTree =
  | { readonly kind: "and" | "or"; readonly of: readonly RuleTree[] }
  | { readonly kind: "not"; readonly of: RuleTree }
  | { readonly kind: "claim"; readonly rule: string }
  | { readonly kind: "graph"; readonly rule: string };

const choice = 'there should be only one of "and", "or", "not" and "rule"';

/** Takes what is found while a rule is read. */
export interface RuleFindings {
  readonly report: (message: string) => void;
  /** A sound part of a rule that is not sound as a whole: its own errors are reported too. */
  readonly part: (tree: RuleTree) => void;
}

/** Undefined when an error was reported. */
export function readRule(value: ValueNode, findings: RuleFindings): RuleTree | undefined {
  if (value.kind !== Kind.OBJECT || value.fields.length === 0) {
    findings.report(`no arguments - ${choice}`);
    return undefined;
  }
  const trees = value.fields.map((field) => readMember(field, findings));
  const [only] = trees;
  if (only !== "none" && trees.length === 1) return only;
  for (const tree of trees) if (tree !== undefined && tree !== "none") findings.part(tree);
  findings.report(choice);
  return undefined;
}

/** `none`: not a member of a rule. */
function readMember({ name, value }: ObjectValueNode["fields"][number], findings: RuleFindings): RuleTree | undefined | "none" {
  switch (name.value) {
    case "and":
    case "or":
      return readGroup(name.value, value, findings);
    case "not": {
      if (value.kind !== Kind.OBJECT || value.fields.length === 0) return "none";
      const of = readRule(value, findings);
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

function readGroup(kind: "and" | "or", value: ValueNode, findings: RuleFindings): RuleTree | undefined | "none" {
  const values = elementsOf(value);
  if (values.length === 0) return "none";
  const of = values.flatMap((each) => readRule(each, findings) ?? []);
  if (values.length >= 2 && of.length === values.length) return { kind, of };
  for (const tree of of) findings.part(tree);
  if (values.length < 2) findings.report(`'${kind.toUpperCase()}' should contain at least two rules`);
  return undefined;
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
