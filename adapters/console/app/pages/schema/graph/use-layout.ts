// The layout of a graph, made by a worker. An older layout stays until the newer one is made.

import { useEffect, useState } from "preact/hooks";
import type { PlacedGraph } from "../../../model/graph-layout.ts";
import type { TypeGraph } from "../../../model/type-graph.ts";

export interface Layout {
  readonly placed: PlacedGraph | undefined;
  readonly failure: unknown;
}

export function useLayout(graph: TypeGraph): Layout {
  const [layout, setLayout] = useState<Layout>({ placed: undefined, failure: undefined });
  useEffect(() => {
    const worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<PlacedGraph>) => setLayout({ placed: data, failure: undefined });
    worker.onerror = ({ message }) =>
      setLayout({
        placed: undefined,
        failure: new Error(`The graph cannot be drawn: ${message || "its code cannot be read"}. The view Types has the same types.`),
      });
    worker.postMessage(graph);
    return () => worker.terminate();
  }, [graph]);
  return layout;
}
