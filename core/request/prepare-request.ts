// From a request's text to an operation that can run: parse, validate, choose, coerce. Everything that is known of a request before it
// is asked who sends it.

import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from "graphql";
import type { Limits } from "../ground/limits.ts";
import { checkCascadeVariables } from "../query/plan/cascade-variables.ts";
import { chooseOperation, isEmptyDocument, unknownOperation } from "./choose-operation.ts";
import { coerceVariables } from "./coerce-variables.ts";
import { assertNoIntrospection, withoutSuggestion } from "./hidden-schema.ts";
import { subscriptionText } from "./no-schema.ts";
import type { PreparedOperation } from "./operation.ts";
import { assertInputWithinLimits } from "./operation-limits.ts";
import { fromGraphQL, RequestRefusal } from "./refusal.ts";
import type { ActiveRequest } from "./request-context.ts";
import type { Stages } from "./stages.ts";

export interface Prepared {
  readonly document: DocumentNode;
  readonly operation: PreparedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Shorter ones are parsed, checked and planned in no time. */
const longDocument = 10_000;

/** Throws a `Refusal`. */
export function prepareRequest(context: ActiveRequest, stages: Stages, limits: Limits): Prepared {
  const { request, served, budget } = context;
  const { api } = served.deployment;
  const document = parsed(request.query, (text) => stages.parse(text));
  const isLong = request.query.length > longDocument;
  if (isLong) budget.spend(0);
  const definition = chosen(document, context, stages);
  const operation = served.documents.operation(document, definition);
  const coerced = coerceVariables(api.schema, operation.variables, request.variables ?? {});
  if ("errors" in coerced) throw invalidRequest(coerced.errors, context);
  const unknown = checkCascadeVariables(operation.cascadeVariables, coerced.values);
  if (unknown.length > 0) throw invalidRequest(unknown, context);
  if (operation.plan.kind === "mutation") assertInputWithinLimits(coerced.values, limits);
  // What is too much to plan is refused before anything runs.
  for (const { included, selection } of operation.plan.roots) if (included(coerced.values)) selection.select(coerced.values);
  if (isLong || operation.plan.kind === "mutation") budget.spend(0);
  return { document, operation, variables: coerced.values };
}

/** Throws a `Refusal` when there is nothing in `text`, or when it is no GraphQL. */
export function parsed(text: string, parse: (text: string) => DocumentNode): DocumentNode {
  if (isEmptyDocument(text)) throw unknownOperation("");
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new RequestRefusal([fromGraphQL(thrown)]);
    throw thrown;
  }
}

/** The operation to run, of a valid document. */
function chosen(document: DocumentNode, context: ActiveRequest, stages: Stages): OperationDefinitionNode {
  const { served, request } = context;
  const { schema } = served.deployment.api;
  if (context.hidesSchema) assertNoIntrospection(document);
  const subscribes = document.definitions.some((each) => each.kind === "OperationDefinition" && each.operation === "subscription");
  if (subscribes && !schema.getSubscriptionType()) throw new RequestRefusal([{ message: subscriptionText }]);
  const invalid = stages.validate(schema, document) ?? [];
  if (invalid.length > 0) throw invalidRequest(invalid, context);
  return chooseOperation(document, request.operationName);
}

function invalidRequest(found: readonly GraphQLError[], { hidesSchema }: ActiveRequest): RequestRefusal {
  const errors = found.map(fromGraphQL);
  return new RequestRefusal(hidesSchema ? errors.map(withoutSuggestion) : errors);
}
