// `/health/live` and `/health/ready`, for orchestrators and load balancers.

import { statfs } from "node:fs/promises";
import type { Kernel } from "../../../core/index.ts";
import type { StoreTrouble } from "../../../core/storage.ts";
import type { HttpRequest, HttpResponse } from "../../../core/transport.ts";
import { openAnswer } from "../http/respond.ts";

interface ProbedServer {
  readonly kernel: Pick<Kernel, "ready" | "trouble" | "draining" | "storage">;
}

/** A store that this process has to itself is opened again within this time, or a new process may do better. */
const storeMayBeLostMs = 60_000;

/** Status 503 when the store has not been there for a minute. A database in another process does not count: a restart of this one does not bring it back. */
export function liveEndpoint({ kernel: { trouble } }: ProbedServer, request: Pick<HttpRequest, "method">): HttpResponse {
  const refused = refusedMethod(request);
  if (refused !== undefined) return refused;
  const isLost = trouble?.kind === "lost" || trouble?.kind === "damaged";
  if (!isLost || performance.now() - trouble.since < storeMayBeLostMs) return openAnswer({ status: "live" });
  return openAnswer({ status: "failed", reasons: [`${troubles[trouble.kind]}: ${trouble.reason}`] }, 503);
}

const troubles: Readonly<Record<StoreTrouble["kind"], string>> = {
  "read-only": "the store takes no writes",
  lost: "the store is not open",
  damaged: "the store neither reads nor writes",
  unreachable: "the database does not answer",
};

function storeReasons({ ready, trouble }: ProbedServer["kernel"]): readonly string[] {
  if (trouble !== undefined) return [`${troubles[trouble.kind]}: ${trouble.reason}`];
  return ready ? [] : ["the store is not open"];
}

/** Status 503 with the reasons why no requests should be sent here. */
export async function readyEndpoint({ kernel }: ProbedServer, request: Pick<HttpRequest, "method">): Promise<HttpResponse> {
  const refused = refusedMethod(request);
  if (refused !== undefined) return refused;
  const reasons = [
    ...storeReasons(kernel),
    ...(kernel.draining ? ["the server is draining"] : []),
    ...((await hasRoom(kernel.storage.folder, smallestRoom)) ? [] : [`less than ${smallestRoom >> 20} MiB are free on the disk of the store`]),
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
