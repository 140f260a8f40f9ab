// The shape of import lines, derived from the generated API, so that it is the same for a store and for a remote server.

import {
  type GraphQLInputField,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from "graphql";
import { didYouMean, QuernError } from "../../../core/index.ts";
import { isPartOfKey } from "../../../core/server.ts";

/** The objects of one type, as `add<T>` takes them. */
export interface ImportShape {
  readonly type: string;
  /** The `@id` field that identifies a line's node; undefined if the type has none. */
  readonly key: string | undefined;
  /** The query that finds existing nodes of lines; undefined if the API has none. */
  readonly lookUp: LookUp | undefined;
  readonly input: InputShape;
}

export interface InputShape {
  readonly name: string;
  /** Links by field name. */
  readonly links: ReadonlyMap<string, LinkShape>;
  /** Fields that an object must have. */
  readonly required: ReadonlySet<string>;
}

export interface LinkShape {
  readonly list: boolean;
  readonly required: boolean;
  /** The member of a reference that a bare string or number stands for; undefined if there is none. */
  readonly key: string | undefined;
  /** The query that finds existing keys; undefined if the API has none, or if an unknown key creates a new node. */
  readonly lookUp: LookUp | undefined;
  /** The shape of a nested object. A function, because types refer to each other in cycles. */
  readonly input: () => InputShape;
}

/** `query ($keys: <keyList>) { <query>(filter: { <key>: { in: $keys } }) { <key> } }` */
export interface LookUp {
  readonly query: string;
  readonly key: string;
  readonly keyList: string;
}

/** The shape of lines of `type`. Errors: `CONFIG_INVALID` for a type that cannot be added. */
export function importShape(schema: GraphQLSchema, type: string): ImportShape {
  const field = schema.getMutationType()?.getFields()[`add${type}`];
  const input = field?.args.find((argument) => argument.name === "input");
  if (field === undefined || input === undefined) {
    const types = Object.keys(schema.getMutationType()?.getFields() ?? {}).flatMap((name) => (/^add[A-Z_]/.test(name) ? [name.slice(3)] : []));
    throw new QuernError(
      "CONFIG_INVALID",
      `--type ${type}: the schema has no mutation add${type}${didYouMean(type, types) || `; types are ${types.join(", ")}.`}`,
    );
  }
  const upserts = field.args.some((argument) => argument.name === "upsert");
  const key = upserts ? keyOf(schema, type, "own") : undefined;
  return { type, key, lookUp: lookUpOf(schema, type, key), input: inputShape(schema, getNamedType(input.type), new Map()) };
}

function lookUpOf(schema: GraphQLSchema, type: string, key: string | undefined): LookUp | undefined {
  const filter = schema.getType(`${type}Filter`);
  const operators = isInputObjectType(filter) && key !== undefined ? getNamedType(filter.getFields()[key]?.type) : undefined;
  const keyList = isInputObjectType(operators) ? operators.getFields().in?.type.toString() : undefined;
  const query = `query${type}`;
  const asked = schema.getQueryType()?.getFields()[query] !== undefined;
  return key === undefined || keyList === undefined || !asked ? undefined : { query, key, keyList };
}

/** Whether a reference to an unknown key creates a node: the type requires no other field. */
function isCreatedByKey(schema: GraphQLSchema, type: string, key: string | undefined): boolean {
  const input = schema.getType(`Add${type}Input`);
  return isInputObjectType(input) && Object.values(input.getFields()).every((field) => !isRequiredInputField(field) || field.name === key);
}

/** One shape per input type. */
function inputShape(schema: GraphQLSchema, type: GraphQLNamedInputType, known: Map<string, InputShape>): InputShape {
  const before = known.get(type.name);
  if (before !== undefined) return before;
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const links = fields.flatMap((field) => {
    const link = linkShape(schema, field, known);
    return link === undefined ? [] : [[field.name, link] as const];
  });
  const shape = { name: type.name, links: new Map(links), required: new Set(fields.filter(isRequiredInputField).map((field) => field.name)) };
  known.set(type.name, shape);
  return shape;
}

function linkShape(schema: GraphQLSchema, field: GraphQLInputField, known: Map<string, InputShape>): LinkShape | undefined {
  const target = getNamedType(field.type);
  if (!isInputObjectType(target) || !target.name.endsWith("Ref")) return undefined;
  const node = target.name.slice(0, -"Ref".length);
  const bare = isNonNullType(field.type) ? field.type.ofType : field.type;
  const named = keyOf(schema, node, "any");
  const key = named !== undefined && named in target.getFields() ? named : undefined;
  return {
    list: isListType(bare),
    required: isRequiredInputField(field),
    key,
    lookUp: isCreatedByKey(schema, node, key) ? undefined : lookUpOf(schema, node, key),
    input: () => inputShape(schema, target, known),
  };
}

/** The arguments of `get<T>` identify a node: `@id` fields, or the ID if there are none. */
function keyOf(schema: GraphQLSchema, type: string, which: "own" | "any"): string | undefined {
  const names = (schema.getQueryType()?.getFields()[`get${type}`]?.args ?? []).filter((argument) => !isPartOfKey(argument));
  const isId = (argument: (typeof names)[number]) => getNamedType(argument.type).name === "ID";
  const own = names.find((argument) => !isId(argument));
  return (which === "own" ? own : (own ?? names[0]))?.name;
}
