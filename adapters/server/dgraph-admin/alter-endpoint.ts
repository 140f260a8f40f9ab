// `/alter` drops schema and data, all data, or the values of one field.

import { parseJson, QuernError } from "../../../core/index.ts";
import type { Erase } from "../../../core/storage.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { actionRefusal } from "../access/administer.ts";
import { eraseText } from "../access/deed-texts.ts";
import { adminBody } from "../http/admin-body.ts";
import { adminErrors, done, openAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";

export async function alterEndpoint(server: ServerParts, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  const what = readErase(body);
  const action = { name: "/alter", ...(what !== undefined && what !== "type" && { erases: what }) };
  const refusal = await actionRefusal(server, request, { action, code: "Error" });
  if (refusal !== undefined) return refusal;
  if (what === undefined) return openAnswer(adminErrors("Error", invalidBody));
  if (!server.kernel.ready) return openAnswer(adminErrors("Error", "Unavailable: Server not ready."));
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

const invalidBody =
  'The body must be {"drop_all": true}, {"drop_op": "DATA"} or {"drop_attr": "Type.field"}. A GraphQL schema is deployed by POST /admin/schema.';

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
