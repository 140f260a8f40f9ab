// Answers while nothing is deployed.

import {
  buildSchema,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
} from "graphql";
import type { ErrorStyle } from "../../ground/error-style.ts";
import type { ResponseError } from "../../query/operation-context.ts";
import type { ErrorView } from "../errors/faults.ts";

/** Rules that need no field's type. */
const rules = [NoUnusedVariablesRule, KnownFragmentNamesRule, NoFragmentCyclesRule];
/** Built when it is asked for: a server with a schema needs none. */
let emptySchema: GraphQLSchema | undefined;

/** The error of a subscription to an API that has none. */
export const subscriptionText = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";

/** The errors of a request that comes before any schema. There is no data at all. */
export function noSchemaErrors(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { debug, errors = "plain" }: NoSchemaView,
): readonly ResponseError[] {
  const invalid = validate(schemaOfNothing(), document, rules);
  if (invalid.length > 0) return invalid.map((each) => ({ message: each.message, locations: each.locations ?? [] }));
  if (operation.operation === "subscription") return [{ message: subscriptionText }];
  const keys = [...keysOf(operation, document)];
  const extensions = extensionsFor({ debug, errors });
  const notResolved = (key: string): ResponseError => ({ message: notResolving(key, errors), ...(extensions && { extensions }) });
  if (operation.operation === "query") return keys.map(notResolved);
  return keys.map((key, i) =>
    i === 0 ? notResolved(key) : { message: `Mutation ${key} was not executed because of a previous error.`, path: [key] },
  );
}

function schemaOfNothing(): GraphQLSchema {
  emptySchema ??= buildSchema("type Query { none: Boolean }");
  return emptySchema;
}

/** The names that the answer would have. Each fragment is looked into once, however often it is spread. */
function keysOf(operation: OperationDefinitionNode, document: DocumentNode): ReadonlySet<string> {
  const fragments = new Map(document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])));
  const keys = new Set<string>();
  const look = ({ selections }: SelectionSetNode) => {
    for (const each of selections) {
      if (each.kind === Kind.FIELD) keys.add(each.alias?.value ?? each.name.value);
      else if (each.kind === Kind.INLINE_FRAGMENT) look(each.selectionSet);
      else {
        const fragment = fragments.get(each.name.value);
        fragments.delete(each.name.value);
        if (fragment !== undefined) look(fragment.selectionSet);
      }
    }
  };
  look(operation.selectionSet);
  return keys;
}

interface NoSchemaView extends Pick<ErrorView, "debug"> {
  /** Default: `"plain"`. */
  readonly errors?: ErrorStyle;
}

const code = "NO_SCHEMA";
const plainText = "No schema is deployed yet. Deploy one: quern deploy schema.graphql --url <url of this server>";

/** A message in the words of Dgraph comes without a code; in debug mode a hint says the same in words of Quern. */
function extensionsFor({ debug, errors }: Required<NoSchemaView>): ResponseError["extensions"] {
  if (errors === "plain") return { code };
  return debug ? { code, hint: plainText } : undefined;
}

function notResolving(key: string, errors: ErrorStyle): string {
  if (errors === "plain") return `${key}: ${plainText}`;
  return `Not resolving ${key}. There's no GraphQL schema in Dgraph. Use the /admin API to add a GraphQL schema`;
}
