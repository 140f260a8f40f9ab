// A rate over time, drawn by uPlot.

import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { decimal } from "./pieces.tsx";
import { type Sample, sampleRates } from "./samples.ts";

export interface RateChartProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  /** The name of a counter. */
  readonly of: string;
}

const height = 150;

export function RateChart({ title, samples, of }: RateChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new UPlot(optionsOf(element), [[], []], element);
    chart.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => {
    const rated = sampleRates(samples, of);
    chart.current?.setData([rated.map(({ time }) => time), rated.map(({ rate }) => rate)]);
  }, [samples, of]);
  const last = sampleRates(samples.slice(-2), of).at(-1)?.rate;
  return (
    <figure class="card">
      <figcaption>
        {title} <b>{last === undefined ? "–" : decimal(last, 1)}</b>
      </figcaption>
      <div ref={place} style={{ height: `${height}px` }} aria-hidden="true" />
    </figure>
  );
}

/** The width of the time axis at least, in seconds. */
const leastSeconds = 60;

/** Without samples the last minute. */
function timeRange(low: number | undefined, high: number | undefined): UPlot.Range.MinMax {
  const end = high ?? Date.now() / 1_000;
  return [Math.min(low ?? end, end - leastSeconds), end];
}

function clockText(time: number): string {
  return new Date(time * 1_000).toLocaleTimeString("sv");
}

/** A canvas knows no variables of the style sheet: their values are read once. */
function optionsOf(element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(element);
  const probe = document.createElement("span");
  element.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [muted, line, accent, soft] = [colour("--muted"), colour("--line"), colour("--accent"), colour("--soft-accent")];
  probe.remove();
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: `11px ${style.fontFamily}` };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: (_chart, low, high) => timeRange(low, high) }, y: { range: (_chart, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
    axes: [
      { ...axis, space: 90, size: 26, values: (_chart, times) => times.map(clockText) },
      { ...axis, size: 40 },
    ],
    series: [{}, { stroke: accent, fill: soft, width: 2, points: { show: false } }],
  };
}
