// `@embedding`: the field holds a vector, and objects can be found by how near their vectors are to another one.

import { type DirectivePlugin, type NearestArgument, type NearestIndex, QuernError } from "../../core/plugin.ts";
import { distanceName, type EmbeddedType, type Embedding, readEmbeddings } from "./embeddings.ts";
import { checkLengths } from "./lengths.ts";
import { embeddingOf, nearestOf, vectorArgument } from "./nearest-of.ts";
import { similarQueries } from "./similar-queries.ts";

/** `@embedding`: vectors and similarity queries. */
export function embeddingPlugin(): DirectivePlugin {
  return {
    name: "embedding",
    // `@id` gives the keys of similarity queries, `@generate` decides which types have them.
    follows: ["identity", "storage-names", "generate"],
    definitions: `
      "The list of numbers is a vector: objects can be searched by nearness."
      directive @embedding on FIELD_DEFINITION
    `,
    model(context) {
      const { types, fields, problems } = readEmbeddings(context);
      if (types.length === 0) return undefined;
      return {
        layout: () => ({ indexes: indexesOf(fields) }),
        api: () => ({
          definitions: types.flatMap((type) => type.definitions).join("\n\n"),
          roots: types.flatMap(similarQueries),
          nearest: types.flatMap(nearArguments),
          computed: types.flatMap(({ distance }) =>
            distance ? [{ field: distance(), needs: [], compute: (parents) => parents.map(() => null) }] : [],
          ),
          deprecated: Object.fromEntries(types.flatMap((type) => type.deprecated)),
        }),
        // A document with such options is valid, and cannot be deployed: Dgraph finds them when it builds the index.
        open: (why) => {
          const [first] = problems;
          if (first !== undefined && why !== "validate") throw new QuernError("SCHEMA_INVALID", first.message, { errors: problems });
        },
        check: (changes) => checkLengths(fields, changes),
      };
    },
  };
}

// The indexes of embeddings: one for each stored field, for all types that have it.

function indexesOf(embeddings: readonly Embedding[]): readonly NearestIndex[] {
  const indexes = embeddings.flatMap(({ field, search }): readonly NearestIndex[] => {
    const { stored } = field();
    return search.index ? [{ name: `${stored}/hnsw`, field: stored, by: "nearest", metric: search.metric, ...search.index }] : [];
  });
  return [...new Map(indexes.map((index) => [index.name, index])).values()];
}

// `query<T>(near: {by, vector, topK})`: the nearest among the objects that pass the filter and that the caller may see.

function nearArguments(embedded: EmbeddedType): readonly NearestArgument[] {
  const { type, nearName, distance } = embedded;
  if (!type.allows("query")) return [];
  return [
    {
      type,
      signature: `"Finds the objects nearest to a vector." near: ${nearName}`,
      nearest: (operand) => {
        const given = isRecord(operand) ? operand : {};
        return nearestOf(embeddingOf(embedded, given), vectorArgument(given.vector), given);
      },
      ...(distance && { distance: distanceName }),
    },
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
