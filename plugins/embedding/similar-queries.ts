// `querySimilar<T>ByEmbedding` and `querySimilar<T>ById`. The nearest are chosen first; filter and access rules then leave some of them out.

import {
  type Batch,
  type ExecuteAnswer,
  type Field,
  type FindRequest,
  type Nearest,
  type NodeType,
  parseUid,
  QuernError,
  type RootAnswer,
  type RootContext,
  type RootField,
  type Vector,
  vectorOf,
} from "../../core/plugin.ts";
import { distanceName, type EmbeddedType, type Embedding, searchArguments } from "./embeddings.ts";
import { embeddingOf, nearestOf, vectorArgument } from "./nearest-of.ts";

const noNodes: RootAnswer = { nodes: [] };

export function similarQueries(embedded: EmbeddedType): readonly RootField[] {
  return [...byId(embedded), byEmbedding(embedded)];
}

function byEmbedding(embedded: EmbeddedType): RootField {
  const { type, enumName } = embedded;
  const { by, topK, vector } = searchArguments(enumName);
  return {
    operation: "query",
    signature: `querySimilar${type.name}ByEmbedding(${by} ${topK} ${vector} ${commonArguments(embedded)}): [${type.name}]`,
    type,
    run: (context) => similar(embedded, embeddingOf(embedded, context.arguments), vectorArgument(context.arguments.vector), context),
  };
}

function commonArguments({ type, enumName }: EmbeddedType): string {
  const { ef, threshold } = searchArguments(enumName);
  return `${ef} ${threshold} "Leaves only objects that satisfy it, of those that were found." filter: ${type.name}Filter`;
}

/** A type without ID and key has no such query. */
function byId(embedded: EmbeddedType): readonly RootField[] {
  const { type, enumName } = embedded;
  const names: readonly Field[] = [...(type.idField ? [type.idField] : []), ...type.keys.map((key) => key.field)];
  if (names.length === 0) return [];
  const required = names.length === 1 ? "!" : "";
  const keys = names.map((field) => `"Names the object whose vector is searched for." ${field.name}: ${field.type.name}${required}`).join(" ");
  const { by, topK } = searchArguments(enumName);
  return [
    {
      operation: "query",
      signature: `querySimilar${type.name}ById(${keys} ${by} ${topK} ${commonArguments(embedded)}): [${type.name}]`,
      type,
      run: async (context) => {
        const embedding = embeddingOf(embedded, context.arguments);
        const empty = names.find(({ name }) => context.arguments[name] === null);
        if (empty) return unreadable(type, context, `Argument (${empty.name})`);
        const given = names.filter(({ name }) => context.arguments[name] !== undefined);
        const vector = given.length === 0 ? undefined : await vectorOfNode({ type, embedding, given }, context);
        return vector ? similar(embedded, embedding, vector, context) : noNodes;
      },
    },
  ];
}

/** Dgraph's text. */
function unreadable(type: NodeType, { selection: { key } }: RootContext, what: string): RootAnswer {
  const message = `couldn't rewrite query ${key} because ${what} of querySimilar${type.name}ById was not able to be parsed as a string`;
  return { nodes: [], errors: [{ message, path: [key] }] };
}

async function similar({ type, distance }: EmbeddedType, embedding: Embedding, vector: Vector, context: RootContext): Promise<RootAnswer> {
  const field = embedding.field();
  if (!embedding.search.index)
    throw new QuernError("VALUE_INVALID", `Predicate ${field.stored} is not indexed`, {
      hint: `Add @search(by: ["hnsw"]) to ${type.name}.${field.name}, or use query${type.name}(near:), which needs no index.`,
    });
  const nearest = nearestOf(embedding, vector, context.arguments);
  if (nearest.count < 1) return noNodes;
  const types = type.members.map(({ stored }) => stored);
  const found = await search({ types, nearest, fields: [] }, context);
  if (!found) return noNodes;
  const { uids, distances = [] } = found;
  return { nodes: uids, discloses: field, values: distance && { [distanceName]: distances } };
}

/**
 * The nodes nearest of all, also of hidden ones; undefined where the caller sees no vector and all have another length: an error would show that
 * there are hidden ones.
 */
async function search(request: FindRequest & { readonly nearest: Nearest }, { snapshot, visible }: RootContext): Promise<Batch | undefined> {
  try {
    return await snapshot.find(request);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code !== "VALUE_INVALID") throw thrown;
    const seen = await visible();
    const where = { kind: "has", field: request.nearest.field } as const;
    const { uids } = await seen.find({ types: request.types, where, page: { first: 1 }, fields: [] });
    if (uids.length > 0) throw thrown;
    return undefined;
  }
}

interface Source {
  readonly type: NodeType;
  readonly embedding: Embedding;
  /** The keys that the query names. */
  readonly given: readonly Field[];
}

/** The vector of the one object that the keys name, as the caller sees it: rules may hide the object or its vector. */
async function vectorOfNode({ type, embedding, given }: Source, { arguments: values, execute }: RootContext): Promise<Vector | undefined> {
  for (const { role, name } of given) if (role === "id") assertId(type, String(values[name]));
  const declared = given.map((field) => `$${field.name}: ${field.type.name}${given.length === 1 ? "!" : ""}`).join(", ");
  const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
  const answer = await execute({
    query: `query (${declared}) { get${type.name}(${passed}) { vector: ${embedding.name} } }`,
    variables: Object.fromEntries(given.map(({ name }) => [name, values[name]])),
  });
  const [error] = answer.errors;
  if (error) throw new QuernError("OPERATION_FAILED", error.message);
  return vectorIn(answer, `get${type.name}`);
}

function assertId(type: NodeType, text: string): void {
  if (parseUid(text) !== undefined) return;
  const query = `querySimilar${type.name}ById`;
  throw new QuernError("VALUE_INVALID", `couldn't rewrite query ${query} because ID argument (${text}) of ${query} was not able to be parsed`);
}

function vectorIn({ data }: ExecuteAnswer, query: string): Vector | undefined {
  const node = data?.[query];
  const vector: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "vector") : undefined;
  return Array.isArray(vector) ? vectorOf(vector.map(Number)) : undefined;
}
