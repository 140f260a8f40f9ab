// Lays a graph out beside the page, which stays usable meanwhile.

import { placedGraph } from "../../../model/graph-layout.ts";
import type { TypeGraph } from "../../../model/type-graph.ts";

self.addEventListener("message", ({ data }: MessageEvent<TypeGraph>) => self.postMessage(placedGraph(data)));
