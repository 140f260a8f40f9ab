// A map of the world with the shapes of a value. It needs no internet: the coasts are a file of the console (Natural Earth, 1:110 million).

import { useEffect, useMemo } from "preact/hooks";
import { feature } from "topojson-client";
import type { Topology } from "topojson-specification";
import landUrl from "world-atlas/land-110m.json?url";
import type { Json } from "../api/json.ts";
import { extentOf, flatRings, outlineOf, pointText, type Shape, shapesOf } from "../model/shapes.ts";
import { Failure } from "./pieces.tsx";
import { useRequest } from "./use-request.ts";
import { middleOf, type Place, placeOf, useViewBox } from "./view-box.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";
import "./picture.css";
import "./geo-map.css";

export interface GeoMapProps {
  readonly value: Json | undefined;
  readonly label: string;
  /** A click chooses a place: `13.4, 52.5`. Undefined: the map only shows. */
  readonly onPick?: (point: string) => void;
}

const world = { x: -180, y: -90, width: 360, height: 180 };

export function GeoMap({ value, label, onPick }: GeoMapProps) {
  const { value: coasts, failure, again } = useRequest(readCoasts, []);
  const shapes = useMemo(() => shapesOf(value), [JSON.stringify(value, withoutBigInt)]);
  const view = useViewBox({ whole: world, nearest: 0.5 });
  useEffect(() => {
    const extent = extentOf(shapes);
    if (extent) view.show(extent);
  }, [shapes]);
  const land = useMemo(() => <path class="land" d={coasts ?? ""} />, [coasts]);
  return (
    <div class="geo-map">
      <Failure of={failure} again={again} />
      <svg
        ref={view.attach}
        class={onPick ? "picture picks" : "picture"}
        role="img"
        tabindex={0}
        viewBox={view.viewBox}
        aria-label={`${label} on a map. Arrow keys move it, plus and minus zoom, 0 shows all.${onPick ? " Enter chooses the middle." : ""}`}
        onKeyDown={({ key }) => key === "Enter" && onPick?.(pointText(middleOf(view.box)))}
        onClick={({ currentTarget, clientX, clientY }) => onPick?.(pointText(placeOf(currentTarget, { x: clientX, y: clientY })))}
      >
        {land}
        {shapes.map((shape) => (
          <ShapeMark key={outlineOf(shape)} of={shape} radius={view.box.width / 80} />
        ))}
        {onPick && <Cross at={middleOf(view.box)} size={view.box.width / 40} />}
      </svg>
      <ZoomButtons view={view} />
    </div>
  );
}

function ShapeMark({ of, radius }: { readonly of: Shape; readonly radius: number }) {
  const [first] = of.rings[0] ?? [];
  if (of.kind === "area") return <path class="shape" fill-rule="evenodd" d={outlineOf(of)} />;
  return first ? <circle class="shape" cx={first.x} cy={first.y} r={radius} /> : null;
}

/** What Enter chooses. */
function Cross({ at: { x, y }, size }: { readonly at: Place; readonly size: number }) {
  return <path class="cross" d={`M${x - size} ${y}h${2 * size}M${x} ${y - size}v${2 * size}`} />;
}

async function readCoasts(): Promise<string> {
  const response = await fetch(landUrl);
  if (!response.ok) throw new Error("The coasts of the map cannot be read. If the server has another version since, load the console again.");
  const topology: Topology = await response.json();
  const land = topology.objects.land;
  const found = land === undefined ? [] : [feature(topology, land)].flatMap((each) => (each.type === "FeatureCollection" ? each.features : [each]));
  return found.map(({ geometry }) => (geometry.type === "MultiPolygon" ? geometry.coordinates.map(pathOf).join("") : "")).join("");
}

function pathOf(polygon: readonly (readonly (readonly number[])[])[]): string {
  return outlineOf({ rings: polygon.flatMap((ring) => flatRings(ring.map(([x = 0, y = 0]) => ({ x, y: -y })))) });
}

function withoutBigInt(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
