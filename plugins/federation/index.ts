// Apollo Federation, versions 1 and 2: the schema is a subgraph that gateways compose with others.

import type { DirectivePlugin, FieldFilter, Hooks, Predicate, ValueField } from "../../core/plugin.ts";
import { compoundKeys, readEntities } from "./entity-keys.ts";
import { allDefinitions, definitionsFor } from "./federation-definitions.ts";
import { recordOwnership } from "./ownership.ts";
import { entitiesField, entityDefinitions, serviceDefinitions, serviceField } from "./root-fields.ts";
import { version1Problems } from "./rules-of-version-1.ts";
import { version2Problems } from "./rules-of-version-2.ts";
import { dialectOf } from "./schema/dialect.ts";
import type { ServedApi } from "./sdl/served-definitions.ts";
import { serviceSdl } from "./service-sdl.ts";

/** Apollo Federation, versions 1 and 2: the server is a subgraph. */
export function federationPlugin(): DirectivePlugin {
  return {
    name: "federation",
    // Keys must be known.
    follows: ["identity"],
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: allDefinitions,
    definitionsFor,
    model(context): Hooks | undefined {
      const dialect = dialectOf(context.document);
      if (!dialect) return undefined;
      const federation = { dialect, context };
      const problems = dialect.version === 1 ? version1Problems(federation) : version2Problems(federation);
      for (const { message, at, hint } of problems) context.report(message, at, hint);
      const { foreign, givenIds } = recordOwnership(federation);
      const entities = readEntities(federation);
      let served: ServedApi | undefined;
      let text: string | undefined;
      const service = serviceField(() => {
        if (!served) throw new TypeError("The schema is not compiled yet.");
        text ??= serviceSdl(served, { ...federation, foreign, model: context.model });
        return text;
      });
      const isType = (name: string) => served?.schema.getType(name) !== undefined;
      return {
        layout: () => ({ keys: compoundKeys(entities) }),
        api: () => ({
          definitions: [serviceDefinitions, ...(entities.length > 0 ? [entityDefinitions(entities)] : [])].join("\n"),
          filters: givenIds.map(idFilter),
          roots: [...(entities.length > 0 ? [entitiesField(entities, isType)] : []), service],
        }),
        compile: ({ schema, sdl }) => {
          served = { schema, sdl };
        },
      };
    },
  };
}

/** Filters by IDs, as nodes of this service are filtered by theirs. */
function idFilter(field: ValueField): FieldFilter {
  const predicate = (operand: unknown): Predicate | undefined => {
    const ids = Array.isArray(operand) ? operand.filter((id) => typeof id === "string") : [];
    return Array.isArray(operand) ? { kind: "compare", field: field.stored, op: "in", operands: ids } : undefined;
  };
  return { field, input: "[ID!]", predicate };
}
