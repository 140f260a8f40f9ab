// Numbers: large ones in a row, and tables of them.

import type { ComponentChildren } from "preact";
import { decimal, number } from "./pieces.tsx";

export interface FigureProps {
  readonly name: string;
  /** Undefined: not known yet. */
  readonly value: number | undefined;
  readonly unit?: "bytes" | "ms";
}

export function Figure({ name, value, unit }: FigureProps) {
  return (
    <div class="figure">
      <b>{value === undefined ? "–" : unit === "bytes" ? bytesText(value) : unit === "ms" ? msText(value) : number(value)}</b>
      <span>{name}</span>
    </div>
  );
}

export interface FactsProps {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** A card with names and values; nothing without rows. */
export function Facts({ title, rows }: FactsProps) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function bytesText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1_024 ** power;
  return `${power === 0 ? amount : decimal(amount, 1)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

export function msText(ms: number): string {
  if (ms >= 10_000) return `${decimal(ms / 1_000, 1)} s`;
  return `${ms >= 100 ? number(Math.round(ms)) : ms.toLocaleString(undefined, { maximumSignificantDigits: 2 })} ms`;
}

/** `12 s ago`, of milliseconds since 1970. */
export function agoText(at: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1_000));
  return `${durationText(seconds)} ago`;
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${decimal(seconds / 3_600, 1)} h`;
}
