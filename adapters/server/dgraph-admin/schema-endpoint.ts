// `/admin/schema` deploys a schema or compares it with the deployed one; `/admin/schema/validate` validates its text.

import type { Unreachable } from "../../../core/index.ts";
import { type DeployComparison, QuernError } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { deployText } from "../access/deed-texts.ts";
import { adminBody } from "../http/admin-body.ts";
import { adminErrors, done, openAnswer, plainAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { type DeployOptionsAsked, deployOptionsIn } from "./deploy-options.ts";
import { progressLines } from "./progress-lines.ts";
import { errorEntries, refusalText, refusedExtensions, styleOf, validationEntry } from "./schema-errors.ts";

export async function deployEndpoint(server: ServerParts, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  if (!server.kernel.ready) return openAnswer(adminErrors("Error", deployFailed("Unavailable: Server not ready.")));
  const refusal = await actionRefusal(server, request, { action: { name: "updateGQLSchema" }, code: "Error", textOf: deployFailed });
  if (refusal !== undefined) return refusal;
  const options = deployOptionsIn(request.url);
  if (typeof options === "string") return openAnswer(adminErrors("ErrorInvalidRequest", options), 400);
  if (!options.progress) return openAnswer(await noted(server, request, { body, options }));
  return progressLines((report) => noted(server, request, { body, options, report }), { keepAliveMs: server.kernel.limits.liveKeepAliveMs });
}

interface AskedDeploy {
  readonly body: string;
  readonly options: DeployOptionsAsked;
  readonly report?: (step: MigrationStep) => void;
}

async function noted(server: ServerParts, request: HttpRequest, { body, options, report }: AskedDeploy): Promise<object> {
  const answer = await deployAnswer(server, body, options, report);
  const outcome = "errors" in answer ? "failed" : "done";
  if (!options.dryRun) await server.deeds.note(request, { action: "updateGQLSchema", what: deployText(body), outcome });
  return answer;
}

/** Never rejects. */
async function deployAnswer(
  server: ServerParts,
  schema: string,
  { dryRun, details }: DeployOptionsAsked,
  progress: (step: MigrationStep) => void = () => {},
): Promise<object> {
  try {
    if (dryRun) return dryRunAnswer(await server.kernel.compare(schema));
    const unreachable: Unreachable[] = [];
    const warnings: string[] = [];
    const report = { onUnreachable: (each: Unreachable) => void unreachable.push(each), onWarning: (each: string) => void warnings.push(each) };
    await server.kernel.deploy(schema, { progress, ...report });
    return details ? { data: { ...done.data, unreachable, ...(warnings.length > 0 && { warnings }) } } : done;
  } catch (thrown) {
    if (details) return { errors: errorDetails(thrown, server) };
    const message = deployFailed(refusedDeploy(thrown, server));
    return { errors: [{ message, extensions: { code: "Error", ...refusedExtensions(thrown, styleOf(server)) } }] };
  }
}

function dryRunAnswer(comparison: DeployComparison): object {
  return { data: { code: "Success", message: "Nothing was changed", ...comparison } };
}

function errorDetails(thrown: unknown, server: ServerParts): readonly object[] {
  if (isForCallers(thrown)) return errorEntries(thrown);
  server.kernel.log.fault(thrown);
  return [{ message: "Internal error", extensions: { code: "INTERNAL" } }];
}

function isForCallers(thrown: unknown): thrown is QuernError {
  return thrown instanceof QuernError && thrown.code !== "INTERNAL";
}

export async function validateEndpoint(server: ServerParts, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return plainAnswer(adminErrors(body.code, body.message), body.status);
  const errors = await server.kernel.validate(body);
  if (errors.length === 0) return plainAnswer({ errors: [{ message: "Schema is valid", extensions: { code: "success" } }] });
  const style = styleOf(server);
  return plainAnswer({ errors: errors.map((error) => validationEntry(error, style)) }, 400);
}

/** The message of a refused deploy. The location is fixed: Dgraph reports that of its internal GraphQL request. */
export function deployFailed(reason: string): string {
  return `resolving updateGQLSchema failed because ${reason} (Locations: [{Line: 3, Column: 4}])`;
}

/** Why a deploy was refused, one error a line. Internal faults are logged and not shown. */
export function refusedDeploy(thrown: unknown, server: ServerParts): string {
  if (!isForCallers(thrown)) {
    server.kernel.log.fault(thrown);
    return "Internal error";
  }
  return refusalText(thrown, styleOf(server));
}
