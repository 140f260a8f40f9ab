// Arguments of one field: coerced once when they are constant, else with the variables of each request.

import { type ArgumentNode, type FieldNode, type GraphQLField, getArgumentValues, getNamedType, print } from "graphql";
import type { Api } from "../../schema/api/api.ts";
import { defaultOf, packageVariables } from "../../schema/api/package-version.ts";
import { givenVariables } from "../level/given-variables.ts";
import type { PlannedArguments, Variables } from "../level/selection.ts";
import { argumentTemplate, usesVariables } from "./argument-template.ts";

export const noArguments: PlannedArguments = Object.freeze({ constant: true, values: () => noValues, text: "" });
const noValues: Variables = Object.freeze({});

type Definition = GraphQLField<unknown, unknown>;

/** The root field and its level both ask: thousands of conditions are coerced once. */
const planned = new WeakMap<FieldNode, { readonly definition: Definition; readonly arguments: PlannedArguments }>();

export function planArguments(definition: Definition | undefined, node: FieldNode): PlannedArguments {
  if (!definition || definition.args.length === 0) return noArguments;
  const known = planned.get(node);
  if (known?.definition === definition) return known.arguments;
  const made = plan(definition, node);
  planned.set(node, { definition, arguments: made });
  return made;
}

function plan(definition: Definition, node: FieldNode): PlannedArguments {
  const given = node.arguments ?? [];
  const defaults = definition.args.some((each) => defaultOf(each) !== undefined);
  if (given.length === 0 && !defaults) return noArguments;
  const varying = given.filter((argument) => usesVariables(argument.value));
  const constant = Object.freeze(coercer(definition, node, (name) => !varying.some((each) => each.name.value === name))(noValues));
  if (varying.length === 0) return new Arguments(given, () => constant, "constant");
  const readers = varying.map((argument) => argumentReader(definition, node, argument));
  const values = (variables: Variables): Variables => {
    const read = { ...constant };
    for (const each of readers) Object.assign(read, each(variables));
    return read;
  };
  return new Arguments(given, values, "varying");
}

/** Their text is printed when somebody reads the plan. */
class Arguments implements PlannedArguments {
  readonly constant: boolean;
  readonly values: PlannedArguments["values"];
  readonly #given: readonly ArgumentNode[];

  constructor(given: readonly ArgumentNode[], values: PlannedArguments["values"], kind: "constant" | "varying") {
    this.#given = given;
    this.values = values;
    this.constant = kind === "constant";
  }

  get text(): string {
    return this.#given.length === 0 ? "" : `(${this.#given.map(print).join(", ")})`;
  }
}

/**
 * The arguments as the specification coerces them: a null that the request gives is null, and a variable without a value gives nothing. For
 * plugins, which may distinguish the two.
 */
export function planGivenArguments(definition: Definition, node: FieldNode): PlannedArguments["values"] {
  if (definition.args.length === 0) return () => noValues;
  return (variables) => Object.freeze({ ...getArgumentValues(definition, node, packageVariables(givenVariables(variables))) });
}

/** Fills in the variables, which are coerced already. Where one is missing, the package applies defaults, or refuses. */
function argumentReader(definition: Definition, node: FieldNode, { name: { value: name }, value }: ArgumentNode) {
  const byPackage = coercer(definition, node, (each) => each === name);
  const type = definition.args.find((each) => each.name === name)?.type;
  const template = type && argumentTemplate(type, value);
  if (template === undefined) return byPackage;
  const { variables: names, fill } = template;
  return (variables: Variables): Variables => (names.every((each) => isGiven(variables[each])) ? { [name]: fill(variables) } : byPackage(variables));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Coerces the arguments named by `chosen`; those that are null or not there are left out. */
function coercer(definition: Definition, node: FieldNode, chosen: (name: string) => boolean): (variables: Variables) => Variables {
  const part = { ...definition, args: definition.args.filter((each) => chosen(each.name)) };
  const partNode = { ...node, arguments: (node.arguments ?? []).filter((each) => chosen(each.name.value)) };
  return (variables) => {
    const values = Object.entries(getArgumentValues(part, partNode, packageVariables(variables)));
    return Object.fromEntries(values.filter(([, value]) => value !== null && value !== undefined));
  };
}

/** Arguments that name a node, or are a plugin's own, cut no list; only a filter of the generated kind is the kernel's to apply. */
export function onlyFilter(planned: PlannedArguments, definition: Definition, api: Api): PlannedArguments {
  const filter = definition.args.find((each) => each.name === "filter");
  const isFiltering = filter !== undefined && api.filters.has(getNamedType(filter.type).name);
  return Object.freeze({
    constant: planned.constant || !isFiltering,
    values: isFiltering ? (variables: Variables) => ({ filter: planned.values(variables).filter }) : () => noValues,
    get text() {
      return planned.text;
    },
  });
}
