// Finds the group that a caller may share: the same operation, and nothing known of the caller that the plan looked at differs.

import { createHash } from "node:crypto";
import { writeJson } from "../json/write-json.ts";
import type { LiveOperation } from "../pipeline/live-operation.ts";
import type { Asker, ReadPlaces } from "./fact-reads.ts";
import type { Group } from "./group.ts";
import type { LiveRequest } from "./live.ts";

/** Groups whose plans looked at the same places. */
interface Shelf {
  readonly places: ReadPlaces;
  readonly groups: Map<string, Group>;
}

export class Families {
  readonly #shelves = new Map<string, Map<string, Shelf>>();

  find(family: string, asker: Asker): Group | undefined {
    for (const { places, groups } of this.#shelves.get(family)?.values() ?? []) {
      const group = groups.get(places.keyOf(asker));
      if (group) return group;
    }
    return undefined;
  }

  /** Puts `group` where others find it, or gives the one that stands there already. */
  settle(group: Group): Group {
    const places = group.reads.places();
    const { signature } = places;
    const key = places.keyOf(group.asker);
    if (group.place?.signature === signature && group.place.key === key) return group;
    this.remove(group);
    const shelves = this.#shelves.get(group.family) ?? new Map<string, Shelf>();
    this.#shelves.set(group.family, shelves);
    const shelf = shelves.get(signature) ?? { places, groups: new Map<string, Group>() };
    shelves.set(signature, shelf);
    const other = shelf.groups.get(key);
    if (other) return other;
    shelf.groups.set(key, group);
    group.place = { signature, key };
    return group;
  }

  remove(group: Group): void {
    const { place, family } = group;
    const shelves = this.#shelves.get(family);
    const shelf = place && shelves?.get(place.signature);
    if (!place || !shelves || !shelf) return;
    group.place = undefined;
    shelf.groups.delete(place.key);
    if (shelf.groups.size === 0) shelves.delete(place.signature);
    if (shelves.size === 0) this.#shelves.delete(family);
  }
}

/** What makes two requests the same question. Foreign plugins may look at the whole request, so theirs is shared by equal requests only. */
export function familyOf({ query, operationName, headers }: LiveRequest, { variables, isPlain }: LiveOperation): string {
  const request = isPlain ? "" : writeJson(headers ?? {});
  const text = [query, operationName ?? "", writeJson(variables), request].join("\u0000");
  return createHash("sha256").update(text).digest("base64");
}
