// `@embedding`: the field holds a vector, and objects can be found by how near their vectors are to another one.

import { type DirectivePlugin, QuernError } from "../../core/plugin.ts";
import { readEmbeddings } from "./embeddings.ts";
import { indexesOf } from "./indexes.ts";
import { checkLengths } from "./lengths.ts";
import { nearArguments } from "./near-argument.ts";
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
