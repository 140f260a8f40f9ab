// From a request's text to an operation that can run: parse, validate, choose, plan, coerce. None of it depends on the caller.

import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from "graphql";
import type { Limits } from "../ground/limits.ts";
import { checkCascadeVariables } from "../query/plan/cascade-variables.ts";
import { chooseOperation, isEmptyDocument, unknownOperation } from "./choose-operation.ts";
import { coerceVariables } from "./coerce-variables.ts";
import { assertNoIntrospection, withoutSuggestion } from "./hidden-schema.ts";
import { subscriptionText } from "./no-schema.ts";
import { assertVariablesWithinLimits } from "./operation-limits.ts";
import { fromGraphQL, RequestRefusal } from "./refusal.ts";
import type { ActiveRequest } from "./request-context.ts";
import type { PreparedRequest } from "./running-operation.ts";
import type { Stages } from "./stages.ts";

/** Characters from which a document's preparation is worth a look at the clock. */
const longDocument = 10_000;

/** @throws RequestRefusal or QuernError, before anything runs */
export function prepareRequest(context: ActiveRequest, stages: Stages, limits: Limits): PreparedRequest {
  const { request, schema, budget } = context;
  const { api } = schema.deployment;
  const document = parsed(request.query, (text) => stages.parse(text));
  const isLong = request.query.length > longDocument;
  if (isLong) budget.spend(0);
  const definition = chosen(document, context, stages);
  const operation = schema.documents.operation(document, definition);
  assertVariablesWithinLimits(operation, request.variables ?? {}, limits);
  const coerced = coerceVariables(api.schema, operation.variables, request.variables ?? {});
  if ("errors" in coerced) throw invalidRequest(coerced.errors, context);
  const unknown = checkCascadeVariables(operation.cascadeVariables, coerced.values);
  if (unknown.length > 0) throw invalidRequest(unknown, context);
  // Selections that exceed the limits of a plan refuse the request before anything runs.
  for (const { included, selection } of operation.plan.roots) if (included(coerced.values)) selection.select(coerced.values);
  if (isLong || operation.plan.kind === "mutation") budget.spend(0);
  return { document, operation, variables: coerced.values, given: request.variables ?? {} };
}

/** @throws QuernError for an empty `text`, RequestRefusal for a syntax error */
export function parsed(text: string, parse: (text: string) => DocumentNode): DocumentNode {
  if (isEmptyDocument(text)) throw unknownOperation("");
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof GraphQLError) throw new RequestRefusal([fromGraphQL(thrown)]);
    throw thrown;
  }
}

/** Validates the document and chooses the operation to run. */
function chosen(document: DocumentNode, context: ActiveRequest, stages: Stages): OperationDefinitionNode {
  const { request } = context;
  const { schema } = context.schema.deployment.api;
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
