// `/files/copies`: a running server tells an administrator which files it lacks, and takes them one by one. For imports into it.

import { type HttpResponse, type KernelAccess, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { jsonAnswer, refusal } from "../ground/answers.ts";
import { ensureSecret } from "../records/secret.ts";
import type { FileStore } from "../stores/file-store.ts";
import { Measured } from "../upload/measured.ts";
import { assertFiles, firstPlace, type ReferredFile, type ReferredPlace, referredFile, referredPage } from "./referred-files.ts";

export function copyRoutes(kernel: KernelAccess, store: FileStore): readonly PluginRoute[] {
  const route = (path: string, method: string, answer: (request: RouteRequest) => Promise<HttpResponse>): PluginRoute => ({
    path,
    methods: [method],
    access: "administrators",
    body: "stream",
    answer: async (request) => {
      try {
        assertFiles(kernel);
        return await answer(request);
      } catch (thrown) {
        return refusal(thrown);
      }
    },
  });
  return [
    route("/files/copies", "GET", ({ url }) => missingFiles(kernel, store, new URL(url, "http://localhost").searchParams.get("after"))),
    route("/files/copies/:key", "PUT", ({ params, incoming }) => takeFile({ kernel, store, incoming }, params.key ?? "")),
  ];
}

/** A page of what the database refers to is looked at; where the next one begins is in the answer. */
async function missingFiles(kernel: KernelAccess, store: FileStore, after: string | null): Promise<HttpResponse> {
  const { files, next } = await referredPage(kernel, placeIn(after));
  const missing: Pick<ReferredFile, "key" | "bytes" | "what">[] = [];
  for (const { uid, key, bytes, what } of files) {
    if ((await store.size(key)) !== bytes) missing.push({ key, bytes, what: `the ${what} 0x${uid.toString(16)}` });
  }
  return jsonAnswer({ missing, next: next === undefined ? null : `${next.of}.${next.after}` }, 200);
}

function placeIn(text: string | null): ReferredPlace {
  const [, of, after] = /^(\d{1,2})\.(\d{1,16})$/u.exec(text ?? "") ?? [];
  return of === undefined ? firstPlace : { of: Number(of), after: Number(after) };
}

interface Taking {
  readonly kernel: KernelAccess;
  readonly store: FileStore;
  readonly incoming: AsyncIterable<Uint8Array>;
}

async function takeFile({ kernel, store, incoming }: Taking, key: string): Promise<HttpResponse> {
  const file = await referredFile(kernel, key);
  if (file === undefined) throw new QuernError("NOT_FOUND", `Nothing refers to the file ${key}.`, { hint: "Import the database first." });
  await store.remove(key);
  await store.write(key, verified(incoming, file));
  // Its object may be gone meanwhile, and with it the only one who would remove these bytes.
  if ((await referredFile(kernel, key)) === undefined) await store.remove(key);
  // An import brings none.
  await kernel.transact((transaction) => ensureSecret(transaction));
  return jsonAnswer({ bytes: file.bytes }, 201);
}

/** Throws at the end where these are other bytes; then a store keeps nothing. */
async function* verified(incoming: AsyncIterable<Uint8Array>, { bytes, sha256 }: ReferredFile): AsyncGenerator<Uint8Array> {
  const measured = new Measured();
  yield* measured.of(incoming, { maxBytes: bytes, setting: "its length in the database", ends: Number.POSITIVE_INFINITY });
  if (measured.bytes === bytes && measured.sha256() === sha256) return;
  throw new QuernError("VALUE_INVALID", "These are not the bytes of the file: their length or their SHA-256 differs.", {
    hint: "Take them from another copy.",
  });
}
