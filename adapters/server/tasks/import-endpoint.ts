// `/admin/import`: the calls of an import of `quern import --from-dgraph --url`. The command understands the export; the server writes nodes and links.

import { type Deployment, parseJson, QuernError } from "../../../core/index.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { openImportStore, runImportCall, Target } from "../../transfer/index.ts";
import { adminBody } from "../http/admin-body.ts";
import { adminErrors, openAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";

const targets = new WeakMap<Deployment, Target>();

export async function importEndpoint(server: ServerParts, request: HttpRequest): Promise<HttpResponse> {
  const body = await adminBody(request, server);
  if (typeof body !== "string") return openAnswer(adminErrors(body.code, body.message), body.status);
  const { deployment, ready, storage } = server.kernel;
  if (!ready || deployment === undefined) return openAnswer(adminErrors("Error", "No schema is deployed."));
  try {
    const target = targets.get(deployment) ?? new Target(deployment);
    targets.set(deployment, target);
    const store = openImportStore(storage, { target, version: deployment.version });
    const data = (await runImportCall(store, target, jsonIn(body))) ?? null;
    await server.deeds.noteSeldom(request, { action: "/admin/import", what: "imported data", outcome: "done" });
    return openAnswer({ data });
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return openAnswer(adminErrors("Error", thrown.message));
    server.kernel.log.fault(thrown);
    return openAnswer(adminErrors("Error", "Internal error"));
  }
}

function jsonIn(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    throw new QuernError("REQUEST_INVALID", "The body is not JSON.");
  }
}
