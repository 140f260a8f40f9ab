// `/alter` drops schema and data, all data, or the values of one field, and compares a schema of DQL with the served one.

import { parseJson, QuernError } from "../../../core/index.ts";
import type { Erase } from "../../../core/storage.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { missingInSchema, readDqlSchema } from "../../transfer/index.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import { actionRefusal } from "../access/administer.ts";
import { eraseText } from "../access/deed-texts.ts";
import { adminBody } from "../http/admin-body.ts";
import { adminErrors, done, openAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";

export async function alterEndpoint(server: ServerParts, request: HttpRequest, guard: AdminGuard): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  const schema = readDqlSchema(body);
  if (schema !== undefined) return await compareSchema(server, request, schema);
  const what = readErase(body);
  if (!guard.mayDrop(request)) return dropRefused;
  const action = { name: "/alter", ...(what !== undefined && what !== "type" && { erases: what }) };
  const refusal = await actionRefusal(server, request, { action, code: "Error" });
  if (refusal !== undefined) return refusal;
  if (what === undefined) return openAnswer(adminErrors("Error", invalidBody));
  if (!server.kernel.ready) return notReady;
  try {
    // A type is part of the deployed schema: a schema without it hides its nodes.
    if (what === "type") return openAnswer(done);
    await server.deeds.during(request, { action: "/alter", what: eraseText(what) }, () => server.kernel.erase(what));
    // Clients send their documents again.
    if (what.kind === "data") await server.persisted.clear();
    return openAnswer(done);
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return openAnswer(adminErrors("Error", thrown.message));
    server.kernel.log.fault(thrown);
    return openAnswer(adminErrors("Error", "Internal error"));
  }
}

/** Succeeds where the served schema has all of it. It needs the rights of one that changes it: who may drop a field may alter it. */
async function compareSchema(server: ServerParts, request: HttpRequest, asked: NonNullable<ReturnType<typeof readDqlSchema>>): Promise<HttpResponse> {
  const erases: readonly Erase[] = asked.predicates.length > 0 ? asked.predicates.map(({ name }) => ({ kind: "field", name })) : [{ kind: "all" }];
  for (const each of erases) {
    const refusal = await actionRefusal(server, request, { action: { name: "/alter", erases: each }, code: "Error" });
    if (refusal !== undefined) return refusal;
  }
  const { deployment } = server.kernel;
  if (!server.kernel.ready) return notReady;
  const missing = deployment ? missingInSchema(asked, deployment) : ["no schema is deployed"];
  return openAnswer(missing.length === 0 ? done : adminErrors("Error", `${servedOtherwise}: ${listed(missing)}. ${deployIt}`));
}

const maxListed = 10;

function listed(parts: readonly string[]): string {
  const more = parts.length - maxListed;
  return [...parts.slice(0, maxListed), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

const servedOtherwise = "The server has not all that this schema of DQL asks for";
const deployIt = "A GraphQL schema says what is stored: deploy one by POST /admin/schema.";
const dropRefused = openAnswer(adminErrors("Error", "Dropping is switched off here. Set admin.drop to true to allow it."));
const notReady = openAnswer(adminErrors("Error", "Unavailable: Server not ready."));

const invalidBody =
  'The body must be {"drop_all": true}, {"drop_op": "DATA"} or {"drop_attr": "Type.field"}. A schema of DQL is compared with the served one; a GraphQL schema is deployed by POST /admin/schema.';

/** `type`: Dgraph's own definition of a type, which nothing here depends on. */
function readErase(text: string): Erase | "type" | undefined {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return undefined;
  }
  if (typeof body !== "object" || body === null) return undefined;
  if ("drop_all" in body) return body.drop_all === true ? { kind: "all" } : undefined;
  if ("drop_op" in body && body.drop_op === "TYPE") return "drop_value" in body && typeof body.drop_value === "string" ? "type" : undefined;
  if ("drop_op" in body) return body.drop_op === "DATA" ? { kind: "data" } : undefined;
  if ("drop_attr" in body && typeof body.drop_attr === "string" && body.drop_attr !== "") return { kind: "field", name: body.drop_attr };
  return undefined;
}
