// Random rules as data, their text in a schema, and what they mean object by object.

import { type ConcreteType, follow, kinds, type RuledType, type Thing, type TypeName, type World } from "./random-world.ts";

export type Random = () => number;
export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

export type Condition =
  | {
      readonly kind: "compare";
      readonly field: string;
      readonly op: "eq" | "ge";
      readonly operand: number | string | { readonly variable: "N" | "T" };
    }
  | { readonly kind: "has"; readonly field: string }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "or"; readonly of: readonly Condition[] }
  | LinkCondition;

/** On the objects that a link leads to. `one`: of a link to one object. */
interface LinkCondition {
  readonly kind: "link";
  readonly field: string;
  readonly quantifier: "one" | "some" | "every" | "none" | "count";
  /** Of a count: at least so many. */
  readonly least: number;
  /** Undefined: any object. */
  readonly of: Condition | undefined;
}

export interface GraphPattern {
  readonly type: TypeName;
  readonly filter: Condition | undefined;
  readonly values: readonly string[];
  readonly links: readonly { readonly field: string; readonly to: GraphPattern }[];
}

export type Rule =
  | { readonly kind: "and" | "or"; readonly of: readonly Rule[] }
  | { readonly kind: "not"; readonly of: Rule }
  | { readonly kind: "claim"; readonly claim: string; readonly op: "eq" | "in"; readonly operand: unknown }
  | { readonly kind: "graph"; readonly pattern: GraphPattern };

export type Claims = Readonly<Record<string, unknown>>;

// ---- making ---------------------------------------------------------------------------------------------------------------

export function randomRule(random: Random, type: RuledType, depth = 2): Rule {
  const roll = random();
  if (depth > 0 && roll < 0.25) return { kind: pick(random, ["and", "or"]), of: [1, 2].map(() => randomRule(random, type, depth - 1)) };
  if (depth > 0 && roll < 0.4) return { kind: "not", of: randomRule(random, type, depth - 1) };
  if (roll < 0.6) return randomClaimRule(random);
  return { kind: "graph", pattern: randomPattern(random, type, 2) };
}

function randomClaimRule(random: Random): Rule {
  const op = pick(random, ["eq", "in"] as const);
  return { kind: "claim", claim: "ROLE", op, operand: op === "eq" ? pick(random, ["A", "B"]) : pick(random, [["A"], ["A", "B"], ["B", null], []]) };
}

export function randomPattern(random: Random, type: TypeName, depth: number): GraphPattern {
  const { values, links } = kinds[type];
  const fields = Object.entries(links).filter(([, { to }]) => to !== "Thing");
  const nested = depth > 0 && fields.length > 0 && random() < 0.6 ? [pick(random, fields)] : [];
  return {
    type,
    filter: random() < 0.7 ? randomCondition(random, type, 1) : undefined,
    values: random() < 0.3 ? [pick(random, values)] : [],
    links: nested.map(([field, { to }]) => ({ field, to: randomPattern(random, to, depth - 1) })),
  };
}

export function randomCondition(random: Random, type: TypeName, depth: number, withVariables = true): Condition {
  const roll = random();
  if (depth > 0 && roll < 0.15) return { kind: "not", of: randomCondition(random, type, depth - 1, withVariables) };
  if (depth > 0 && roll < 0.3) return { kind: "or", of: [1, 2].map(() => randomCondition(random, type, depth - 1, withVariables)) };
  if (depth > 0 && roll < 0.5 && Object.keys(kinds[type].links).length > 0) return randomLinkCondition(random, type, depth, withVariables);
  if (roll < 0.6) return { kind: "has", field: pick(random, [...kinds[type].values, ...Object.keys(kinds[type].links)]) };
  const isVariable = withVariables && random() < 0.5;
  if (random() < 0.5) return { kind: "compare", field: "tag", op: "eq", operand: isVariable ? { variable: "T" } : pick(random, ["x", "y"]) };
  return { kind: "compare", field: "n", op: pick(random, ["eq", "ge"]), operand: isVariable ? { variable: "N" } : Math.floor(random() * 4) };
}

function randomLinkCondition(random: Random, type: TypeName, depth: number, withVariables: boolean): Condition {
  const [field, { to, many }] = pick(random, Object.entries(kinds[type].links));
  const quantifier = many ? pick(random, ["some", "every", "none", "count"] as const) : "one";
  const of = to === "Thing" || random() < 0.2 ? undefined : randomCondition(random, to, depth - 1, withVariables);
  return { kind: "link", field, quantifier, least: Math.floor(random() * 4), of };
}

export function randomClaims(random: Random): Claims {
  const claims: Record<string, unknown> = {};
  if (random() < 0.8) claims.ROLE = pick<unknown>(random, ["A", "B", "C", ["A", "C"], []]);
  if (random() < 0.7) claims.N = pick<unknown>(random, [0, 1, 2, "2", "3"]);
  if (random() < 0.7) claims.T = pick<unknown>(random, ["x", "y"]);
  return claims;
}

// ---- text -----------------------------------------------------------------------------------------------------------------

export function ruleText(rule: Rule): string {
  switch (rule.kind) {
    case "and":
    case "or":
      return `{ ${rule.kind}: [${rule.of.map(ruleText).join(", ")}] }`;
    case "not":
      return `{ not: ${ruleText(rule.of)} }`;
    case "claim":
      return `{ rule: ${JSON.stringify(`{$${rule.claim}: {${rule.op}: ${JSON.stringify(rule.operand)}}}`)} }`;
    case "graph": {
      const body = patternText(rule.pattern, `query${rule.pattern.type}`);
      const variables = [...(body.includes("$N") ? ["$N: Int!"] : []), ...(body.includes("$T") ? ["$T: String!"] : [])];
      return `{ rule: ${JSON.stringify(`query${variables.length > 0 ? `(${variables.join(", ")})` : ""} { ${body} }`)} }`;
    }
  }
}

function patternText({ filter, values, links }: GraphPattern, field: string): string {
  const members = ["name", ...values, ...links.map((link) => patternText(link.to, link.field))];
  return `${field}${filter ? `(filter: ${conditionText(filter)})` : ""} { ${members.join(" ")} }`;
}

export function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case "compare": {
      const { operand } = condition;
      return `{ ${condition.field}: {${condition.op}: ${typeof operand === "object" ? `$${operand.variable}` : JSON.stringify(operand)}} }`;
    }
    case "has":
      return `{ has: ${condition.field} }`;
    case "not":
      return `{ not: ${conditionText(condition.of)} }`;
    case "or":
      return `{ or: [${condition.of.map(conditionText).join(", ")}] }`;
    case "link": {
      const { field, quantifier, least, of } = condition;
      const inner = of ? conditionText(of) : "{}";
      if (quantifier === "one") return `{ ${field}: ${inner} }`;
      return quantifier === "count" ? `{ ${field}: {count: {ge: ${least}}} }` : `{ ${field}: {${quantifier}: ${inner}} }`;
    }
  }
}

// ---- meaning --------------------------------------------------------------------------------------------------------------

export interface Asker {
  readonly world: World;
  readonly claims: Claims;
}

/** What claims alone say. */
type Decision = "allow" | "deny" | "absent" | "filter";

export function permits(rule: Rule, thing: Thing, asker: Asker): boolean {
  const decision = decide(rule, asker.claims);
  return decision === "allow" || (decision === "filter" && holds(rule, thing, asker));
}

function decide(rule: Rule, claims: Claims): Decision {
  switch (rule.kind) {
    case "claim":
      return claimHolds(rule, claims) ? "allow" : "deny";
    case "graph":
      return variablesOf(rule.pattern).every((name) => claims[name] !== undefined) ? "filter" : "absent";
    case "not": {
      const inner = decide(rule.of, claims);
      return inner === "allow" ? "deny" : inner === "deny" ? "allow" : inner;
    }
    case "and": {
      const all = rule.of.map((each) => decide(each, claims));
      return all.includes("absent") ? "absent" : all.includes("deny") ? "deny" : all.includes("filter") ? "filter" : "allow";
    }
    case "or": {
      const all = rule.of.map((each) => decide(each, claims));
      return all.includes("allow") ? "allow" : all.includes("filter") ? "filter" : all.includes("absent") ? "absent" : "deny";
    }
  }
}

/** Of a rule that is undecided by claims alone. */
function holds(rule: Rule, thing: Thing, asker: Asker): boolean {
  switch (rule.kind) {
    case "and":
      return rule.of.every((each) => permits(each, thing, asker));
    case "or":
      return rule.of.some((each) => permits(each, thing, asker));
    case "not":
      return !holds(rule.of, thing, asker);
    case "claim":
      return claimHolds(rule, asker.claims);
    case "graph":
      return matches(rule.pattern, thing, asker);
  }
}

function claimHolds({ claim, op, operand }: Extract<Rule, { kind: "claim" }>, claims: Claims): boolean {
  const test = (value: unknown) => (op === "eq" ? value === operand : (operand as readonly unknown[]).includes(value));
  const value = claims[claim] ?? null;
  return Array.isArray(value) ? value.some(test) : test(value);
}

export function matches({ filter, values, links }: GraphPattern, thing: Thing, asker: Asker): boolean {
  if (filter && !satisfies(filter, thing, asker)) return false;
  if (!values.every((field) => thing.values[field] !== undefined)) return false;
  return links.every(({ field, to }) => follow(asker.world, thing, field).some((each) => matches(to, each, asker)));
}

/** What is looked at: of the fields of an object, and without a field the object itself. Rules look at all. */
export type Sees = (thing: Thing, field?: string) => boolean;

export function satisfies(condition: Condition, thing: Thing, asker: Asker, sees: Sees = () => true): boolean {
  switch (condition.kind) {
    case "not":
      return !satisfies(condition.of, thing, asker, sees);
    case "or":
      return condition.of.some((each) => satisfies(each, thing, asker, sees));
    case "has": {
      const { field } = condition;
      return sees(thing, field) && (thing.values[field] !== undefined || follow(asker.world, thing, field).length > 0);
    }
    case "link": {
      const { field, quantifier, least, of } = condition;
      const partners = sees(thing, field) ? follow(asker.world, thing, field).filter((each) => sees(each)) : [];
      const passing = partners.filter((each) => !of || satisfies(of, each, asker, sees)).length;
      switch (quantifier) {
        case "count":
          return partners.length >= least;
        case "every":
          return passing === partners.length;
        case "none":
          return passing === 0;
        default:
          return passing > 0;
      }
    }
    case "compare": {
      const { field, op, operand } = condition;
      const value = sees(thing, field) ? thing.values[field] : undefined;
      const wanted = typeof operand === "object" ? asker.claims[operand.variable] : operand;
      if (value === undefined) return false;
      return field === "tag" ? value === wanted : op === "eq" ? value === Number(wanted) : Number(value) >= Number(wanted);
    }
  }
}

function variablesOf({ filter, links }: GraphPattern): readonly string[] {
  return [...(filter ? namesIn(filter) : []), ...links.flatMap(({ to }) => variablesOf(to))];
}

function namesIn(condition: Condition): readonly string[] {
  if (condition.kind === "not") return namesIn(condition.of);
  if (condition.kind === "or") return condition.of.flatMap(namesIn);
  if (condition.kind === "link") return condition.of && condition.quantifier !== "count" ? namesIn(condition.of) : [];
  return condition.kind === "compare" && typeof condition.operand === "object" ? [condition.operand.variable] : [];
}

export type Operation = "query" | "add" | "update" | "delete" | "updateAfter";
export type Rules = Readonly<Partial<Record<RuledType, TypeRules>>>;
export interface TypeRules {
  readonly onType: Readonly<Partial<Record<Operation, Rule>>>;
  /** Who may see a field. */
  readonly onFields: Readonly<Partial<Record<string, Rule>>>;
}

/** The rule of the object's own type and those of its interfaces. */
export function mayTouch(rules: Rules, operation: Operation, thing: Thing, asker: Asker): boolean {
  return typesOf(thing).every((type) => allows(rules[type]?.onType[operation], thing, asker));
}

export function maySee(rules: Rules, field: string, thing: Thing, asker: Asker): boolean {
  return typesOf(thing).every((type) => allows(rules[type]?.onFields[field], thing, asker));
}

function allows(rule: Rule | undefined, thing: Thing, asker: Asker): boolean {
  return rule === undefined || permits(rule, thing, asker);
}

function typesOf({ type }: Thing): readonly RuledType[] {
  return isItem(type) ? [type, "Item"] : [type];
}

function isItem(type: ConcreteType): boolean {
  return type === "Tool" || type === "Book";
}
