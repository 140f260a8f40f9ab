// An argument that is a literal with variables in it, like `filter: { section: { eq: $section } }`: its constant parts are coerced once, and each request
// fills in its variables, which are coerced already.

import { type GraphQLInputType, getNullableType, isInputObjectType, isListType, isNonNullType, Kind, type ValueNode, valueFromAST } from "graphql";
import { defaultOf } from "../../schema/api/package-version.ts";
import type { Variables } from "../level/selection.ts";

export interface ArgumentTemplate {
  /** Only for requests that give each of these a value other than null: else a default applies, or the argument is refused. */
  readonly variables: readonly string[];
  readonly fill: (variables: Variables) => unknown;
}

/** Undefined: the literal is not valid for the type without more checks, which are the package's. */
export function argumentTemplate(type: GraphQLInputType, literal: ValueNode): ArgumentTemplate | undefined {
  const varying = new Set<ValueNode>();
  const variables = new Set<string>();
  findVariables(literal, varying, variables);
  const fill = fillOf(type, literal, varying);
  return fill && { variables: [...variables], fill };
}

type Fill = ArgumentTemplate["fill"];

/** @param varying all literals with variables in them */
function fillOf(type: GraphQLInputType, literal: ValueNode, varying: ReadonlySet<ValueNode>): Fill | undefined {
  if (literal.kind === Kind.VARIABLE) {
    const name = literal.name.value;
    return (variables) => variables[name];
  }
  if (!varying.has(literal)) {
    const constant = valueFromAST(literal, type);
    return constant === undefined ? undefined : () => constant;
  }
  return listFill(type, literal, varying) ?? objectFill(type, literal, varying);
}

/** A literal that is no list stands for a list of one. */
function listFill(type: GraphQLInputType, literal: ValueNode, varying: ReadonlySet<ValueNode>): Fill | undefined {
  const list = getNullableType(type);
  if (!isListType(list)) return undefined;
  const literals = literal.kind === Kind.LIST ? literal.values : [literal];
  const items = literals.flatMap((each) => fillOf(list.ofType, each, varying) ?? []);
  return items.length < literals.length ? undefined : (variables) => items.map((fill) => fill(variables));
}

/** Members are in the order of the type, as the package puts them. */
function objectFill(type: GraphQLInputType, literal: ValueNode, varying: ReadonlySet<ValueNode>): Fill | undefined {
  const input = getNullableType(type);
  // An object of which one member must be given is checked by the package.
  if (!isInputObjectType(input) || literal.kind !== Kind.OBJECT || input.isOneOf) return undefined;
  const given = new Map(literal.fields.map(({ name, value }) => [name.value, value]));
  const members: (readonly [string, Fill])[] = [];
  for (const field of Object.values(input.getFields())) {
    const value = given.get(field.name);
    if (value === undefined) {
      const byDefault = defaultOf(field);
      if (byDefault !== undefined) members.push([field.name, () => byDefault]);
      else if (isNonNullType(field.type)) return undefined;
      continue;
    }
    const fill = fillOf(field.type, value, varying);
    if (fill === undefined) return undefined;
    members.push([field.name, fill]);
  }
  return (variables) => {
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, fill] of members) object[name] = fill(variables);
    return object;
  };
}

/** Adds the literals that have variables in them, and the names of the variables. @returns whether this one has any */
function findVariables(literal: ValueNode, varying: Set<ValueNode>, names: Set<string>): boolean {
  let isVarying = literal.kind === Kind.VARIABLE;
  if (literal.kind === Kind.VARIABLE) names.add(literal.name.value);
  for (const part of partsOf(literal)) isVarying = findVariables(part, varying, names) || isVarying;
  if (isVarying) varying.add(literal);
  return isVarying;
}

export function usesVariables(literal: ValueNode): boolean {
  return literal.kind === Kind.VARIABLE || partsOf(literal).some(usesVariables);
}

function partsOf(literal: ValueNode): readonly ValueNode[] {
  if (literal.kind === Kind.LIST) return literal.values;
  return literal.kind === Kind.OBJECT ? literal.fields.map(({ value }) => value) : [];
}
