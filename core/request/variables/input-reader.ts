// Reads values of input types as the `graphql` package does, for values that are right: compiled once a type, without paths and
// suggestions. A value that it cannot read is read again by the package, which writes the errors.
//
// 1,000 objects with 5 references each: 1.4 ms, `coerceInputValue` 21 ms (`test/bench/input.ts`).

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  type TypeNode,
  typeFromAST,
} from "graphql";
import { Fact } from "../../ground/facts.ts";
import { isObject } from "../../ground/is-object.ts";
import { isWellFormed } from "../../ground/values/well-formed.ts";
import { defaultOf } from "../../schema/api/package-version.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";

/** Thrown instead of any error: one object, no stack. */
const unreadable: unique symbol = Symbol("a value that does not fit its type");

type Reader = (value: unknown) => unknown;

/** Those of the input objects that are compiled already. */
type KnownReaders = Map<GraphQLInputObjectType, Reader>;

/** Coerces a value of `type`; throws `unreadable` when it does not fit. */
export function inputReader(type: GraphQLInputType, known: KnownReaders = new Map()): Reader {
  if (isNonNullType(type)) return required(inputReader(type.ofType, known));
  if (isListType(type)) return list(inputReader(type.ofType, known));
  if (isInputObjectType(type)) return objectReader(type, known);
  if (!isLeafType(type)) throw unreadable;
  return (value) => (value === null ? null : leaf(type.parseValue(wellFormed(value))));
}

function objectReader(type: GraphQLInputObjectType, known: KnownReaders): Reader {
  const reader = known.get(type) ?? object(type, known);
  known.set(type, reader);
  return reader;
}

/** The readers of one schema. */
export class InputReaders {
  readonly schema: GraphQLSchema;
  readonly #known: KnownReaders = new Map();
  /** They end with their documents. */
  readonly #ofNodes = new WeakMap<TypeNode, Reader>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
  }

  /** Of the type that a variable's definition spells. Undefined: it is no input type. */
  of(node: TypeNode): Reader | undefined {
    const known = this.#ofNodes.get(node);
    if (known) return known;
    const type = typeFromAST(this.schema, node);
    if (!isInputType(type)) return undefined;
    const reader = inputReader(type, this.#known);
    this.#ofNodes.set(node, reader);
    return reader;
  }
}

export const inputReaders = new Fact(({ api }: Pick<Deployment, "api" | "facts">) => new InputReaders(api.schema));

function wellFormed(value: unknown): unknown {
  if (!isWellFormed(value)) throw unreadable;
  return value;
}

function leaf(value: unknown): unknown {
  if (value === undefined) throw unreadable;
  return value;
}

function required(read: Reader): Reader {
  return (value) => {
    if (value === null) throw unreadable;
    return read(value);
  };
}

/** A value that is no list stands for a list of one. */
function list(read: Reader): Reader {
  return (value) => {
    if (value === null) return null;
    return Array.isArray(value) ? value.map(read) : [read(value)];
  };
}

interface Member {
  readonly name: string;
  readonly read: Reader;
  readonly isRequired: boolean;
  /** Called like something every object inherits: `constructor`. */
  readonly isObjectsOwn: boolean;
  readonly defaultValue: unknown;
}

/** Members are compiled at the first value, so that types may refer to each other. They come out in the order of the type. */
function object(type: GraphQLInputObjectType, known: KnownReaders): Reader {
  let members: readonly Member[] | undefined;
  return (value) => {
    if (value === null) return null;
    if (!isObject(value)) throw unreadable;
    members ??= membersOf(type, known);
    return readMembers(value, members);
  };
}

function readMembers(value: Readonly<Record<string, unknown>>, members: readonly Member[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  let found = 0;
  for (const member of members) {
    const given = member.isObjectsOwn && !Object.hasOwn(value, member.name) ? undefined : value[member.name];
    if (given !== undefined) {
      found++;
      result[member.name] = member.read(given);
    } else if (member.isRequired) throw unreadable;
    else if (member.defaultValue !== undefined) result[member.name] = member.defaultValue;
  }
  // Whatever else is there is unknown, or undefined.
  for (const _ in value) found--;
  if (found !== 0) throw unreadable;
  return result;
}

function membersOf(type: GraphQLInputObjectType, known: KnownReaders): readonly Member[] {
  return Object.values(type.getFields()).map((field) => {
    const { name, type: of } = field;
    const defaultValue = defaultOf(field);
    return {
      name,
      read: inputReader(of, known),
      isRequired: isNonNullType(of) && defaultValue === undefined,
      isObjectsOwn: name in Object.prototype,
      defaultValue,
    };
  });
}
