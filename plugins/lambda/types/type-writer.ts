// TypeScript types of GraphQL types, as functions of the application meet them.

import {
  type FieldDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  Kind,
  parseType,
  type TypeNode,
} from "graphql";
import type { ValueField, ValueKind } from "../../../core/plugin.ts";

const kinds: Readonly<Record<ValueKind, string>> = {
  string: "string",
  int: "number",
  int64: "number | bigint",
  float: "number",
  boolean: "boolean",
  dateTime: "string",
  geo: "{ readonly type: string; readonly coordinates: readonly unknown[] }",
  password: "never",
  vector: "readonly number[]",
};

/** As arguments are coerced. */
const scalars: Readonly<Record<string, string>> = {
  ID: "string",
  String: "string",
  DateTime: "string",
  Int: "number",
  Float: "number",
  Boolean: "boolean",
  Int64: "bigint",
};
/** As results are accepted: the answer converts between them. */
const results: Readonly<Record<string, string>> = {
  ...scalars,
  ID: "string | number",
  String: "string | number | boolean",
  Int64: "number | bigint | string",
  DateTime: "string | Date",
};

export class TypeWriter {
  readonly #schema: GraphQLSchema;
  readonly #jsonKeys: ReadonlyMap<string, string>;
  readonly #declared = new Map<string, string>();

  /** @param jsonKeys the key of a field in a result, where it is not the field's name, by `Type.field` */
  constructor(schema: GraphQLSchema, jsonKeys: ReadonlyMap<string, string>) {
    this.#schema = schema;
    this.#jsonKeys = jsonKeys;
  }

  /** The declarations of all types that were named so far, sorted. */
  declarations(): readonly string[] {
    return [...this.#declared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => `export type ${name} = ${text};`);
  }

  argumentsOf({ arguments: args = [] }: FieldDefinitionNode): string {
    const members = args.map(({ name, type, defaultValue }) => {
      const isGiven = type.kind === Kind.NON_NULL_TYPE || defaultValue !== undefined;
      return `readonly ${name.value}${isGiven ? "" : "?"}: ${this.#wrapped(type, (named) => this.#input(named))}`;
    });
    return members.length === 0 ? "Readonly<Record<never, never>>" : `{ ${members.join("; ")} }`;
  }

  /** What a function returns for a field of this type. */
  output(type: TypeNode): string {
    return this.#wrapped(type, (named) => this.#output(named));
  }

  /** An input object as a client sent it. */
  sent(name: string): string {
    return this.#input(name);
  }

  /** A stored value. */
  stored({ kind, type }: ValueField): string {
    return type.list ? `readonly (${kinds[kind]})[]` : kinds[kind];
  }

  #wrapped(type: TypeNode, write: (named: string) => string): string {
    if (type.kind === Kind.NON_NULL_TYPE) return this.#nonNull(type.type, write);
    return `${this.#nonNull(type, write)} | null`;
  }

  #nonNull(type: TypeNode, write: (named: string) => string): string {
    if (type.kind === Kind.NON_NULL_TYPE) return this.#nonNull(type.type, write);
    return type.kind === Kind.LIST_TYPE ? `readonly (${this.#wrapped(type.type, write)})[]` : write(type.name.value);
  }

  #input(name: string): string {
    const type = this.#schema.getType(name);
    if (isInputObjectType(type)) return this.#declare(name, () => this.#inputObject(type));
    return isEnumType(type) ? this.#enum(type) : (scalars[name] ?? "unknown");
  }

  #inputObject(type: GraphQLInputObjectType): string {
    const members = Object.values(type.getFields()).map(({ name, type: of }) => {
      return `readonly ${name}${isNonNullType(of) ? "" : "?"}: ${this.#wrapped(nodeOf(of), (named) => this.#input(named))}`;
    });
    return `{ ${members.join("; ")} }`;
  }

  #output(name: string): string {
    const type = this.#schema.getType(name);
    if (isEnumType(type)) return this.#enum(type);
    if (isObjectType(type) || isAbstractType(type)) return this.#declare(`${name}Result`, () => this.#object(type));
    return results[name] ?? "unknown";
  }

  /** Members may be missing: the client may not select them. */
  #object(type: GraphQLNamedType): string {
    if (!("getFields" in type) || isInputObjectType(type)) return "{ readonly __typename: string; readonly [field: string]: unknown }";
    const members = Object.values(type.getFields()).map(({ name, type: of }) => {
      const key = this.#jsonKeys.get(`${type.name}.${name}`) ?? name;
      return `readonly ${JSON.stringify(key)}?: ${this.#wrapped(nodeOf(of), (named) => this.#output(named))}`;
    });
    return `{ readonly __typename?: string; ${members.join("; ")} }`;
  }

  #enum(type: { getValues(): readonly { readonly name: string }[] }): string {
    return type
      .getValues()
      .map(({ name }) => JSON.stringify(name))
      .join(" | ");
  }

  /** Declared before it is written, since types may refer to themselves. */
  #declare(name: string, write: () => string): string {
    if (!this.#declared.has(name)) {
      this.#declared.set(name, "unknown");
      this.#declared.set(name, write());
    }
    return name;
  }
}

function nodeOf(type: GraphQLType): TypeNode {
  return parseType(String(type));
}
