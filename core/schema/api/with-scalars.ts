// Replaces the scalars of a schema that the `graphql` package built: it only knows its own `ID`, `Int` and `Float`.

import {
  GraphQLDirective,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLSchema,
  GraphQLUnionType,
  isInputObjectType,
  isInputType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isOutputType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  isUnionType,
} from "graphql";
import type { Work } from "../../ground/work.ts";
import { scalars } from "./scalars/index.ts";
import { untypedScalar } from "./scalars/untyped.ts";

/** A copy of `schema` with the kernel's scalars. Input fields are never deprecated, even if they carry `@deprecated`. */
export function* withScalars(schema: GraphQLSchema): Work<GraphQLSchema> {
  const config = schema.toConfig();
  const copies = new Copies();
  for (const type of config.types) {
    // A schema asks all of its types for their fields, in one step: these have them then.
    if (!isIntrospectionType(type)) resolveFields(copies.of(type));
    yield;
  }
  return new GraphQLSchema({
    ...config,
    types: config.types.filter((type) => !isIntrospectionType(type)).map((type) => copies.of(type)),
    query: config.query && copies.ofObject(config.query),
    mutation: config.mutation && copies.ofObject(config.mutation),
    subscription: config.subscription && copies.ofObject(config.subscription),
    directives: config.directives.map((directive) => (isSpecifiedDirective(directive) ? directive : copies.ofDirective(directive))),
  });
}

function resolveFields(type: GraphQLNamedType): void {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) type.getFields();
}

/** Creates one copy of each type. References are copied lazily, because types may refer to each other. */
class Copies {
  readonly #objects = new Map<string, GraphQLObjectType>();
  readonly #interfaces = new Map<string, GraphQLInterfaceType>();
  readonly #inputs = new Map<string, GraphQLInputObjectType>();
  readonly #unions = new Map<string, GraphQLUnionType>();
  readonly #untyped = new Map<string, GraphQLScalarType>();

  of(type: GraphQLNamedType): GraphQLNamedType {
    if (isObjectType(type)) return this.ofObject(type);
    if (isInterfaceType(type)) return this.#ofInterface(type);
    if (isInputObjectType(type)) return kept(this.#inputs, type.name, () => this.#copyInput(type));
    if (isUnionType(type)) return kept(this.#unions, type.name, () => this.#copyUnion(type));
    return scalars.get(type.name) ?? (isOfPlugin(type) ? kept(this.#untyped, type.name, () => untypedScalar(type)) : type);
  }

  ofObject(type: GraphQLObjectType): GraphQLObjectType {
    return kept(this.#objects, type.name, () => {
      const config = type.toConfig();
      return new GraphQLObjectType({
        ...config,
        interfaces: () => config.interfaces.map((each) => this.#ofInterface(each)),
        fields: () => this.#fields(config.fields),
      });
    });
  }

  ofDirective(directive: GraphQLDirective): GraphQLDirective {
    const config = directive.toConfig();
    return new GraphQLDirective({ ...config, args: this.#arguments(config.args) });
  }

  #ofInterface(type: GraphQLInterfaceType): GraphQLInterfaceType {
    return kept(this.#interfaces, type.name, () => {
      const config = type.toConfig();
      return new GraphQLInterfaceType({
        ...config,
        interfaces: () => config.interfaces.map((each) => this.#ofInterface(each)),
        fields: () => this.#fields(config.fields),
      });
    });
  }

  #copyInput(type: GraphQLInputObjectType): GraphQLInputObjectType {
    const config = type.toConfig();
    const fields = () => mapped(config.fields, (field) => ({ ...field, type: this.#input(field.type), deprecationReason: undefined }));
    return new GraphQLInputObjectType({ ...config, fields });
  }

  #copyUnion(type: GraphQLUnionType): GraphQLUnionType {
    const config = type.toConfig();
    return new GraphQLUnionType({ ...config, types: () => config.types.map((each) => this.ofObject(each)) });
  }

  #fields(fields: Fields): Fields {
    return mapped(fields, (field) => ({ ...field, type: this.#output(field.type), args: this.#arguments(field.args ?? {}) }));
  }

  #arguments(given: GraphQLFieldConfigArgumentMap): GraphQLFieldConfigArgumentMap {
    return mapped(given, (argument) => ({ ...argument, type: this.#input(argument.type) }));
  }

  #output(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#output(type.ofType));
    if (isListType(type)) return new GraphQLList(this.#output(type.ofType));
    const copy = this.of(type);
    return isOutputType(copy) ? copy : type;
  }

  #input(type: GraphQLInputType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#input(type.ofType));
    if (isListType(type)) return new GraphQLList(this.#input(type.ofType));
    const copy = this.of(type);
    return isInputType(copy) ? copy : type;
  }
}

function isOfPlugin(type: GraphQLNamedType): type is GraphQLScalarType {
  return isScalarType(type) && !isSpecifiedScalarType(type);
}

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

function kept<T>(made: Map<string, T>, name: string, make: () => T): T {
  const copy = made.get(name) ?? make();
  made.set(name, copy);
  return copy;
}

function mapped<T>(members: Readonly<Record<string, T>>, change: (member: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}
