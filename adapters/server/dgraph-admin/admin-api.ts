// The GraphQL API of administrators: the fixed one, and the fields that plugins have claimed.

import { extendSchema, type GraphQLSchema, parse } from "graphql";
import { LRUCache } from "lru-cache";
import { QuernError } from "../../../core/index.ts";
import { aclMutations, aclQueries } from "./acl-fields.ts";
import type { AdminFields } from "./field.ts";
import { adminSchema } from "./schema.ts";
import { schemaFields } from "./schema-fields.ts";
import { serverMutations, serverQueries } from "./server-fields.ts";
import { taskMutations, taskQueries } from "./task-fields.ts";

export interface AdminApi {
  /** Built when it is read first, unless plugins claim fields, which are checked at the start. */
  readonly schema: GraphQLSchema;
  readonly queries: AdminFields;
  readonly mutations: AdminFields;
}

/** What plugins add to the API. */
export interface ClaimedFields {
  readonly definitions: readonly string[];
  readonly queries: AdminFields;
  readonly mutations: AdminFields;
}

export const nothingClaimed: ClaimedFields = { definitions: [], queries: {}, mutations: {} };

const ownQueries: AdminFields = { ...schemaFields, ...serverQueries, ...taskQueries };
const ownMutations: AdminFields = { ...schemaFields, ...serverMutations, ...taskMutations };

/** Whether the server answers the field itself, so that a plugin cannot claim it. */
export function isOwnField(operation: "query" | "mutation", name: string): boolean {
  return Object.hasOwn(operation === "query" ? ownQueries : ownMutations, name);
}

/** By the definitions of plugins. A process may open several kernels with the same plugins: quern dev opens one for each changed configuration. */
const schemas = new LRUCache<string, GraphQLSchema>({ max: 8 });

/** @throws QuernError `CONFIG_INVALID` when definitions do not fit the schema, or a field has none */
export function adminApi({ definitions, queries, mutations }: ClaimedFields): AdminApi {
  const names = { Query: Object.keys(queries), Mutation: Object.keys(mutations) };
  if (definitions.length + names.Query.length + names.Mutation.length > 0) {
    assertDefined(names.Query, "Query", schemaWith(definitions));
    assertDefined(names.Mutation, "Mutation", schemaWith(definitions));
  }
  return {
    get schema() {
      return schemaWith(definitions);
    },
    queries: { ...ownQueries, ...aclQueries, ...queries },
    mutations: { ...ownMutations, ...aclMutations, ...mutations },
  };
}

function schemaWith(definitions: readonly string[]): GraphQLSchema {
  const key = definitions.join("\n");
  const schema = schemas.get(key) ?? definitions.reduce(extended, adminSchema());
  schemas.set(key, schema);
  return schema;
}

function extended(schema: GraphQLSchema, definitions: string): GraphQLSchema {
  try {
    return extendSchema(schema, parse(definitions));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new QuernError("CONFIG_INVALID", `Definitions of a plugin do not fit the admin API: ${reason}`, { cause: thrown });
  }
}

function assertDefined(names: readonly string[], type: "Query" | "Mutation", schema: GraphQLSchema): void {
  const fields = (type === "Query" ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {};
  const missing = names.find((name) => !Object.hasOwn(fields, name));
  if (missing === undefined) return;
  throw new QuernError(
    "CONFIG_INVALID",
    `A plugin answers ${type}.${missing} of the admin API, and defines no such field; add it to admin.definitions.`,
  );
}
