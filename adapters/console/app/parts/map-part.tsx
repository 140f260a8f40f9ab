// The map, read when it is first shown.

import type { GeoMapProps } from "./geo-map.tsx";
import { lazyPart } from "./lazy-part.tsx";

export const MapPart = lazyPart<GeoMapProps>(async () => (await import("./geo-map.tsx")).GeoMap);
