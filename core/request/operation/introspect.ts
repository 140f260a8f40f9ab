// Answers `__schema`, `__type` and `__typename` by the types and resolvers of introspection that `graphql` defines. Its executor would hold the event
// loop until it has everything: a large schema is megabytes of text, and a document may ask for it under a thousand names.

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from "graphql";
import { QuernError } from "../../ground/errors.ts";
import { bytesOf, type JsonText, LongTextWriter } from "../../ground/json/long-text.ts";
import type { Work } from "../../ground/work.ts";
import type { RootResult } from "../../query/operation-context.ts";
import { type CollectContext, type CollectedField, collectFields, fragmentsOf } from "../../query/plan/collect-fields.ts";
import { planGivenArguments } from "../../query/plan/plan-arguments.ts";
import { opening } from "../../query/plan/plan-parts.ts";
import { failureOf } from "../errors/faults.ts";
import type { RunningOperation } from "./running-operation.ts";

/** Adds the introspection fields at the root to the results, by key. */
export function* introspect(running: RunningOperation, results: Map<string, RootResult>): Work<void> {
  const { deployment, document, operation, variables } = running;
  const { schema } = deployment.api;
  const root = schema.getRootType(operation.definition.operation);
  if (!root) return;
  const context = { schema, fragments: fragmentsOf(document), variables };
  const fields = collectFields(context, root.name, [operation.definition]).filter(({ name }) => name.startsWith("__"));
  for (const field of fields) results.set(field.key, yield* rootResult(field, root, context, running));
}

function* rootResult(field: CollectedField, root: GraphQLObjectType, context: CollectContext, running: RunningOperation): Work<RootResult> {
  const { budget, errors } = running;
  // The only one of a mutation: it is there whatever the mutation's own answer is.
  if (field.name === "__typename") return { json: JSON.stringify(root.name), errors: [] };
  try {
    if (budget.overflow) throw budget.overflow;
    yield;
    return { json: yield* new IntrospectionWriter(context, root, running).write(field), errors: [] };
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    return { json: "null", errors: [failureOf(thrown, errors, [field.key])], propagates: true };
  }
}

/** Objects that are written in one step. */
const stepObjects = 32;

/** Writes one root field. */
class IntrospectionWriter {
  readonly #context: CollectContext;
  readonly #root: GraphQLObjectType;
  readonly #run: RunningOperation;
  readonly #text = new LongTextWriter();
  readonly #info: GraphQLResolveInfo;
  /** What a field selects, by the places in the document that ask for it: all objects of one field have the same type. */
  readonly #selected = new Map<readonly FieldNode[], readonly CollectedField[]>();
  readonly #arguments = new Map<FieldNode, Readonly<Record<string, unknown>>>();
  #objects = 0;
  #counted = 0;

  constructor(context: CollectContext, root: GraphQLObjectType, run: RunningOperation) {
    this.#context = context;
    this.#run = run;
    this.#info = resolveInfo(run, root);
    this.#root = root;
  }

  *write(field: CollectedField): Work<JsonText> {
    yield* this.#field(field, this.#root, undefined);
    const written = this.#text.text();
    this.#count(bytesOf(written));
    return written;
  }

  *#field(field: CollectedField, type: GraphQLObjectType, source: unknown): Work<void> {
    const definition = definitionOf(type, field.name);
    if (definition) yield* this.#value(definition.type, this.#resolve(definition, field.node, source), field.nodes);
    else this.#text.add(JSON.stringify(type.name));
  }

  #resolve(definition: GraphQLField<unknown, unknown>, node: FieldNode, source: unknown): unknown {
    const given = this.#arguments.get(node) ?? planGivenArguments(definition, node)(this.#run.variables);
    this.#arguments.set(node, given);
    return definition.resolve?.(source, given, undefined, this.#info);
  }

  *#value(type: GraphQLOutputType, value: unknown, nodes: readonly FieldNode[]): Work<void> {
    const inner = getNullableType(type);
    if (value === null || value === undefined) this.#text.add("null");
    else if (isListType(inner)) yield* this.#list(inner.ofType, value, nodes);
    else if (isObjectType(inner)) yield* this.#object(inner, value, nodes);
    else if (isLeafType(inner)) this.#leaf(inner, value);
  }

  *#list(type: GraphQLOutputType, value: unknown, nodes: readonly FieldNode[]): Work<void> {
    let before = "[";
    for (const element of isIterable(value) ? value : []) {
      this.#text.add(before);
      yield* this.#value(type, element, nodes);
      before = ",";
    }
    this.#text.add(before === "[" ? "[]" : "]");
  }

  *#object(type: GraphQLObjectType, source: unknown, nodes: readonly FieldNode[]): Work<void> {
    if (++this.#objects % stepObjects === 0) {
      this.#count(this.#text.bytes);
      yield;
    }
    const fields = this.#selected.get(nodes) ?? collectFields(this.#context, type.name, nodes);
    this.#selected.set(nodes, fields);
    for (const [i, field] of fields.entries()) {
      this.#text.add(opening(i, field.key));
      yield* this.#field(field, type, source);
    }
    this.#text.add("}");
  }

  #leaf(type: GraphQLLeafType, value: unknown): void {
    this.#text.add(JSON.stringify(type.serialize(value)));
  }

  /** @throws QuernError LIMIT_REACHED when the answer is too long */
  #count(bytes: number): void {
    this.#run.budget.answered(bytes - this.#counted);
    this.#counted = bytes;
  }
}

/** Undefined: `__typename`. */
function definitionOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return type.getFields()[name];
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** The resolvers of introspection read the schema of it only. */
function resolveInfo({ deployment, operation: { definition }, variables }: RunningOperation, parentType: GraphQLObjectType): GraphQLResolveInfo {
  return {
    fieldName: "",
    fieldNodes: [],
    returnType: parentType,
    parentType,
    path: { prev: undefined, key: "", typename: parentType.name },
    schema: deployment.api.schema,
    fragments: {},
    rootValue: undefined,
    operation: definition,
    variableValues: { ...variables },
  };
}
