// Runs one GraphQL request of the admin API. The `graphql` package parses, validates and completes it; tables provide the fields.

import { randomUUID } from "node:crypto";
import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isListType,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { type GraphQLAnswer, type GraphQLRequest, isStackOverflow, QuernError, type ResponseError, tooDeep, writeJson } from "../../../core/index.ts";
import type { AdminFieldCall } from "../../../core/plugin.ts";
import {
  chooseOperation,
  coerceVariables,
  type FailedField,
  InputReaders,
  internalError,
  isEmptyDocument,
  operationsOf,
  subscriptionText,
  unknownOperation,
  worded,
  writeEnvelope,
} from "../../../core/server.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import { mutationText } from "../access/deed-texts.ts";
import { styleOf } from "../http/refusal.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import type { AdminApi } from "./admin-api.ts";
import { type AdminArguments, type AdminField, FailedWithData } from "./field.ts";

export interface AdminCall {
  readonly api: AdminApi;
  readonly server: ServerParts;
  readonly request: GraphQLRequest;
  readonly http: Omit<HttpRequest, "body">;
  /** Why every field is refused to the caller; undefined: none is. */
  readonly refusal: string | undefined;
}

/** The state that the fields of one request share. */
interface Run extends AdminCall {
  /** Mutations that did not run because an earlier one failed. */
  readonly skipped: Set<string>;
  /** Errors of fields that have a value all the same. */
  readonly reported: GraphQLError[];
  failed: boolean;
}

/** Never rejects: errors are part of the answer. */
export async function runAdmin(call: AdminCall): Promise<GraphQLAnswer> {
  try {
    const { document, operation, variables } = prepare(call);
    if (call.refusal === undefined) await call.request.admitted?.();
    return await run(call, document, operation, variables);
  } catch (thrown) {
    return refusal(worded(refusedWith(thrown, call.server), styleOf(call.server.kernel)));
  }
}

function refusedWith(thrown: unknown, { kernel }: Pick<ServerParts, "kernel">): readonly FailedField[] {
  if (thrown instanceof Refused) return thrown.errors;
  if (isStackOverflow(thrown)) return refusedWith(tooDeep(), { kernel });
  if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return [{ code: thrown.code, message: thrown.message }];
  kernel.log.fault(thrown);
  return [{ ...internalError, compatible: "Internal error" }];
}

/** A request that is refused as a whole. */
class Refused {
  readonly errors: readonly FailedField[];
  constructor(errors: readonly GraphQLError[]) {
    this.errors = errors.map(({ message, locations }) => ({ code: "REQUEST_INVALID", message, ...(locations ? { locations } : {}) }));
  }
}

function prepare({ api, server, request }: AdminCall) {
  const document = parsed(request.query, server.kernel.limits.maxDocumentTokens);
  if (operationsOf(document).some(({ operation }) => operation === "subscription")) throw new QuernError("REQUEST_INVALID", subscriptionText);
  const invalid = validate(api.schema, document);
  if (invalid.length > 0) throw new Refused(invalid);
  const operation = chooseOperation(document, request.operationName);
  const coerced = coerceVariables(new InputReaders(api.schema), operation.variableDefinitions ?? [], request.variables ?? {});
  if ("errors" in coerced) throw new Refused(coerced.errors);
  return { document, operation, variables: coerced.values };
}

function parsed(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (thrown) {
    if (thrown instanceof GraphQLError && isEmptyDocument(text)) throw unknownOperation("");
    throw thrown instanceof GraphQLError ? new Refused([thrown]) : thrown;
  }
}

async function run(
  call: AdminCall,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Promise<GraphQLAnswer> {
  const isMutation = operation.operation === "mutation";
  const shared: Run = { ...call, skipped: new Set(), reported: [], failed: false };
  const { schema } = call.api;
  const { data, errors = [] } = await execute({
    schema,
    document,
    rootValue: isMutation ? serially(shared) : guarded("query", shared),
    variableValues: { ...call.request.variables, ...variables },
    operationName: operation.name?.value,
  });
  const absent = new Set(errors.flatMap((error) => (isAbsent(error) ? [String(error.path?.[0])] : [])));
  const emptied = new Set(errors.flatMap((error) => (isList(error, schema) ? [String(error.path?.[0])] : [])));
  const shown = Object.entries(data ?? {})
    .filter(([key]) => !shared.skipped.has(key) && !absent.has(key))
    .map(([key, value]) => [key, value === null && emptied.has(key) ? [] : value]);
  const body = writeEnvelope({
    errors: worded(
      [...errors, ...shared.reported].map((error) => failureOf(error, call.server)),
      styleOf(call.server.kernel),
    ),
    data: shown.length === 0 && absent.size > 0 ? undefined : writeJson(Object.fromEntries(shown)),
    extensions: isMutation ? { requestID: randomUUID() } : undefined,
  });
  return { body, touched: 0, maxAgeSeconds: undefined, requestErrors: false, kind: isMutation ? "mutation" : "query" };
}

/** A resolver has left its field out of `data`. */
function isAbsent({ originalError, path = [] }: GraphQLError): boolean {
  return path.length === 1 && originalError instanceof WordedError && originalError.isAbsent;
}

/** The error of a root field of `Query` that is a list: clients get an empty one. */
function isList({ path = [], nodes: [node] = [] }: GraphQLError, schema: GraphQLSchema): boolean {
  if (path.length !== 1 || node?.kind !== "Field") return false;
  const type = schema.getQueryType()?.getFields()[node.name.value]?.type;
  return type !== undefined && isListType(type);
}

type Resolver = (args: AdminArguments, context: unknown, info: GraphQLResolveInfo) => Promise<unknown>;

/** Wraps the fields as resolvers of the `graphql` package. */
function guarded(operation: "query" | "mutation", run: Run): Readonly<Record<string, Resolver>> {
  const fields = operation === "query" ? run.api.queries : run.api.mutations;
  const resolver =
    (name: string, field: AdminField): Resolver =>
    async (args, _context, info) => {
      if (run.refusal !== undefined) throw new QuernError("REQUEST_REFUSED", run.refusal);
      await run.server.access?.administer({ name }, run.http);
      try {
        return await (operation === "query"
          ? field(args, run.server, run.http, isNotNoted)
          : noted(name, (describe) => field(args, run.server, run.http, describe), { args, run }));
      } catch (thrown) {
        // With a path of its own, `graphql` would take it for an error that has a place in the answer already.
        if (thrown instanceof QuernError && thrown.path) throw new WordedError(thrown);
        if (!(thrown instanceof FailedWithData)) throw thrown;
        run.failed = true;
        run.reported.push(new GraphQLError(thrown.message, { nodes: info.fieldNodes, originalError: thrown }));
        return thrown.data;
      }
    };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, resolver(name, field)]));
}

interface NotedField {
  readonly args: AdminArguments;
  readonly run: Run;
}

function noted<T>(
  name: string,
  work: (describe: AdminFieldCall["describe"]) => T | Promise<T>,
  { args, run: { server, http } }: NotedField,
): Promise<T> {
  // Read when the work has ended.
  const deed = { action: name, what: mutationText(name, args) };
  const describe = (what: string): void => {
    deed.what = what;
  };
  return server.deeds.during(http, deed, () => work(describe));
}

function isNotNoted(): void {}

/** One after the other; after a failure the rest do not run. */
function serially(run: Run): Readonly<Record<string, Resolver>> {
  const stopping =
    (resolve: Resolver): Resolver =>
    async (args, context, info) => {
      const key = String(info.path.key);
      if (run.failed) {
        run.skipped.add(key);
        throw new NotExecuted(`Mutation ${key} was not executed because of a previous error.`);
      }
      try {
        return await resolve(args, context, info);
      } catch (thrown) {
        run.failed = true;
        throw thrown;
      }
    };
  return Object.fromEntries(Object.entries(guarded("mutation", run)).map(([name, resolve]) => [name, stopping(resolve)]));
}

class NotExecuted extends Error {}

/** An error that is shown as it is, at the place of its field. */
class WordedError extends Error {
  readonly isAbsent: boolean;
  readonly reason: QuernError;

  constructor(reason: QuernError) {
    super(reason.message);
    this.isAbsent = reason.details.absent === true;
    this.reason = reason;
  }
}

/** Dgraph's text is `resolving <field> failed because <reason>`, by the field's name and not its alias. */
function failureOf(error: GraphQLError, server: ServerParts): FailedField {
  const { originalError: thrown, nodes, locations = [], path = [] } = error;
  if (thrown === undefined) return { code: "FIELD_FAILED", message: error.message, locations, path };
  if (thrown instanceof NotExecuted) return { code: "NOT_EXECUTED", message: error.message, locations, path };
  if (thrown instanceof WordedError) {
    const { code, message, compatible = message } = thrown.reason;
    return { code, message, compatible, path };
  }
  const known = thrown instanceof QuernError && thrown.code !== "INTERNAL";
  if (!known) server.kernel.log.fault(thrown);
  const [node] = nodes ?? [];
  const field = node?.kind === "Field" ? node.name.value : path.join(".");
  const because = (reason: string) => `resolving ${field} failed because ${reason}`;
  if (!known) return { ...internalError, compatible: because("Internal error"), locations };
  const { code, message, compatible = message } = thrown;
  const extensions = shownExtensions(thrown);
  return { code, message, compatible: because(compatible), locations, ...(Object.keys(extensions).length > 0 && { extensions }) };
}

function refusal(errors: readonly ResponseError[]): GraphQLAnswer {
  const body = writeEnvelope({ errors, data: undefined, extensions: undefined });
  return { body, touched: 0, maxAgeSeconds: undefined, requestErrors: true, kind: undefined };
}

function shownExtensions({ details: { extensions } }: QuernError): Readonly<Record<string, unknown>> {
  return typeof extensions === "object" && extensions !== null ? { ...extensions } : {};
}
