// `/health/live` and `/health/ready`, for orchestrators and load balancers.

import { statfs } from "node:fs/promises";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import type { HttpContext } from "../context.ts";
import { openAnswer } from "../http/respond.ts";

/** The process answers. It says nothing of the store: a restart does not repair one. */
export function liveEndpoint(_context: HttpContext, request: Pick<HttpRequest, "method">): HttpResponse {
  return refusedMethod(request) ?? openAnswer({ status: "live" });
}

/** Status 503 with the reasons why no requests should be sent here. */
export async function readyEndpoint(context: HttpContext, request: Pick<HttpRequest, "method">): Promise<HttpResponse> {
  const refused = refusedMethod(request);
  if (refused !== undefined) return refused;
  const reasons = [
    ...(context.ready ? [] : ["the store is not open"]),
    ...(context.draining ? ["the server is draining"] : []),
    ...((await hasRoom(context.storage.folder, smallestRoom)) ? [] : [`less than ${smallestRoom >> 20} MiB are free on the disk of the store`]),
  ];
  return reasons.length === 0 ? openAnswer({ status: "ready" }) : openAnswer({ status: "unready", reasons }, 503);
}

/** LevelDB writes files of two to four megabytes; with less room than a few of them a compaction can fail. */
const smallestRoom = 32 << 20;

/** @param folder undefined for a store without files on this machine */
export async function hasRoom(folder: string | undefined, bytes: number): Promise<boolean> {
  if (folder === undefined) return true;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= bytes;
  } catch {
    // A folder that cannot be asked cannot be written either.
    return false;
  }
}

function refusedMethod({ method }: Pick<HttpRequest, "method">): HttpResponse | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  return { status: 405, headers: { allow: "GET, HEAD" }, body: "" };
}
