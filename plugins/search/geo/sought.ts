// The operand of a geo filter, as a region and as the tokens to look up. Cached: maps query the same areas repeatedly, and covering one takes half a
// millisecond.

import { LRUCache } from "lru-cache";
import type { Geometry } from "../../../core/plugin.ts";
import { searchTokens } from "./cells.ts";
import { cornersOf, type Region, regionOf } from "./region.ts";

export interface Sought {
  /** Identifies geometry and radius. */
  readonly id: string;
  readonly region: Region;
  /** Undefined: the region is so large that all values are scanned. */
  readonly tokens: readonly string[] | undefined;
}

/** The size of the cache: vertices and tokens of all entries. */
const maxKeptSize = 100_000;
const kept = new LRUCache<string, Sought>({ maxSize: maxKeptSize });

/** @param radius in radians: includes values within this distance of the geometry */
export function soughtOf(geometry: Geometry, radius = 0): Sought {
  const id = JSON.stringify([geometry, radius]);
  const known = kept.get(id);
  if (known !== undefined) return known;
  const region = regionOf(geometry);
  const sought: Sought = { id, region, tokens: searchTokens(region, radius) };
  kept.set(id, sought, { size: 10 + cornersOf(region) + (sought.tokens?.length ?? 0) });
  return sought;
}
