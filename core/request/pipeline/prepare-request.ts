// From a request's text to an operation that can run: parse, validate, choose, plan, coerce. None of it depends on the caller.

import { type DocumentNode, GraphQLError, type OperationDefinitionNode } from "graphql";
import { holdsMoreThan } from "../../ground/holds-more-than.ts";
import type { Limits } from "../../ground/limits.ts";
import { nextTurn } from "../../ground/turns.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, runAtOnce, type Turns, type Work, wait } from "../../ground/work.ts";
import { notInTransaction } from "../../mutation/transaction/root-transaction.ts";
import type { FailedField } from "../../query/operation-context.ts";
import { checkCascadeVariables } from "../../query/plan/cascade-variables.ts";
import type { OperationPlan } from "../../query/plan/plan.ts";
import type { GraphQLRequest } from "../caller/request.ts";
import { chooseOperation, isEmptyDocument, unknownOperation } from "../documents/choose-operation.ts";
import type { Documents } from "../documents/documents.ts";
import { introspectionRefused, withoutSuggestion } from "../documents/hidden-schema.ts";
import { assertVariablesWithinLimits } from "../documents/operation-limits.ts";
import { fromGraphQL, RequestRefusal } from "../errors/refusal.ts";
import { subscriptionText } from "../operation/no-schema.ts";
import type { ActiveRequest } from "../operation/request-context.ts";
import type { PreparedRequest } from "../operation/running-operation.ts";
import type { Stages } from "../operation/stages.ts";
import { coerceVariables } from "../variables/coerce-variables.ts";
import { inputReaders } from "../variables/input-reader.ts";
import { failedVariable } from "../variables/variable-places.ts";

/** Characters from which a document is prepared in several turns. */
const longDocument = 10_000;
/** The same of one that is not valid for certain: to compare fields of one name takes a time that grows with their square. */
const longNewDocument = 1_000;

/** Whether a document that is not known takes long for certain. */
export function isLongWhenNew({ query }: Pick<GraphQLRequest, "query">): boolean {
  return query.length > longNewDocument;
}

/** @throws QuernError or RequestRefusal, before anything runs; or rejects with one */
export function prepareRequest(context: ActiveRequest, stages: Stages, limits: Limits): MaybePromise<PreparedRequest> {
  return run(prepare(context, stages, limits), oneTurn);
}

function* prepare(context: ActiveRequest, stages: Stages, limits: Limits): Work<PreparedRequest> {
  const work = choose(context, stages);
  const chosen = isLong(context) ? yield* wait(run(work, turnsOf(context))) : runAtOnce(work);
  const prepared = withVariables(chosen, context, limits);
  const left = selectionsToPlan(prepared);
  if (left.length > 0) yield* wait(run(oneAfterTheOther(left), turnsOf(context)));
  if (holdsMoreThan(manyMembers, prepared.variables)) yield context.budget.turn();
  if (chosen.operation.plan.kind === "mutation") context.budget.spend(0);
  return prepared;
}

/** Each step of a document that others have sent before takes no time. */
function* choose(context: ActiveRequest, stages: Stages): Work<PlannedRequest> {
  const { documents } = context.schema;
  if (isLong(context)) {
    yield turnsOf(context).turn();
    // Its clock begins with the turn.
    yield;
  }
  const document = parsed(context.request.query, (text) => stages.parse(text));
  yield;
  if (context.hidesSchema) assertNoIntrospection(document, documents);
  if (!documents.isKnownValid(document)) yield* documents.errorsOf(document);
  const definition = chosenOf(document, context, stages);
  yield;
  const operation = documents.known(document, definition) ?? (yield* documents.operation(document, definition));
  return { document, operation };
}

/** A short document is prepared without a pause. */
const oneTurn: Turns = { isTurnOver: false, turn: nextTurn };

function isLong({ request: { query }, schema }: ActiveRequest): boolean {
  return query.length > longDocument || (query.length > longNewDocument && !schema.documents.isValidated(query));
}

/** Few requests with new documents are prepared at the same time: they wait for no others meanwhile. */
function turnsOf({ budget, prepared }: ActiveRequest): Turns {
  return prepared === undefined ? budget : budget.whilePreparing();
}

type PlannedRequest = Pick<PreparedRequest, "document" | "operation">;

function withVariables({ document, operation }: PlannedRequest, context: ActiveRequest, limits: Limits): PreparedRequest {
  const given = context.request.variables ?? {};
  assertVariablesWithinLimits(operation, given, limits);
  const coerced = coerceVariables(inputReaders.of(context.schema.deployment), operation.variables, given);
  if ("errors" in coerced)
    throw refusalOf(
      coerced.errors.map((error) => failedVariable(error, operation.definition)),
      context,
    );
  const unknown = checkCascadeVariables(operation.cascadeVariables, coerced.values);
  if (unknown.length > 0) throw invalidRequest(unknown, context);
  refuseOthersInTransaction(operation.plan);
  return { document, operation, variables: coerced.values, given };
}

/** Plans what the root fields select. Selections that exceed the limits of a plan refuse the request before anything runs. */
function selectionsToPlan({ operation, variables }: PreparedRequest): readonly Work<unknown>[] {
  return operation.plan.roots.flatMap(({ included, selection }) => (included(variables) ? (selection.plan(variables) ?? []) : []));
}

function* oneAfterTheOther(works: readonly Work<unknown>[]): Work<void> {
  for (const work of works) yield* work;
}

/** Members of variables from which on the operation begins in a turn of its own: to coerce them has taken one. */
const manyMembers = 2_000;

/** A field that a plugin answers does its work elsewhere, where a transaction cannot undo it. */
function refuseOthersInTransaction({ atomic, roots }: OperationPlan): void {
  if (!atomic) return;
  const errors = roots.flatMap(({ field, operation, location }) => {
    if (operation.kind !== "plugin") return [];
    return [{ message: notInTransaction(field), locations: [location] }];
  });
  if (errors.length > 0) throw new RequestRefusal(errors);
}

/** @throws QuernError for an empty `text`, RequestRefusal for a syntax error */
export function parsed(text: string, parse: (text: string) => DocumentNode): DocumentNode {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof GraphQLError && isEmptyDocument(text)) throw unknownOperation("");
    if (thrown instanceof GraphQLError) throw new RequestRefusal([fromGraphQL(thrown)]);
    throw thrown;
  }
}

/** Validates the document and chooses the operation to run. */
function chosenOf(document: DocumentNode, context: ActiveRequest, stages: Stages): OperationDefinitionNode {
  const { request } = context;
  const { schema } = context.schema.deployment.api;
  const subscribes = document.definitions.some((each) => each.kind === "OperationDefinition" && each.operation === "subscription");
  if (subscribes && !schema.getSubscriptionType()) throw new RequestRefusal([{ message: subscriptionText }]);
  const invalid = stages.validate(schema, document) ?? [];
  if (invalid.length > 0) throw invalidRequest(invalid, context);
  return chooseOperation(document, request.operationName);
}

function assertNoIntrospection(document: DocumentNode, documents: Documents): void {
  const field = documents.introspectingField(document);
  if (field) throw introspectionRefused(field);
}

function invalidRequest(found: readonly GraphQLError[], context: ActiveRequest): RequestRefusal {
  return refusalOf(found.map(fromGraphQL), context);
}

function refusalOf(errors: readonly FailedField[], { hidesSchema }: ActiveRequest): RequestRefusal {
  return new RequestRefusal(hidesSchema ? errors.map(withoutSuggestion) : errors);
}
