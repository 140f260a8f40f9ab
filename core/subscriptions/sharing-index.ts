// Finds the group that a caller may share: the same operation, and nothing known of the caller that the plan looked at differs.

import { createHash } from "node:crypto";
import { writeJson } from "../ground/json/write-json.ts";
import type { LiveOperation } from "../request/live-operation.ts";
import { type Asker, type FactPaths, noFacts } from "./fact-reads.ts";
import type { LiveRequest } from "./live.ts";
import type { SharedQuery } from "./shared-query.ts";

/** Places that some plan looked at, and how many groups there are of such plans. */
interface Known {
  readonly places: FactPaths;
  groups: number;
}

export class SharingIndex {
  /** Few: as many as there are ways to rule. */
  readonly #known = new Map<string, Known>();
  readonly #groups = new Map<string, SharedQuery>();

  find(family: string, asker: Asker): SharedQuery | undefined {
    for (const { places } of this.#known.values()) {
      const group = this.#groups.get(nameOf(family, places, asker));
      if (group) return group;
    }
    return undefined;
  }

  /** Puts `group` where others find it, or gives the one that stands there already. */
  settle(group: SharedQuery): SharedQuery {
    const places = group.reads.places();
    const name = nameOf(group.family, places, group.asker);
    if (group.name === name) return group;
    this.remove(group);
    const other = this.#groups.get(name);
    if (other) return other;
    this.#groups.set(name, group);
    const known = this.#known.get(places.signature) ?? { places, groups: 0 };
    known.groups++;
    this.#known.set(places.signature, known);
    group.name = name;
    group.signature = places.signature;
    return group;
  }

  remove(group: SharedQuery): void {
    const { name, signature } = group;
    if (name === undefined || signature === undefined) return;
    group.name = undefined;
    this.#groups.delete(name);
    const known = this.#known.get(signature);
    if (known && --known.groups === 0) this.#known.delete(signature);
  }
}

function nameOf(family: string, places: FactPaths, asker: Asker): string {
  return places === noFacts
    ? family
    : createHash("sha256")
        .update([family, places.signature, places.keyOf(asker)].join("\u0000"))
        .digest("base64");
}

/** What makes two requests the same question. Foreign plugins may look at the whole request, so theirs is shared by equal requests only. */
export function sharingKeyOf({ query, operationName, headers }: LiveRequest, { variables, isPlain }: LiveOperation): string {
  const request = isPlain ? "" : writeJson(headers ?? {});
  const text = [query, operationName ?? "", writeJson(variables), request].join("\u0000");
  return createHash("sha256").update(text).digest("base64");
}
