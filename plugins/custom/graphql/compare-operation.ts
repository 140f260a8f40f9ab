// Compares an operation of the schema with the remote field that it calls.

import { type ArgumentNode, Kind, print, type TypeNode, type ValueNode } from "graphql";
import { isBatch } from "../directive/custom-use.ts";
import { batchProblem } from "../directive/remote-operation.ts";
import { fieldsOf } from "../directive/request-rules.ts";
import { expectedType, type Introspection } from "./expectation.ts";
import type { RemoteField, RemoteSchema, RemoteTypeRef } from "./remote-schema.ts";

export function compareOperation(each: Introspection, schema: RemoteSchema): readonly string[] {
  const { definition, field } = each.operation;
  const kind = definition.operation;
  const rootName = kind === "mutation" ? schema.mutation : schema.query;
  if (rootName === undefined) return [`remote schema doesn't have any ${kind === "mutation" ? "mutations" : "queries"}.`];
  const name = field?.name.value ?? "";
  const root = schema.types.get(rootName);
  if (!root) return [`remote schema doesn't have any type named ${rootName}.`];
  const remote = root.fields.get(name);
  if (!remote) return [`${kind} \`${name}\` is not present in remote schema.`];
  const expected = expectedType(each.use, each.use.field);
  if (remote.type.text !== expected) {
    return [`found return type mismatch for ${kind} \`${name}\`, expected \`${expected}\`, got \`${remote.type.text}\`.`];
  }
  const call = { kind, name, schema };
  return isBatch(each.use) ? compareBatch(each, remote, call) : compareArguments(each, remote, call);
}

interface Call {
  readonly kind: string;
  readonly name: string;
  readonly schema: RemoteSchema;
}

const batchForm = "`[{param1: $var1, param2: $var2, ...}]`";

function compareBatch({ operation }: Introspection, { args }: RemoteField, { kind, name }: Call): readonly string[] {
  const [only, ...more] = [...args];
  if (!only || more.length > 0) {
    return [`remote ${kind} \`${name}\` accepts ${args.size} arguments, It must have only one argument of the form ${batchForm} for BATCH mode.`];
  }
  const [argument, type] = only;
  const problem = batchProblem(operation);
  if (type.list && type.kind === "INPUT_OBJECT") return problem === undefined ? [] : [problem];
  return [`argument \`${argument}\` for given ${kind} \`${name}\` must be of the form ${batchForm} for BATCH mode in remote ${kind}.`];
}

function compareArguments(each: Introspection, remote: RemoteField, call: Call): readonly string[] {
  const given = each.operation.field?.arguments ?? [];
  return compareValues(given, { accepted: remote.args, each, call });
}

interface Accepted {
  readonly accepted: ReadonlyMap<string, RemoteTypeRef>;
  readonly each: Introspection;
  readonly call: Call;
}

type Named = Pick<ArgumentNode, "name" | "value">;

function compareValues(given: readonly Named[], { accepted, each, call }: Accepted): readonly string[] {
  const { kind, name } = call;
  const problems = given.flatMap((argument) => {
    const type = accepted.get(argument.name.value);
    if (!type) return [`argument \`${argument.name.value}\` is not present in remote ${kind} \`${name}\`.`];
    return compareValue(argument.value, { argument: argument.name.value, type, each, call });
  });
  const missing = [...accepted].filter(([key, type]) => type.nonNull && !given.some((argument) => argument.name.value === key));
  return [...problems, ...missing.map(([key]) => `argument \`${key}\` in ${kind} \`${name}\` is missing, it is required by remote ${kind}.`)];
}

interface Place {
  readonly argument: string;
  readonly type: RemoteTypeRef;
  readonly each: Introspection;
  readonly call: Call;
}

function compareValue(value: ValueNode, place: Place): readonly string[] {
  const { argument, type, call } = place;
  const where = `argument \`${argument}\` in ${call.kind} \`${call.name}\``;
  switch (value.kind) {
    case Kind.VARIABLE:
      return compareVariable(value.name.value, place);
    case Kind.OBJECT:
      if (type.list || type.kind !== "INPUT_OBJECT") return [`object value supplied for ${where}, but remote argument doesn't accept INPUT_OBJECT.`];
      return compareMembers(value.fields, place);
    case Kind.LIST:
      if (!type.list) return [`LIST value supplied for ${where}, but remote argument doesn't accept LIST.`];
      return compareItems(value.values, place);
    default:
      return [`scalar value supplied for ${where}, only Variable, Object, or List values are allowed.`];
  }
}

function compareItems(items: readonly ValueNode[], place: Place): readonly string[] {
  const { argument, type, call } = place;
  return items.flatMap((item) => {
    if (item.kind === Kind.OBJECT) return compareValue(item, { ...place, type: { ...type, list: false } });
    return [
      `argument \`${argument}\` in ${call.kind} \`${call.name}\` of List kind has non-object elements in remote ${call.kind}, Lists can have only INPUT_OBJECT as element.`,
    ];
  });
}

function compareMembers(members: readonly Named[], { type, each, call }: Place): readonly string[] {
  const remote = call.schema.types.get(type.name);
  const accepted = new Map([...(remote?.fields ?? [])].map(([name, field]) => [name, field.type]));
  return compareValues(members, { accepted, each, call });
}

function compareVariable(name: string, { type, each, call }: Place): readonly string[] {
  const local = typeOfVariable(each, name);
  if (!local) return [`variable $${name} is missing in given context.`];
  const expected = print(local);
  if (expected === type.text) return [];
  return [`found type mismatch for variable \`$${name}\` in ${call.kind} \`${call.name}\`, expected \`${expected}\`, got \`${type.text}\`.`];
}

/** The type of the argument or field that has the variable's name. */
function typeOfVariable({ use }: Introspection, name: string): TypeNode | undefined {
  const sources = use.type ? fieldsOf(use.definition) : (use.field.arguments ?? []);
  return sources.find((each) => each.name.value === name)?.type;
}
