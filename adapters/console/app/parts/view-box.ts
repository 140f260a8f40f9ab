// Zoom and pan of a picture: by mouse, wheel, fingers and keys. The picture is drawn once; only its view box changes.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface ViewBox {
  readonly viewBox: string;
  readonly box: Box;
  /** Takes the picture, and forgets it when it is gone. */
  readonly attach: (picture: SVGSVGElement | null) => void;
  readonly zoom: (factor: number) => void;
  /** Shows the whole picture. */
  readonly showAll: () => void;
  /** Shows this place in the middle, as large as it is drawn. */
  readonly center: (place: Place) => void;
  readonly show: (box: Box) => void;
}

const step = 1.3;
/** How far a pointer moves before it pans: less is a click. */
const slack = 4;

export interface Picture {
  /** Its extent. Another object is another picture. */
  readonly whole: Box;
  /** How much of it is seen at least. */
  readonly nearest: number;
}

export function useViewBox({ whole, nearest }: Picture): ViewBox {
  const [box, setBox] = useState(whole);
  const [picture, attach] = useState<SVGSVGElement | null>(null);
  const latest = useRef(box);
  latest.current = box;
  const moves = useMemo(() => {
    // Kept at once: pointers move more often than the page draws.
    const change = (next: Box) => {
      latest.current = bounded(next, { whole, nearest });
      setBox(latest.current);
    };
    return {
      change,
      show: change,
      zoom: (factor: number) => change(scaled(latest.current, factor, middleOf(latest.current))),
      showAll: () => setBox(whole),
      center: ({ x, y }: Place) => {
        const { clientWidth: width, clientHeight: height } = picture ?? { clientWidth: whole.width, clientHeight: whole.height };
        change({ x: x - width / 2, y: y - height / 2, width, height });
      },
    };
  }, [whole, nearest, picture]);
  useEffect(() => moves.showAll(), [whole]);
  useEffect(() => picture?.setAttribute("viewBox", textOf(box)), [picture, box]);
  useEffect(() => (picture === null ? undefined : listen(picture, { current: () => latest.current, ...moves })), [picture, moves]);
  return { viewBox: textOf(box), box, attach, ...moves };
}

function textOf({ x, y, width, height }: Box): string {
  return `${x} ${y} ${width} ${height}`;
}

export function middleOf({ x, y, width, height }: Box): Place {
  return { x: x + width / 2, y: y + height / 2 };
}

/** A factor above 1 comes nearer; `at` stays where it is. */
function scaled({ x, y, width, height }: Box, factor: number, at: Place): Box {
  return { x: at.x - (at.x - x) / factor, y: at.y - (at.y - y) / factor, width: width / factor, height: height / factor };
}

function moved(box: Box, from: Place, to: Place): Box {
  return { ...box, x: box.x + from.x - to.x, y: box.y + from.y - to.y };
}

/** Neither so near that one sees nothing, nor so far, nor beside the picture. */
function bounded(box: Box, { whole, nearest }: Picture): Box {
  const tooFar = Math.min(box.width / whole.width, box.height / whole.height) / 1.5;
  const tooNear = Math.max(box.width, box.height) / nearest;
  const factor = tooFar > 1 ? tooFar : Math.min(1, tooNear);
  const { x, y, width, height } = factor === 1 ? box : scaled(box, factor, middleOf(box));
  const within = (from: number, size: number, start: number, all: number) => Math.min(start + all - size / 4, Math.max(start - size * 0.75, from));
  return { x: within(x, width, whole.x, whole.width), y: within(y, height, whole.y, whole.height), width, height };
}

interface Moves extends Pick<ViewBox, "zoom" | "showAll"> {
  readonly current: () => Box;
  readonly change: (box: Box) => void;
}

/** The picture gets its own listeners: a wheel must not scroll the page too. */
function listen(picture: SVGSVGElement, moves: Moves): () => void {
  const over = new AbortController();
  const { signal } = over;
  const fingers = new Fingers(picture, moves);
  picture.addEventListener("wheel", (event) => wheel(picture, moves, event), { signal, passive: false });
  picture.addEventListener("keydown", (event) => keys(moves, event), { signal });
  picture.addEventListener("pointerdown", (event) => fingers.down(event), { signal });
  picture.addEventListener("pointermove", (event) => fingers.move(event), { signal });
  // What ends a drag is no click.
  picture.addEventListener("click", (event) => fingers.hasPanned && event.stopPropagation(), { signal, capture: true });
  for (const name of ["pointerup", "pointercancel"] as const) picture.addEventListener(name, (event) => fingers.up(event), { signal });
  return () => over.abort();
}

function wheel(picture: SVGSVGElement, { current, change }: Moves, event: WheelEvent): void {
  event.preventDefault();
  const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
  const at = placeOf(picture, { x: event.clientX, y: event.clientY });
  change(scaled(current(), Math.exp(-Math.max(-200, Math.min(200, pixels)) / 400), at));
}

const arrows: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

function keys({ current, change, zoom, showAll }: Moves, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = arrows[event.key];
  const { width, height } = current();
  if (arrow) change(moved(current(), { x: 0, y: 0 }, { x: (arrow.x * width) / 10, y: (arrow.y * height) / 10 }));
  else if (event.key === "+" || event.key === "=") zoom(step);
  else if (event.key === "-") zoom(1 / step);
  else if (event.key === "0") showAll();
  else return;
  event.preventDefault();
}

/** One finger or the mouse pans, two zoom. */
class Fingers {
  readonly #picture: SVGSVGElement;
  readonly #moves: Moves;
  readonly #down = new Map<number, Place>();
  #isPanning = false;

  constructor(picture: SVGSVGElement, moves: Moves) {
    this.#picture = picture;
    this.#moves = moves;
  }

  get hasPanned(): boolean {
    return this.#isPanning;
  }

  down({ pointerId, clientX, clientY, button }: PointerEvent): void {
    if (button !== 0) return;
    if (this.#down.size === 0) this.#isPanning = false;
    this.#down.set(pointerId, { x: clientX, y: clientY });
  }

  move({ pointerId, clientX, clientY }: PointerEvent): void {
    const before = this.#down.get(pointerId);
    if (before === undefined) return;
    const now = { x: clientX, y: clientY };
    if (!this.#isPanning && this.#down.size === 1 && distance(before, now) < slack) return;
    this.#isPanning = true;
    // From here on the click belongs to the picture, not to what lies under the pointer.
    this.#picture.setPointerCapture(pointerId);
    const other = [...this.#down].find(([id]) => id !== pointerId)?.[1];
    const { current, change } = this.#moves;
    const [from, to] = [before, now].map((place) => placeOf(this.#picture, other === undefined ? place : between(place, other)));
    if (from === undefined || to === undefined) return;
    const panned = moved(current(), from, to);
    change(other === undefined ? panned : scaled(panned, distance(now, other) / Math.max(1, distance(before, other)), from));
    this.#down.set(pointerId, now);
  }

  up({ pointerId }: PointerEvent): void {
    this.#down.delete(pointerId);
  }
}

function distance(one: Place, other: Place): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function between(one: Place, other: Place): Place {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** A place on the screen as a place of the picture. */
export function placeOf(picture: SVGSVGElement, { x, y }: Place): Place {
  const matrix = picture.getScreenCTM();
  return matrix === null ? { x: 0, y: 0 } : new DOMPoint(x, y).matrixTransform(matrix.inverse());
}
