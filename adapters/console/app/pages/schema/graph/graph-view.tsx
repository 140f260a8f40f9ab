// The types of the text in the editor as a picture. A type is chosen in it, or in the list beside it, and edited below.

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { PlacedGraph } from "../../../model/graph-layout.ts";
import { linksText, typeGraph } from "../../../model/type-graph.ts";
import { type WrittenType, writtenTypes, writtenUnions } from "../../../model/written-types.ts";
import { Empty, Failure } from "../../../parts/pieces.tsx";
import { useViewBox } from "../../../parts/view-box.ts";
import { ZoomButtons } from "../../../parts/zoom-buttons.tsx";
import { TypeCard } from "../type-card.tsx";
import type { TypesViewProps } from "../types-view.tsx";
import { GraphPicture } from "./graph-picture.tsx";
import { useLayout } from "./use-layout.ts";
import "../../../parts/picture.css";
import "./graph.css";

/** A type that somebody chose: what is chosen in the picture is in sight already. */
interface Chosen {
  readonly name: string;
  readonly by: "list" | "picture";
}

export function GraphView({ text, onText }: TypesViewProps) {
  const types = useMemo(() => writtenTypes(text), [text]);
  if (types === undefined) return <Empty title="The text has an error">Mend it in the editor first.</Empty>;
  if (types.length === 0) return <Empty title="There are no types yet">The view Types adds the first.</Empty>;
  return <Graph types={types} text={text} onText={onText} />;
}

interface GraphProps extends TypesViewProps {
  readonly types: readonly WrittenType[];
}

function Graph({ types, text, onText }: GraphProps) {
  const graph = useMemo(() => typeGraph(types, writtenUnions(text)), [types]);
  const { placed, failure } = useLayout(graph);
  const [chosen, choose] = useState<Chosen>();
  const byPicture = useCallback((name: string) => choose({ name, by: "picture" }), []);
  const type = types.find(({ name }) => name === chosen?.name);
  return (
    <section class="graph" aria-label="Graph of types">
      <ul class="graph-list" aria-label="Types and their links">
        {types.map(({ name }) => (
          <li key={name}>
            <button
              type="button"
              class="plain"
              aria-pressed={name === chosen?.name}
              aria-label={`${name}: ${linksText(name, graph.edges)}`}
              onClick={() => choose({ name, by: "list" })}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      <div class="graph-picture">
        <Failure of={failure} />
        {placed === undefined && failure === undefined && <p class="hint waiting">Drawing {types.length} types…</p>}
        {placed && <Picture placed={placed} chosen={chosen} onChoose={byPicture} />}
      </div>
      {type && (
        <div class="written-types graph-type">
          <TypeCard key={type.name} type={type} types={types} text={text} onText={onText} onClose={() => choose(undefined)} />
        </div>
      )}
    </section>
  );
}

interface PictureProps {
  readonly placed: PlacedGraph;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (name: string) => void;
}

function Picture({ placed, chosen, onChoose }: PictureProps) {
  const whole = useMemo(() => ({ x: 0, y: 0, width: Math.max(1, placed.width), height: Math.max(1, placed.height) }), [placed]);
  const view = useViewBox({ whole, nearest: 100 });
  const seek = () => {
    const node = placed.nodes.find(({ name }) => name === chosen?.name);
    if (node) view.center({ x: node.x + node.width / 2, y: node.y + node.height / 2 });
  };
  useEffect(seek, [placed]);
  useEffect(() => {
    if (chosen?.by === "list") seek();
  }, [chosen]);
  return (
    <>
      <GraphPicture placed={placed} view={view} chosen={chosen?.name} onChoose={onChoose} />
      <ZoomButtons view={view} />
    </>
  );
}
