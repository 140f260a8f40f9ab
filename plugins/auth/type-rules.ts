// The rules of all types: read from `@auth`, compiled against the API, and combined with those of their interfaces.

import type { ArgumentNode } from "graphql";
import type { CompileContext, DirectiveUse, NodeType } from "../../core/plugin.ts";
import { AskedRule } from "./asked-rule.ts";
import { type CompiledRule, compileWritten, everyRule } from "./compiled-rule.ts";
import { type Operation, operations } from "./operations.ts";

export interface TypeRules {
  /** The rule of an operation on nodes of an object type; undefined: none. */
  ruleOf(type: NodeType, operation: Operation): AskedRule | undefined;
  /** Whether any operation on the type has a rule. */
  isRuled(type: NodeType): boolean;
}

const allOperations: readonly Operation[] = [...operations, "updateAfter"];

type OwnRules = ReadonlyMap<Operation, CompiledRule>;

/** Compiles the rules of types and reports their errors. Types and operations are in written order. */
export function compileRules(uses: readonly DirectiveUse[], context: CompileContext): TypeRules {
  const own = new Map<NodeType, OwnRules>();
  for (const { node, type, field } of uses) if (type && !field) own.set(type, ownRules(node, type, context));
  const known = new Map<NodeType, ReadonlyMap<Operation, AskedRule>>();
  const effective = (type: NodeType): ReadonlyMap<Operation, AskedRule> => {
    const rules = known.get(type) ?? joined([type, ...type.interfaces].flatMap((each) => own.get(each) ?? []));
    known.set(type, rules);
    return rules;
  };
  return { ruleOf: (type, operation) => effective(type).get(operation), isRuled: (type) => effective(type).size > 0 };
}

function ownRules({ arguments: given = [] }: DirectiveUse["node"], type: NodeType, context: CompileContext): OwnRules {
  const rules = new Map<Operation, CompiledRule>();
  for (const { name, value } of given) {
    const report = (message: string) => context.report(`Type ${type.name}: @auth: ${message}`, [], undefined, value);
    if (name.value === "denied") report("denied says what a field shows, and means nothing on a type");
    const operation = allOperations.find((each) => each === name.value);
    const rule = operation && compileWritten(value, type, context, report);
    if (operation && rule) rules.set(operation, rule);
  }
  return rules;
}

/** The conjunction of the given rules. */
function joined(all: readonly OwnRules[]): ReadonlyMap<Operation, AskedRule> {
  const rules = new Map<Operation, AskedRule>();
  for (const operation of allOperations) {
    const found = all.flatMap((each) => each.get(operation) ?? []);
    const [only, ...more] = found;
    if (only) rules.set(operation, new AskedRule(more.length === 0 ? only : everyRule(found)));
  }
  return rules;
}

/** Reports a second `@auth` or a second rule for one operation, which would be ignored. */
export function reportRepeated(uses: readonly DirectiveUse[], report: (message: string, at: DirectiveUse["node"] | ArgumentNode) => void): void {
  const seen = new Set<DirectiveUse["definition"] | DirectiveUse["field"]>();
  for (const { node, definition, field, inherited } of uses) {
    if (inherited) continue;
    const place = field ?? definition;
    if (seen.has(place)) report('The directive "@auth" can only be used once at this location.', node);
    seen.add(place);
    const names = new Set<string>();
    for (const argument of node.arguments ?? []) {
      if (names.has(argument.name.value)) report(`There can be only one argument named "${argument.name.value}".`, argument);
      names.add(argument.name.value);
    }
  }
}
