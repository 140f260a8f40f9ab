// A plan as people read it: what each level reads, by which condition, order and page, one line a batch.

import type { Layout } from "../../contracts/layout.ts";
import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { ListStep, NodeSelection, PlannedArguments, PlanPrinter, Variables } from "../../contracts/plugin/level-step.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { Order } from "../../contracts/storage/requests.ts";
import { QuernError } from "../../ground/errors.ts";
import { holdsMoreThan } from "../../ground/holds-more-than.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { maskLiterals } from "../../telemetry/mask-literals.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import { Level, type PlacedStep, type Requirement } from "../level/level.ts";
import { noOrder, type SortKey } from "../level/sort-key.ts";
import { compileTarget } from "./compile-target.ts";
import { compoundIndexOf } from "./compound-index.ts";
import { LongOperands } from "./long-operands.ts";
import { compileOrder, compilePage } from "./order-and-page.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";
import { printPredicate } from "./print-predicate.ts";

/** What conditions are compiled with. Without `variables` only those of arguments that name none are shown. */
export interface PrintFacts extends Pick<Deployment, "api" | "hooks"> {
  /** Names compound indexes that serve conditions and orders. */
  readonly layout?: Pick<Layout, "indexes">;
  /** Those of one request. */
  readonly variables?: Variables;
  /** Values are left out: what people wrote or sent may be secret. */
  readonly masked?: boolean;
}

/**
 * Indented lines. Arguments stand as written, below them the conditions that they compile to; what plugins narrow by differs from request
 * to request and is not shown.
 *
 * @param facts without them no conditions are shown
 */
export function printPlan(plan: OperationPlan, facts?: PrintFacts): string {
  const lines = [`${plan.kind}${plan.maxAgeSeconds === undefined ? "" : `, may be cached for ${plan.maxAgeSeconds} s`}`];
  for (const root of plan.roots) lines.push(...printRoot(root, facts).map(indent));
  if (plan.introspects) lines.push(indent("the schema itself is asked about: graphql answers"));
  return lines.join("\n");
}

type Facts = PrintFacts | undefined;

function printRoot(root: RootPlan, facts: Facts): readonly string[] {
  const label = root.key === root.field ? root.field : `${root.key}: ${root.field}`;
  const shape = root.selection.whole();
  switch (shape.kind) {
    case "nodes":
      return [
        `${label}${written(shape.level.arguments, facts)}: ${verbOf(root)} ${typesOf(shape.level)}`,
        ...printLevel(shape.level, facts).map(indent),
      ];
    case "step":
      return printStep(label, undefined, shape.step, facts);
    case "payload":
      return [
        `${label}: ${root.operation.kind} ${shape.filters.name}, then its payload`,
        ...shape.members.flatMap((member) =>
          member.kind === "list"
            ? [
                indent(`${member.key}${written(member.level.arguments, facts)}: find ${typesOf(member.level)}`),
                ...printLevel(member.level, facts).map(indent).map(indent),
              ]
            : [],
        ),
      ];
    case "json":
      return [`${label}: answered by a plugin`];
  }
}

function written({ text }: { readonly text: string }, facts: Facts): string {
  return facts?.masked ? maskLiterals(text) : text;
}

function verbOf({ operation }: RootPlan): string {
  switch (operation.kind) {
    case "get":
      return "look up one of";
    case "plugin":
      return "nodes from a plugin, of";
    default:
      return "find";
  }
}

function typesOf({ target, types }: Level): string {
  const names = types.map((type) => type.name).join(" | ");
  return names === target.name ? names : `${target.name} (${names})`;
}

function printLevel(level: Level, facts: Facts): readonly string[] {
  return [
    ...printConditions(level, facts),
    ...(level.columns.length > 0 ? [`read ${level.columns.join(", ")}`] : []),
    ...level.cascade.map((requirement) => `only with ${printRequirement(requirement)}`),
    ...level.steps.flatMap((placed) => printStep(placed.label, placed, placed.step, facts)),
  ];
}

function printStep(label: string, placed: PlacedStep | undefined, step: ListStep, facts: Facts): readonly string[] {
  const { what, to, below } = step.print(new Printer(facts));
  const only = placed && !placed.everyType && to !== undefined ? ` from ${[...placed.types].join(" | ")}` : "";
  const line = `${label}${written(step.arguments, facts)}: ${what}${only}${to === undefined ? "" : ` to ${to}`}`;
  return [line, ...below.map(indent)];
}

class Printer implements PlanPrinter {
  readonly #facts: Facts;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  objects(selection: NodeSelection): readonly string[] {
    return selection instanceof Level ? printLevel(selection, this.#facts) : [];
  }

  conditions(target: NodeType | UnionType, given: PlannedArguments): readonly string[] {
    return printConditions({ target, types: concreteTypes(target), arguments: given }, this.#facts);
  }

  indent(line: string): string {
    return indent(line);
  }

  typesOf(selection: NodeSelection): string {
    return selection instanceof Level ? typesOf(selection) : selection.target.name;
  }
}

/** A longer filter is not compiled again to be printed: it takes as long as the first time. */
const maxMembers = 1_000;

type Conditional = Pick<Level, "target" | "types" | "arguments">;

/** Filter, order and page as storage gets them, unless they depend on unknown variables. */
function printConditions(field: Conditional, facts: Facts): readonly string[] {
  const { text, constant } = field.arguments;
  if (!facts || text === "" || !(constant || facts.variables)) return [];
  try {
    return compiledConditions(field, facts);
  } catch (thrown) {
    if (thrown instanceof QuernError) return [facts.masked ? "refused" : `refused: ${thrown.message}`];
    throw thrown;
  }
}

function compiledConditions({ target, types, arguments: given }: Conditional, facts: PrintFacts): readonly string[] {
  const { filter, order, first, offset } = given.values(facts.variables ?? {});
  if (holdsMoreThan(maxMembers, filter)) return [`where a filter of more than ${maxMembers} members holds`];
  const operands = new LongOperands(undefined);
  const { where } = compileTarget(target, types, filter, { ...facts, operands });
  // A long request may be printed for the log: it must not hold up the others once more.
  if (operands.isIncomplete) return ["where a filter with a long text holds"];
  const compiled = target.kind === "union" ? noOrder : compileOrder(target, order, facts.api);
  const keys = compiled.related ?? compiled.order.map((by) => ({ path: [], by }));
  const page = compilePage({ first, offset }, compiled);
  return [
    ...(where.kind === "all" ? [] : [`where ${printPredicate(where, { masked: facts.masked === true })}`]),
    ...(keys.length > 0 ? [`by ${keys.map(printKey).join(", ")}`] : []),
    ...printIndex(where, compiled.order, facts),
    ...(page ? [`page ${printCounts(page)}`] : []),
  ];
}

function printIndex(where: Predicate, order: Order, { layout }: PrintFacts): readonly string[] {
  const index = layout && compoundIndexOf(where, order, layout);
  return index === undefined ? [] : [`from the index ${index.name}`];
}

function printKey({ path, by }: SortKey): string {
  const what = "field" in by ? by.field : `count ${by.count.stored}`;
  return `${[...path.map(({ stored }) => stored), what].join(" > ")} ${by.direction}`;
}

function printCounts(page: object): string {
  return Object.entries(page)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

function printRequirement(requirement: Requirement): string {
  const cases = requirement.map(({ types, needs }) => {
    const what = needs.kind === "value" ? needs.field : needs.need.text;
    return types === undefined ? what : `${what} (on ${types.join(" | ")})`;
  });
  return cases.join(" or ");
}

function indent(line: string): string {
  return `  ${line}`;
}
