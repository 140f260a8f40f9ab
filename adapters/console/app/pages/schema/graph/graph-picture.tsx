// The picture of a graph: boxes and lines. It is drawn once for a layout; zoom and pan change only what is seen of it.

import { useMemo } from "preact/hooks";
import type { PlacedEdge, PlacedGraph, PlacedNode } from "../../../model/graph-layout.ts";
import { headHeight, lineHeight } from "../../../model/type-graph.ts";
import { plural } from "../../../parts/pieces.tsx";
import type { ViewBox } from "../../../parts/view-box.ts";

export interface GraphPictureProps {
  readonly placed: PlacedGraph;
  readonly view: ViewBox;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

export function GraphPicture({ placed, view, chosen, onChoose }: GraphPictureProps) {
  const lines = useMemo(
    () => placed.edges.map((edge) => <Line key={edge.label} of={edge} isChosen={chosen === edge.from || chosen === edge.to} />),
    [placed, chosen],
  );
  const boxes = useMemo(
    () => placed.nodes.map((node) => <TypeBox key={node.name} of={node} isChosen={node.name === chosen} onChoose={onChoose} />),
    [placed, chosen],
  );
  return (
    <svg
      ref={view.attach}
      class="picture"
      role="img"
      tabindex={0}
      viewBox={view.viewBox}
      aria-label={`Graph of ${plural(placed.nodes.length, "type")}. Arrow keys move it, plus and minus zoom, 0 shows all. The list has the same types and links.`}
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {lines}
      {boxes}
    </svg>
  );
}

function Line({ of, isChosen }: { readonly of: PlacedEdge; readonly isChosen: boolean }) {
  return (
    <path
      class={`line ${of.kind}${isChosen ? " chosen" : ""}`}
      d={pathOf(of.points)}
      marker-end="url(#arrow)"
      {...(of.isMutual && { "marker-start": "url(#arrow)" })}
    >
      <title>{of.label}</title>
    </path>
  );
}

function TypeBox({ of, isChosen, onChoose }: { readonly of: PlacedNode; readonly isChosen: boolean; readonly onChoose: (name: string) => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and screen readers have the list
    <g class={isChosen ? "box chosen" : "box"} data-type={of.name} transform={`translate(${of.x} ${of.y})`} onClick={() => onChoose(of.name)}>
      <rect width={of.width} height={of.height} rx="6" />
      <text class="head" x="12" y="19">
        {of.title}
      </text>
      {of.lines.length > 0 && <path d={`M0 ${headHeight}H${of.width}`} />}
      {of.lines.map((line, place) => (
        <text key={line} x="12" y={headHeight + 16 + place * lineHeight}>
          {line}
        </text>
      ))}
    </g>
  );
}

/** A curve through the middles of the points between. */
function pathOf(points: PlacedEdge["points"]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return "";
  const curves = rest.map((point, place) => {
    const next = rest[place + 1] ?? last;
    const end = place === rest.length - 1 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${curves.length === 0 ? `L${last.x} ${last.y}` : curves.join("")}`;
}
