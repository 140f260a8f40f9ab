// Finds the query that a caller may share: the same operation, and equal values of every fact and header that its plan has read.

import { hash } from "node:crypto";
import { type LiveCaller, type LiveOperation, writeJson } from "../../../../core/plugin.ts";
import { type FactPaths, noFacts } from "./fact-tracker.ts";
import type { SharedQuery } from "./shared-query.ts";

/** Paths that some plan has read, with the number of queries whose plans read exactly these. */
interface TrackedPaths {
  readonly paths: FactPaths;
  count: number;
}

export class SharingIndex {
  /** By signature. Few: plans differ little in what they read of a caller. */
  readonly #paths = new Map<string, TrackedPaths>();
  readonly #queries = new Map<string, SharedQuery>();

  find(operationKey: string, caller: LiveCaller): SharedQuery | undefined {
    for (const { paths } of this.#paths.values()) {
      const query = this.#queries.get(sharingKeyOf(operationKey, paths, caller));
      if (query) return query;
    }
    return undefined;
  }

  /** Adds `query` under its key. Returns the query that has this key: itself, or an earlier one. */
  add(query: SharedQuery): SharedQuery {
    const paths = query.reads.paths();
    // Its operation and its caller stay: the key changes with the paths alone.
    if (query.sharingKey !== undefined && query.signature === paths.signature) return query;
    const key = sharingKeyOf(query.operationKey, paths, query.caller);
    this.remove(query);
    const other = this.#queries.get(key);
    if (other) return other;
    this.#queries.set(key, query);
    const known = this.#paths.get(paths.signature) ?? { paths, count: 0 };
    known.count++;
    this.#paths.set(paths.signature, known);
    query.sharingKey = key;
    query.signature = paths.signature;
    return query;
  }

  remove(query: SharedQuery): void {
    const { sharingKey, signature } = query;
    if (sharingKey === undefined || signature === undefined) return;
    query.sharingKey = undefined;
    this.#queries.delete(sharingKey);
    const known = this.#paths.get(signature);
    if (known && --known.count === 0) this.#paths.delete(signature);
  }
}

function sharingKeyOf(operationKey: string, paths: FactPaths, caller: LiveCaller): string {
  return paths === noFacts ? operationKey : hash("sha256", [operationKey, paths.signature, paths.keyOf(caller)].join("\u0000"), "base64");
}

/** Equal for requests with the same document, operation and variables. With foreign envelop plugins, which may read any header, all headers must agree too. */
export function operationKeyOf({ document, operationName = "", variables, readsAnyHeader, caller }: LiveOperation): string {
  const headers = readsAnyHeader ? writeJson(caller.headers) : "";
  const text = [document, operationName, writeJson(variables), headers].join("\u0000");
  return hash("sha256", text, "base64");
}
