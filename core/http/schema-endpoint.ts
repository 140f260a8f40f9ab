// `/admin/schema` deploys a schema, or with `?dryRun=true` says what that would change; `/admin/schema/validate` looks at the text alone.

import type { HttpRequest, HttpResponse } from "../contracts/transport.ts";
import type { DeployComparison } from "../deploy/compare-deployment.ts";
import { withoutPlace } from "../deploy/problems.ts";
import { QuernError } from "../errors.ts";
import { adminBody } from "./admin-body.ts";
import type { HttpContext } from "./context.ts";
import { adminErrors, done, openAnswer, plainAnswer } from "./respond.ts";
import { queryOf } from "./url.ts";

export async function deployEndpoint(context: HttpContext, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, context.limits);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  if (!context.ready) return openAnswer(adminErrors("Error", deployFailed("Unavailable: Server not ready.")));
  const dryRun = new URLSearchParams(queryOf(request.url)).get("dryRun") ?? "false";
  // Whoever asked for no change must not cause one by a slip.
  if (dryRun !== "true" && dryRun !== "false") return openAnswer(adminErrors("ErrorInvalidRequest", "dryRun is true or false."), 400);
  try {
    if (dryRun === "true") return openAnswer(dryRunAnswer(await context.compare(body)));
    await context.deploy(body);
    return openAnswer(done);
  } catch (thrown) {
    return openAnswer(adminErrors("Error", deployFailed(refusedDeploy(thrown, context))));
  }
}

function dryRunAnswer(comparison: DeployComparison): object {
  return { data: { code: "Success", message: "Nothing was changed", ...comparison } };
}

export async function validateEndpoint(context: HttpContext, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, context.limits);
  if (typeof body !== "string") return plainAnswer(adminErrors(body.code, body.message), body.status);
  const errors = await context.validate(body);
  if (errors.length === 0) return plainAnswer({ errors: [{ message: "Schema is valid", extensions: { code: "success" } }] });
  return plainAnswer(adminErrors("ErrorInvalidRequest", ...errors.map(schemaErrorText)), 400);
}

/** The text of a refused deploy. The place stands for a request that clients of this path never see. */
export function deployFailed(reason: string): string {
  return `resolving updateGQLSchema failed because ${reason} (Locations: [{Line: 3, Column: 4}])`;
}

/** Why a deploy was refused, as far as the caller may know: every mistake in the text on a line of its own. */
export function refusedDeploy(thrown: unknown, context: Pick<HttpContext, "log">): string {
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") {
    context.log(thrown);
    return "Internal error";
  }
  const errors = thrown.errors.length > 0 ? thrown.errors : [thrown];
  if (thrown.code !== "SCHEMA_INVALID" && thrown.code !== "PLUGIN_MISSING") return errors.map((each) => each.message).join("\n");
  if (errors.every(isWithoutPlace)) return errors.map(schemaErrorText).join("\n");
  return errors.map((each) => (each.locations?.[0] ? `${schemaErrorText(each)}\n` : schemaErrorText(each))).join("");
}

/** `input:3: Type Boat; ...`, or without a place `input: ...`. */
function schemaErrorText(error: QuernError): string {
  const place = error.locations?.[0];
  if (place) return `input:${place.line}: ${error.message}`;
  return isWithoutPlace(error) ? error.message : `input: ${error.message}`;
}

function isWithoutPlace({ details, locations = [] }: QuernError): boolean {
  return details.standsAlone === withoutPlace.standsAlone && locations.length === 0;
}
