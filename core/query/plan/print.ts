// A plan as people read it: what each level reads, by which condition, order and page, one line a batch.

import type { NodeType } from "../../contracts/model.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import { QuernError } from "../../ground/errors.ts";
import { holdsMoreThan } from "../../ground/holds-more-than.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { maskLiterals } from "../../telemetry/mask-literals.ts";
import { compileTarget } from "./compile-target.ts";
import { concreteTypes } from "./concrete-types.ts";
import { LongOperands } from "./long-operands.ts";
import { compileOrder, compilePage, noOrder, type SortKey } from "./order-and-page.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";
import { printPredicate } from "./print-predicate.ts";
import type {
  AggregateStep,
  GroupSelection,
  Level,
  LinkStep,
  MeasureSelection,
  Requirement,
  RequirementCase,
  RootShape,
  Variables,
} from "./selection.ts";

/** What conditions are compiled with. Without `variables` only those of arguments that name none are shown. */
export interface PrintFacts extends Pick<Deployment, "api" | "hooks"> {
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
type MeasuresShape = Extract<RootShape, { kind: "measures" }>;

function printRoot(root: RootPlan, facts: Facts): readonly string[] {
  const label = root.key === root.field ? root.field : `${root.key}: ${root.field}`;
  const shape = root.selection.whole();
  switch (shape.kind) {
    case "nodes":
      return [
        `${label}${written(shape.level.arguments, facts)}: ${verbOf(root)} ${typesOf(shape.level)}`,
        ...printLevel(shape.level, facts).map(indent),
      ];
    case "connection":
      return [
        `${label}${written(shape.connection.arguments, facts)}: a page of ${root.operation.kind === "connection" ? root.operation.node.name : ""}`,
        ...shape.connection.places.flatMap((level) => printLevel(level, facts)).map(indent),
      ];
    case "groups":
      return [`${label}${written(shape.groups.arguments, facts)}: groups of ${shape.groups.shape.node.name}`, ...printKeyLevels(shape.groups, facts)];
    case "measures":
      return root.operation.kind === "aggregate" ? printRootAggregate(label, root.operation.node, shape, facts) : [label];
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

function printRootAggregate(label: string, target: NodeType, { measures, arguments: given }: MeasuresShape, facts: Facts): readonly string[] {
  const conditions = printConditions({ target, types: target.members, arguments: given }, facts);
  return [`${label}${written(given, facts)}: aggregate ${target.name}, ${printMeasures(measures)}`, ...conditions.map(indent)];
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
    ...level.cascade.map((requirement) => `only with ${printRequirement(requirement, level)}`),
    ...level.links.flatMap((step) => printLink(step, facts)),
    ...level.aggregates.flatMap((step) => printAggregate(step, facts)),
    ...level.connections.flatMap((step) => [
      `${step.label}${written(step.connection.arguments, facts)}: a page of ${step.field.stored}`,
      ...step.connection.places.flatMap((place) => printLevel(place, facts)).map(indent),
    ]),
    ...level.groups.flatMap((step) => [
      `${step.label}${written(step.groups.arguments, facts)}: groups of ${step.field.stored}`,
      ...printKeyLevels(step.groups, facts),
    ]),
    ...level.computed.map(({ computed }) => `${computed.field.name}: computed by a plugin`),
  ];
}

function printKeyLevels({ links }: GroupSelection, facts: Facts): readonly string[] {
  return links.flatMap(({ field, level }) => [`key ${field.name}: load ${typesOf(level)}`, ...printLevel(level, facts).map(indent)]).map(indent);
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
    ...(page ? [`page ${printCounts(page)}`] : []),
  ];
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

function printLink(step: LinkStep, facts: Facts): readonly string[] {
  const how = step.column === undefined ? "follow" : "load";
  const only = step.everyType ? "" : ` from ${[...step.types].join(" | ")}`;
  return [
    `${step.label}${written(step.level.arguments, facts)}: ${how} ${step.field.stored}${only} to ${typesOf(step.level)}`,
    ...printLevel(step.level, facts).map(indent),
  ];
}

function printAggregate({ label, field, measures, arguments: given }: AggregateStep, facts: Facts): readonly string[] {
  const conditions = printConditions({ target: field.target, types: concreteTypes(field.target), arguments: given }, facts);
  return [`${label}${written(given, facts)}: aggregate ${field.stored}, ${printMeasures(measures)}`, ...conditions.map(indent)];
}

function printMeasures({ measures }: MeasureSelection): string {
  return measures.map((measure: Measure) => (measure.kind === "count" ? "count" : `${measure.kind} ${measure.field}`)).join(", ") || "nothing";
}

function printRequirement(requirement: Requirement, level: Level): string {
  const cases = requirement.map(({ types, needs }) => {
    const what = printNeed(needs, level);
    return types === undefined ? what : `${what} (on ${types.join(" | ")})`;
  });
  return cases.join(" or ");
}

function printNeed(needs: RequirementCase["needs"], { links, aggregates }: Level): string {
  switch (needs.kind) {
    case "value":
      return needs.field;
    case "link":
      return links[needs.link]?.label ?? "";
    case "measure":
      return `${needs.field} in ${aggregates[needs.aggregate]?.label ?? ""}`;
  }
}

function indent(line: string): string {
  return `  ${line}`;
}
