// What a search asks for, as a region and as the tokens to look up. The last ones are kept: maps ask for the same areas again and again,
// and to cover one takes half a millisecond.

import { LRUCache } from "lru-cache";
import type { Geometry } from "../../../core/index.ts";
import { searchTokens } from "./cells.ts";
import { cornersOf, type Region, regionOf } from "./region.ts";

export interface Sought {
  /** Says which geometry and radius. */
  readonly id: string;
  readonly region: Region;
  /** Undefined: so much of the globe that every value is looked at. */
  readonly tokens: readonly string[] | undefined;
}

/** Corners of all regions and tokens that are kept. */
const maxKeptSize = 100_000;
const kept = new LRUCache<string, Sought>({ maxSize: maxKeptSize });

/** @param radius in radians: what is so near to the geometry counts too */
export function soughtOf(geometry: Geometry, radius = 0): Sought {
  const id = JSON.stringify([geometry, radius]);
  const known = kept.get(id);
  if (known !== undefined) return known;
  const region = regionOf(geometry);
  const sought: Sought = { id, region, tokens: searchTokens(region, radius) };
  kept.set(id, sought, { size: 10 + cornersOf(region) + (sought.tokens?.length ?? 0) });
  return sought;
}
