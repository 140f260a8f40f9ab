// The types of the deployed API as the console shows them, read from its SDL.

import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
} from "graphql";

export type FieldKind = "id" | "scalar" | "enum" | "geo" | "link" | "file";

export interface Field {
  readonly name: string;
  /** As GraphQL writes it: `[String!]`. */
  readonly typeText: string;
  readonly kind: FieldKind;
  /** The name of the type without `!` and brackets. */
  readonly named: string;
  readonly isList: boolean;
  readonly values: readonly string[];
  /** A field that counts the nodes of a list. */
  readonly aggregate: string | undefined;
  /** The field of the other type that holds the same links. */
  readonly inverse: string | undefined;
  /** What a new node gets where the input has no value, as the schema writes it. */
  readonly byDefault: string | undefined;
  /** Its value names one node. */
  readonly isKey: boolean;
  readonly description: string | undefined;
  /** What a file may be. Undefined: the field holds no file. */
  readonly file: FileBounds | undefined;
}

/** `@file(maxBytes: 5000000, types: ["image/*"])`. Undefined: as the server has it. */
export interface FileBounds {
  readonly maxBytes?: number | undefined;
  readonly types?: readonly string[] | undefined;
}

export interface NodeType {
  readonly name: string;
  readonly isInterface: boolean;
  readonly fields: readonly Field[];
  /** Fields whose value names one node: the `ID!`, then keys. Empty: nothing identifies one of its nodes. */
  readonly keys: readonly Field[];
  /** The field that people would call it by. */
  readonly label: Field | undefined;
  readonly query: string;
  readonly aggregate: string | undefined;
  readonly add: { readonly field: string; readonly input: GraphQLInputObjectType } | undefined;
  readonly update: { readonly field: string; readonly patch: GraphQLInputObjectType } | undefined;
  readonly remove: string | undefined;
  readonly filter: GraphQLInputObjectType | undefined;
  readonly orderable: ReadonlySet<string>;
}

export interface ApiModel {
  readonly schema: GraphQLSchema;
  readonly types: readonly NodeType[];
  type(name: string): NodeType | undefined;
}

export function apiModel(sdl: string): ApiModel {
  const schema = buildSchema(sdl, { assumeValid: true, assumeValidSDL: true, noLocation: true });
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  const types = roots.flatMap((root) => nodeTypeOf(schema, root)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(types.map((type) => [type.name, type]));
  return { schema, types, type: (name) => byName.get(name) };
}

function nodeTypeOf(schema: GraphQLSchema, root: GraphQLField<unknown, unknown>): readonly NodeType[] {
  const type = getNamedType(root.type);
  const isNode = isObjectType(type) || isInterfaceType(type);
  if (!isNode || root.name !== `query${type.name}` || !isListType(getNullableType(root.type))) return [];
  const declared = Object.values(type.getFields()).flatMap((field) => fieldOf(type, field));
  const names = new Set(keysOf(schema, type.name, declared).map(({ name }) => name));
  const fields = declared.map((field) => (names.has(field.name) ? { ...field, isKey: true } : field));
  const keys = keysOf(schema, type.name, fields);
  return [
    {
      name: type.name,
      isInterface: isInterfaceType(type),
      fields: [...fields].sort((a, b) => rank(a, keys) - rank(b, keys)),
      keys,
      label: labelOf(fields, keys),
      query: root.name,
      aggregate: schema.getQueryType()?.getFields()[`aggregate${type.name}`]?.name,
      ...mutationsOf(schema, type.name),
      filter: inputNamed(argumentType(root, "filter")),
      orderable: orderableOf(root),
    },
  ];
}

/** What identifies comes first, links come last. */
function rank(field: Field, keys: readonly Field[]): number {
  if (field.kind === "id") return 0;
  if (keys.includes(field)) return 1;
  return field.kind === "link" ? 3 : 2;
}

function fieldOf(owner: GraphQLObjectType | GraphQLInterfaceType, field: GraphQLField<unknown, unknown>): readonly Field[] {
  if (field.args.some(isRequiredArgument) || isComputed(field)) return [];
  const named = getNamedType(field.type);
  const aggregated = owner.getFields()[`${field.name}Aggregate`];
  const of = {
    name: field.name,
    typeText: String(field.type),
    named: named.name,
    isList: isListType(getNullableType(field.type)),
    aggregate: aggregated === undefined ? undefined : aggregated.name,
    inverse: inverseOf(owner, field),
    byDefault: defaultOf(field),
    isKey: false,
    description: field.description ?? undefined,
    values: isEnumType(named) ? enumValues(named) : [],
    file: fileBounds(field),
  };
  if (of.file !== undefined) return [{ ...of, kind: "file" }];
  if (isEnumType(named)) return [{ ...of, kind: "enum" }];
  if (isScalarType(named)) return [{ ...of, kind: named.name === "ID" ? "id" : "scalar" }];
  if (geoSelections.has(named.name)) return [{ ...of, kind: "geo" }];
  if (named.name.endsWith("AggregateResult")) return [];
  return isObjectType(named) || isAbstractType(named) ? [{ ...of, kind: "link" }] : [];
}

/** One side declares it. An interface declares it for its types. */
function inverseOf(owner: GraphQLObjectType | GraphQLInterfaceType, field: GraphQLField<unknown, unknown>): string | undefined {
  const declared = declaredInverse(field);
  if (declared !== undefined) return declared;
  const target = getNamedType(field.type);
  if (!isObjectType(target) && !isInterfaceType(target)) return undefined;
  const owners = new Set([owner.name, ...owner.getInterfaces().map(({ name }) => name)]);
  return Object.values(target.getFields()).find((other) => declaredInverse(other) === field.name && owners.has(getNamedType(other.type).name))?.name;
}

function declaredInverse({ astNode }: GraphQLField<unknown, unknown>): string | undefined {
  const directive = astNode?.directives?.find(({ name }) => name.value === "hasInverse");
  const value = directive?.arguments?.find(({ name }) => name.value === "field")?.value;
  return value?.kind === "EnumValue" || value?.kind === "StringValue" ? value.value : undefined;
}

/** `@default(add: { value: "NEW" })` */
function defaultOf({ astNode }: GraphQLField<unknown, unknown>): string | undefined {
  const directive = astNode?.directives?.find(({ name }) => name.value === "default");
  const add = directive?.arguments?.find(({ name }) => name.value === "add")?.value;
  const value = add?.kind === "ObjectValue" ? add.fields.find(({ name }) => name.value === "value")?.value : undefined;
  return value?.kind === "StringValue" ? value.value : undefined;
}

/** A link to a type of the schema's own is none. */
function fileBounds({ astNode }: GraphQLField<unknown, unknown>): FileBounds | undefined {
  const directive = astNode?.directives?.find(({ name }) => name.value === "file");
  if (directive === undefined) return undefined;
  const argument = (named: string) => directive.arguments?.find(({ name }) => name.value === named)?.value;
  const [maxBytes, types] = [argument("maxBytes"), argument("types")];
  return {
    maxBytes: maxBytes?.kind === "IntValue" || maxBytes?.kind === "StringValue" ? Number(maxBytes.value) : undefined,
    types: types?.kind === "ListValue" ? types.values.flatMap((each) => (each.kind === "StringValue" ? [each.value.toLowerCase()] : [])) : undefined,
  };
}

/** Fields that call another server are not read for a whole table. */
function isComputed({ astNode }: GraphQLField<unknown, unknown>): boolean {
  return astNode?.directives?.some(({ name }) => name.value === "custom" || name.value === "lambda") ?? false;
}

export const geoSelections: ReadonlyMap<string, string> = new Map([
  ["Point", "{ longitude latitude }"],
  ["Polygon", "{ coordinates { points { longitude latitude } } }"],
  ["MultiPolygon", "{ polygons { coordinates { points { longitude latitude } } } }"],
]);

/** Fields that name one node alone: not those that do so together with others. */
function keysOf(schema: GraphQLSchema, type: string, fields: readonly Field[]): readonly Field[] {
  const parts = partsOfKeys(schema, type);
  const args = schema.getQueryType()?.getFields()[`get${type}`]?.args ?? [];
  const named = new Set(args.map(({ name }) => name).filter((name) => !parts.has(name)));
  const ids = fields.filter(({ kind }) => kind === "id");
  return [...ids, ...fields.filter(({ kind, name }) => kind === "scalar" && named.has(name))];
}

/** Fields of keys within others (`@id(within: [...])`), but for those that are keys of their own. */
function partsOfKeys(schema: GraphQLSchema, type: string): ReadonlySet<string> {
  const named = schema.getType(type);
  const declared = isObjectType(named) || isInterfaceType(named) ? Object.values(named.getFields()) : [];
  const scopes = new Map(declared.flatMap((field) => (isKey(field) ? [[field.name, scopeOf(field)] as const] : [])));
  const within = [...scopes].flatMap(([name, scope]) => (scope.length > 0 ? [name, ...scope] : []));
  return new Set(within.filter((name) => scopes.get(name)?.length !== 0));
}

function isKey({ astNode }: GraphQLField<unknown, unknown>): boolean {
  return astNode?.directives?.some(({ name }) => name.value === "id") ?? false;
}

function scopeOf({ astNode }: GraphQLField<unknown, unknown>): readonly string[] {
  const id = astNode?.directives?.find(({ name }) => name.value === "id");
  const within = id?.arguments?.find(({ name }) => name.value === "within")?.value;
  if (within?.kind === "StringValue") return [within.value];
  return within?.kind === "ListValue" ? within.values.flatMap((value) => (value.kind === "StringValue" ? [value.value] : [])) : [];
}

function labelOf(fields: readonly Field[], keys: readonly Field[]): Field | undefined {
  const single = fields.filter(({ kind, isList }) => kind === "scalar" && !isList);
  const known = ["name", "title", "label", "username", "email"].flatMap((name) => single.filter((field) => field.name === name));
  return known[0] ?? keys.find(({ kind }) => kind !== "id") ?? single.find(({ typeText }) => typeText === "String!");
}

function mutationsOf(schema: GraphQLSchema, type: string): Pick<NodeType, "add" | "update" | "remove"> {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const [add, update, remove] = [mutations[`add${type}`], mutations[`update${type}`], mutations[`delete${type}`]];
  const input = inputNamed(argumentType(add, "input"));
  const patch = inputNamed(inputNamed(argumentType(update, "input"))?.getFields().set?.type);
  return {
    add: add && input && { field: add.name, input },
    update: update && patch && { field: update.name, patch },
    remove: remove?.name,
  };
}

function argumentType(field: GraphQLField<unknown, unknown> | undefined, name: string) {
  return field?.args.find((argument) => argument.name === name)?.type;
}

function inputNamed(type: Parameters<typeof getNamedType>[0]): GraphQLInputObjectType | undefined {
  const named = getNamedType(type);
  return isInputObjectType(named) ? named : undefined;
}

function orderableOf(root: GraphQLField<unknown, unknown>): ReadonlySet<string> {
  const ascending = getNamedType(inputNamed(argumentType(root, "order"))?.getFields().asc?.type);
  return new Set(isEnumType(ascending) ? enumValues(ascending) : []);
}

function enumValues(type: GraphQLEnumType): readonly string[] {
  return type.getValues().map(({ name }) => name);
}
