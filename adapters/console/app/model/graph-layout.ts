// Where the boxes and lines of a graph lie: layers by dagre, and types without links in rows below.

import { graphlib, layout } from "@dagrejs/dagre";
import type { GraphEdge, GraphNode, TypeGraph } from "./type-graph.ts";

export interface PlacedNode extends GraphNode {
  /** The left upper corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge extends GraphEdge {
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

const gap = 24;
const margin = 16;
const minRowWidth = 640;

export function placedGraph({ nodes, edges }: TypeGraph): PlacedGraph {
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const layers = layered(
    nodes.filter(({ name }) => linked.has(name)),
    edges,
  );
  const alone = rows(
    nodes.filter(({ name }) => !linked.has(name)),
    { y: layers.height, width: Math.max(minRowWidth, layers.width) },
  );
  return { nodes: [...layers.nodes, ...alone.nodes], edges: layers.edges, width: Math.max(layers.width, alone.width), height: alone.height };
}

function layered(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): PlacedGraph {
  if (nodes.length === 0) return { nodes: [], edges: [], width: 0, height: margin };
  const graph = new graphlib.Graph({ multigraph: true });
  // The quicker ranker: 1.4 s for 400 types with 600 links, where network simplex takes 2.2 s and is 1 % more compact.
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: gap, ranksep: gap * 3, marginx: margin, marginy: margin });
  for (const { name, width, height } of nodes) graph.setNode(name, { width, height });
  const between = edges.filter(({ from, to }) => from !== to);
  for (const [place, { from, to }] of between.entries()) graph.setEdge(from, to, {}, String(place));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const placed = nodes.map((node) => {
    const { x, y } = graph.node(node.name);
    return { ...node, x: x - node.width / 2, y: y - node.height / 2 };
  });
  const lines = between.map((edge, place) => ({ ...edge, points: graph.edge(edge.from, edge.to, String(place)).points }));
  return { nodes: placed, edges: [...lines, ...loops(placed, edges)], width, height };
}

/** A link of a type to itself leaves its box at the top and comes back at the side. */
function loops(nodes: readonly PlacedNode[], edges: readonly GraphEdge[]): readonly PlacedEdge[] {
  return edges.flatMap((edge) => {
    const node = edge.from === edge.to ? nodes.find(({ name }) => name === edge.from) : undefined;
    if (node === undefined) return [];
    const right = node.x + node.width;
    const corner = { x: right + margin, y: node.y - margin };
    return [{ ...edge, points: [{ x: right - margin, y: node.y }, corner, { x: right, y: node.y + margin }] }];
  });
}

/** From left to right, a new row where the width ends. */
function rows(nodes: readonly GraphNode[], from: { readonly y: number; readonly width: number }): Omit<PlacedGraph, "edges"> {
  let [x, y, rowHeight, width] = [margin, from.y, 0, 0];
  const placed = nodes.map((node) => {
    if (x > margin && x + node.width + margin > from.width) [x, y, rowHeight] = [margin, y + rowHeight + gap, 0];
    const at = { ...node, x, y };
    [x, rowHeight, width] = [x + node.width + gap, Math.max(rowHeight, node.height), Math.max(width, x + node.width + margin)];
    return at;
  });
  return { nodes: placed, width, height: placed.length === 0 ? from.y : y + rowHeight + margin };
}
