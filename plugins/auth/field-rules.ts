// Rules on fields (option `fieldRules`): who may see a field of an object.

import { type ArgumentNode, type DirectiveNode, Kind, print } from "graphql";
import {
  addToGroup,
  type CompileContext,
  type DirectiveUse,
  type Field,
  type FieldMask,
  type LinkField,
  type ModelContext,
  type NodeType,
  type RequestView,
  type ValueField,
} from "../../core/plugin.ts";
import { AskedRule } from "./asked-rule.ts";
import { type CompiledRule, compileWritten, everyRule } from "./compiled-rule.ts";
import type { Claims } from "./parse-token.ts";

export const fieldRuleDefinitions = `
"What a field that one may not see shows: null, or null and an error."
enum AuthDenial {
  "Null."
  NULL
  "Null, and an error in the answer."
  ERROR
}
`;

type HideableField = ValueField | LinkField;

interface FieldUse {
  readonly node: DirectiveNode;
  readonly field: HideableField;
  /** The type that the rule's query selects: the field's type, or the interface that declares the field. */
  readonly type: NodeType;
}

export interface FieldRules {
  readonly masks: readonly FieldMask[];
  /** Compiles the rules and reports their errors. Before this call the fields are hidden from all callers. */
  compile(context: CompileContext): void;
}

/** Undefined when no field has a rule. */
export function readFieldRules(context: ModelContext, claimsOf: (request: RequestView) => Claims): FieldRules | undefined {
  for (const { node } of context.uses("auth", "unstored"))
    context.report("@auth on a field hides what an object stores, and this field is not stored.", node);
  const uses = context.uses("auth").flatMap((use) => readUse(use, context));
  if (uses.length === 0) return undefined;
  let rules: ReadonlyMap<DirectiveNode, CompiledRule> | undefined;
  return {
    masks: maskedFields(uses).map(({ field, nodes }): FieldMask => {
      let rule: AskedRule | undefined;
      return {
        field,
        shows: nodes.some((node) => deniedOf(node) === "ERROR") ? "error" : "null",
        visible: (request) => {
          rule ??= joined(nodes, rules);
          return rule?.answer(claimsOf(request), request) ?? "deny";
        },
      };
    }),
    compile: (compiling) => {
      rules = compileAll(uses, compiling);
    },
  };
}

// ---- reading --------------------------------------------------------------------------------------------------------------

/** The use, when it is a valid use on a field. */
function readUse({ node, type, field, inherited }: DirectiveUse, { report }: ModelContext): readonly FieldUse[] {
  if (!type || !field) return [];
  const problem = inherited ? undefined : problemOf(node, field);
  if (problem) report(`Type ${type.name}; Field ${field.name}: @auth: ${problem}`, node);
  if (problem || (field.role !== "value" && field.role !== "link")) return [];
  return [{ node, field, type: inherited ? field.origin : type }];
}

function problemOf(node: DirectiveNode, field: Field): string | undefined {
  const given = node.arguments ?? [];
  const strange = given.find(({ name }) => name.value !== "query" && name.value !== "denied");
  if (strange) return `${strange.name.value} is a rule on objects; on a field there are "query" and "denied".`;
  if (!given.some(({ name }) => name.value === "query")) return 'a field needs a rule "query".';
  if (field.role === "id") return "an ID cannot be hidden: a caller that sees an object sees its ID.";
  if (field.role === "computed") return "a field that is not stored cannot be hidden; hide what it is made of.";
  const { nonNull, list, name } = field.type;
  if (!nonNull || list || deniedOf(node) === "ERROR") return undefined;
  return `${name}! cannot be null where it is hidden: make it ${name}, or take "denied: ERROR", which hides the object around it as well.`;
}

function deniedOf(node: DirectiveNode): "NULL" | "ERROR" {
  const given = argumentOf(node, "denied")?.value;
  return given?.kind === Kind.ENUM && given.value === "ERROR" ? "ERROR" : "NULL";
}

function argumentOf(node: DirectiveNode, name: string): ArgumentNode | undefined {
  return node.arguments?.find((each) => each.name.value === name);
}

/** The ruled fields of object types, each with all its uses. */
function maskedFields(uses: readonly FieldUse[]): readonly { readonly field: HideableField; readonly nodes: readonly DirectiveNode[] }[] {
  const nodes = new Map<HideableField, DirectiveNode[]>();
  for (const { node, field } of uses) {
    if (field.owner.kind === "object") addToGroup(nodes, field, node);
  }
  return [...nodes].map(([field, all]) => ({ field, nodes: all }));
}

// ---- compiling ------------------------------------------------------------------------------------------------------------

/** Rules with the same text on the same type are compiled once, so that a request evaluates them once. */
function compileAll(uses: readonly FieldUse[], context: CompileContext): ReadonlyMap<DirectiveNode, CompiledRule> {
  const byText = new Map<string, CompiledRule | undefined>();
  const rules = new Map<DirectiveNode, CompiledRule>();
  for (const { node, field, type } of uses) {
    const value = argumentOf(node, "query")?.value;
    if (!value || rules.has(node)) continue;
    const report = (message: string) => context.report(`Type ${type.name}; Field ${field.name}: @auth: ${message}`, node);
    const text = `${type.name} ${print(value)}`;
    if (!byText.has(text)) byText.set(text, compileWritten(value, type, context, report));
    const rule = byText.get(text);
    if (rule) rules.set(node, rule);
  }
  return rules;
}

/** The conjunction of the rules; undefined while one of them is not compiled. */
function joined(nodes: readonly DirectiveNode[], rules: ReadonlyMap<DirectiveNode, CompiledRule> | undefined): AskedRule | undefined {
  const found = nodes.flatMap((node) => rules?.get(node) ?? []);
  const [only, ...more] = found;
  if (!only || found.length < nodes.length) return undefined;
  return new AskedRule(more.length === 0 ? only : everyRule(found));
}
