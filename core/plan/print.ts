// A plan as people read it: what each level reads, by which condition, order and page, one line a batch.

import type { Measure } from "../contracts/storage.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { compileTarget } from "./compile-target.ts";
import { compileOrder, compilePage } from "./order-and-page.ts";
import type { OperationPlan, RootPlan } from "./plan.ts";
import { printPredicate } from "./print-predicate.ts";
import type { AggregateStep, Level, LinkStep, MeasureSelection, Requirement } from "./selection.ts";

type Facts = Pick<Deployment, "api" | "hooks"> | undefined;

/**
 * Indented lines. Arguments stand as written: variables, and what plugins narrow by, differ from request to request.
 *
 * @param deployment shows the conditions that arguments without variables come to
 */
export function printPlan(plan: OperationPlan, deployment?: Pick<Deployment, "api" | "hooks">): string {
  const lines = [`${plan.kind}${plan.maxAgeSeconds === undefined ? "" : `, may be cached for ${plan.maxAgeSeconds} s`}`];
  for (const root of plan.roots) lines.push(...printRoot(root, deployment).map(indent));
  if (plan.introspects) lines.push(indent("the schema itself is asked about: graphql answers"));
  return lines.join("\n");
}

function printRoot(root: RootPlan, facts: Facts): readonly string[] {
  const label = root.key === root.field ? root.field : `${root.key}: ${root.field}`;
  const shape = root.selection.whole();
  switch (shape.kind) {
    case "nodes":
      return [`${label}${shape.level.arguments.text}: ${verbOf(root)} ${typesOf(shape.level)}`, ...printLevel(shape.level, facts).map(indent)];
    case "measures":
      return [`${label}: aggregate ${root.operation.kind === "aggregate" ? root.operation.node.name : ""}, ${printMeasures(shape.measures)}`];
    case "payload":
      return [
        `${label}: ${root.operation.kind} ${shape.filters.name}, then its payload`,
        ...shape.members.flatMap((member) =>
          member.kind === "list"
            ? [
                indent(`${member.key}${member.level.arguments.text}: find ${typesOf(member.level)}`),
                ...printLevel(member.level, facts).map(indent).map(indent),
              ]
            : [],
        ),
      ];
    case "json":
      return [`${label}: answered by a plugin`];
  }
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
    ...level.aggregates.map(printAggregate),
    ...level.computed.map(({ computed }) => `${computed.field.name}: computed by a plugin`),
  ];
}

/** Filter, order and page as storage gets them, unless they hang on variables. */
function printConditions(level: Level, facts: Facts): readonly string[] {
  if (!facts || !level.arguments.constant || level.arguments.text === "") return [];
  const { filter, order, first, offset } = level.arguments.values({});
  const { where } = compileTarget(level.target, level.types, filter, facts);
  const keys = level.target.kind === "union" ? [] : compileOrder(level.target, order);
  const page = compilePage({ first, offset }, keys);
  return [
    ...(where.kind === "all" ? [] : [`where ${printPredicate(where)}`]),
    ...(keys.length > 0 ? [`by ${keys.map((key) => `${key.field} ${key.direction}`).join(", ")}`] : []),
    ...(page
      ? [
          `page ${Object.entries(page)
            .map(([name, count]) => `${name} ${count}`)
            .join(", ")}`,
        ]
      : []),
  ];
}

function printLink(step: LinkStep, facts: Facts): readonly string[] {
  const how = step.column === undefined ? "follow" : "load";
  const only = step.everyType ? "" : ` from ${[...step.types].join(" | ")}`;
  return [
    `${step.label}${step.level.arguments.text}: ${how} ${step.field.stored}${only} to ${typesOf(step.level)}`,
    ...printLevel(step.level, facts).map(indent),
  ];
}

function printAggregate(step: AggregateStep): string {
  return `${step.label}${step.arguments.text}: aggregate ${step.field.stored}, ${printMeasures(step.measures)}`;
}

function printMeasures({ measures }: MeasureSelection): string {
  return measures.map((measure: Measure) => (measure.kind === "count" ? "count" : `${measure.kind} ${measure.field}`)).join(", ") || "nothing";
}

function printRequirement(requirement: Requirement, level: Level): string {
  const cases = requirement.map(({ types, needs }) => {
    const what = needs.kind === "value" ? needs.field : (level.links[needs.link]?.label ?? "");
    return types === undefined ? what : `${what} (on ${types.join(" | ")})`;
  });
  return cases.join(" or ");
}

function indent(line: string): string {
  return `  ${line}`;
}
