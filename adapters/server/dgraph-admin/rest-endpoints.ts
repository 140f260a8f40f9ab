// The admin endpoints outside GraphQL: shutdown, draining, cache, state, login.

import { andThen, type HttpRequest, type HttpResponse, type MaybePromise, QuernError, rescued } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import { actionProblem, actionRefusal } from "../access/administer.ts";
import { drainingText, mutationText } from "../access/deed-texts.ts";
import { adminErrors, openAnswer, textAnswer } from "../http/respond.ts";
import { queryOf } from "../http/url.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { loginFailed } from "./acl-fields.ts";
import { membershipDocument } from "./membership.ts";
import { cacheMegabytes, setCacheMegabytes, setDraining, shutDown } from "./server-fields.ts";

export function shutdownEndpoint(server: ServerParts, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const work = () => server.deeds.during(request, { action: "shutdown", what: mutationText("shutdown", {}) }, () => shutDown(server));
  return answerOf("shutdown", problemOf("shutdown", { server, request, guard }), work);
}

export function drainingEndpoint(server: ServerParts, request: HttpRequest, guard: AdminGuard): MaybePromise<HttpResponse> {
  const enable = parseBoolean(new URLSearchParams(queryOf(request.url)).get("enable"));
  if (enable === undefined) return openAnswer(adminErrors("ErrorInvalidRequest", "Found invalid value for the enable parameter"));
  const work = () => server.deeds.during(request, { action: "draining", what: drainingText({ enable }) }, () => setDraining(server, { enable }));
  return answerOf("draining", problemOf("draining", { server, request, guard }), work);
}

/** Reads or sets the cache limit; the body is a number of megabytes. */
export async function cacheEndpoint(server: ServerParts, request: HttpRequest, guard: AdminGuard): Promise<HttpResponse> {
  const problem = await problemOf("config", { server, request, guard });
  if (problem !== undefined) return openAnswer(adminErrors("Error", `resolving config failed because ${problem}`));
  if (request.method === "GET") return textAnswer(200, `${cacheMegabytes(server)}\n`);
  const text = Buffer.from(request.body).toString("utf8").trim();
  if (!/^\d{1,12}(?:\.\d+)?$/.test(text)) return textAnswer(400, "The body must be a number of megabytes.\n");
  try {
    await server.deeds.during(request, { action: "config", what: mutationText("config", {}) }, () => setCacheMegabytes(server, Number(text)));
    return textAnswer(200, "");
  } catch (thrown) {
    return textAnswer(400, `${reasonOf(thrown)}\n`);
  }
}

export async function stateEndpoint(server: ServerParts, request: HttpRequest): Promise<HttpResponse> {
  const refusal = await actionRefusal(server, request, { action: { name: "/state" }, code: "Error" });
  return refusal ?? openAnswer(await membershipDocument(server, request));
}

/** Refused: there is no access control to log in to. */
export function loginEndpoint(): HttpResponse {
  return openAnswer({ ...adminErrors("ErrorInvalidRequest", loginFailed), data: null });
}

interface Asked {
  readonly server: ServerParts;
  readonly request: HttpRequest;
  readonly guard: AdminGuard;
}

/** Why the caller may not do what the field `name` of the admin API does. */
function problemOf(name: string, { server, request, guard }: Asked): MaybePromise<string | undefined> {
  return guard.addressProblem(request) ?? actionProblem(server, request, { name });
}

function answerOf(field: string, problem: MaybePromise<string | undefined>, work: () => MaybePromise<string>): MaybePromise<HttpResponse> {
  return andThen(problem, (known) => finished(field, known, work));
}

function finished(field: string, problem: string | undefined, work: () => MaybePromise<string>): MaybePromise<HttpResponse> {
  const failed = (reason: string) => openAnswer(adminErrors("Error", `resolving ${field} failed because ${reason}`));
  if (problem !== undefined) return failed(problem);
  return rescued(
    () => andThen(work(), (message) => openAnswer({ code: "Success", message })),
    (thrown) => failed(reasonOf(thrown)),
  );
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof QuernError) return thrown.message;
  throw thrown;
}

/** The spellings of Go's `strconv.ParseBool`, which clients of this path use. */
function parseBoolean(text: string | null): boolean | undefined {
  if (text === null) return undefined;
  if (/^(?:1|t|T|true|True|TRUE)$/.test(text)) return true;
  return /^(?:0|f|F|false|False|FALSE)$/.test(text) ? false : undefined;
}
