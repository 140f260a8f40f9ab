// Compiled rules. Claims are tested first; graph rules become predicates only when the claims do not decide.

import type { ValueNode } from "graphql";
import { allOf, andThen, type CompileContext, type MaybePromise, type NodeType, none, type Predicate, type RequestView } from "../../core/plugin.ts";
import { type ClaimTest, compileClaimRule } from "./claim-rule.ts";
import { compileGraphRule, type GraphRule } from "./graph-rule.ts";
import type { Claims } from "./parse-token.ts";
import { type RuleTree, readRule } from "./rule-tree.ts";
import { allOfVerdicts, anyOfVerdicts, isFilter, oppositeVerdict, type Verdict } from "./verdict.ts";

export type CompiledRule =
  | { readonly kind: "and" | "or"; readonly of: readonly CompiledRule[] }
  | { readonly kind: "not"; readonly of: CompiledRule }
  | { readonly kind: "claim"; readonly test: ClaimTest }
  | { readonly kind: "graph"; readonly graph: GraphRule };

type Report = (message: string) => void;

/** Reads and compiles the value of an argument of `@auth`; undefined when an error was reported. One error does not hide those of other parts. */
export function compileWritten(value: ValueNode, type: NodeType, context: CompileContext, report: Report): CompiledRule | undefined {
  const compiled = (tree: RuleTree) => compileRule(tree, type, context, report);
  const tree = readRule(value, { report, part: compiled });
  return tree && compiled(tree);
}

/** Undefined when an error was reported. */
function compileRule(tree: RuleTree, type: NodeType, context: Omit<CompileContext, "report">, report: Report): CompiledRule | undefined {
  switch (tree.kind) {
    case "claim": {
      const test = compileClaimRule(tree.rule, report);
      return test && { kind: "claim", test };
    }
    case "graph": {
      const graph = compileGraphRule(tree.rule, type, context, report);
      return graph && { kind: "graph", graph };
    }
    case "not": {
      const of = compileRule(tree.of, type, context, report);
      return of && { kind: "not", of };
    }
    default: {
      const of = tree.of.flatMap((each) => compileRule(each, type, context, report) ?? []);
      return of.length === tree.of.length ? { kind: tree.kind, of } : undefined;
    }
  }
}

export function everyRule(of: readonly CompiledRule[]): CompiledRule {
  return { kind: "and", of };
}

/** The distinct names of the claims that the rule reads. */
export function claimsReadBy(rule: CompiledRule): readonly string[] {
  return [...new Set(leavesOf(rule).flatMap((leaf) => (leaf.kind === "claim" ? [leaf.test.claim] : leaf.graph.reads)))];
}

/** Whether the answer depends on the claims alone, and not on other data of the request. */
export function isFixed(rule: CompiledRule): boolean {
  return leavesOf(rule).every((leaf) => leaf.kind === "claim" || leaf.graph.isFixed);
}

type Leaf = Extract<CompiledRule, { readonly kind: "claim" | "graph" }>;

function leavesOf(rule: CompiledRule): readonly Leaf[] {
  switch (rule.kind) {
    case "claim":
    case "graph":
      return [rule];
    case "not":
      return leavesOf(rule.of);
    default:
      return rule.of.flatMap(leavesOf);
  }
}

/** The verdict of `rule` for a caller with `claims`. */
export function authorize(rule: CompiledRule, claims: Claims, request: RequestView): MaybePromise<Verdict> {
  const graphs = new Map<GraphRule, MaybePromise<Predicate | undefined>>();
  const outline = verdictOf(rule, claims, (graph) => {
    const bound = graph.bind(claims);
    if (!bound) return "absent";
    graphs.set(graph, undefined);
    return none;
  });
  if (!isFilter(outline)) return outline;
  const rules = [...graphs.keys()];
  const asked = allOf(rules.map((graph) => graph.bind(claims)?.(request)));
  return andThen(asked, (predicates) => verdictOf(rule, claims, (graph) => predicates[rules.indexOf(graph)] ?? "absent"));
}

function verdictOf(rule: CompiledRule, claims: Claims, graphVerdict: (graph: GraphRule) => Verdict): Verdict {
  switch (rule.kind) {
    case "claim":
      return rule.test.holds(claims) ? "allow" : "deny";
    case "graph":
      return graphVerdict(rule.graph);
    case "not":
      return oppositeVerdict(verdictOf(rule.of, claims, graphVerdict));
    case "and":
      return allOfVerdicts(rule.of.map((each) => verdictOf(each, claims, graphVerdict)));
    case "or":
      return anyOfVerdicts(rule.of.map((each) => verdictOf(each, claims, graphVerdict)));
  }
}
