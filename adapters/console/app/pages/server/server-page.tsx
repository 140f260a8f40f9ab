// Server: health, what runs now, live queries, and the size of the store. Rates are drawn while the page is open.

import { useEffect, useState } from "preact/hooks";
import { at, isObject, type Json, type JsonObject, textOf } from "../../api/json.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Failure, number } from "../../parts/pieces.tsx";
import { useRequest } from "../../parts/use-request.ts";
import { RateChart } from "./rate-chart.tsx";
import { nextSample, type Sample } from "./samples.ts";

const everyMs = 2_000;

export function ServerPage() {
  const { server } = useConsole();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const readings = useRequest(() => server.adminJson("admin/readings"), [server]);
  const health = useRequest(() => server.admin("{ health { version uptime status } config { cacheMb } }"), [server]);
  const { again, value } = readings;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && again(), everyMs);
    return () => clearInterval(timer);
  }, [again]);
  useEffect(() => {
    if (value !== undefined) setSamples((before) => nextSample(before, value, Date.now() / 1_000));
  }, [value]);

  const gauges = numbersAt(value, "gauges");
  const statistics = numbersAt(value, "statistics");
  const node = at(health.value, "health", 0);
  const nodes = Object.entries(statistics).filter(([name]) => name.startsWith("nodes."));
  const others = Object.entries(statistics).filter(([name]) => !name.startsWith("nodes"));
  return (
    <div class="server">
      <Failure of={readings.failure} again={again} />
      <section class="figures" aria-label="Now">
        <Figure name="Nodes" value={statistics.nodes} />
        <Figure name="On disk" value={statistics.diskBytes} unit="bytes" />
        <Figure name="Requests running" value={gauges.requestsRunning} />
        <Figure name="Live subscriptions" value={gauges.liveSubscriptions} />
        <Figure name="Live queries" value={gauges.liveQueries} />
        <Figure name="Connected clients" value={gauges.liveClients} />
      </section>
      <div class="charts">
        <RateChart title="Commits a second" samples={samples} of="commits" />
        <RateChart title="Live query runs a second" samples={samples} of="liveRuns" />
      </div>
      <div class="tables">
        <Numbers title="Nodes by type" rows={nodes.map(([name, count]) => [name.slice("nodes.".length), count])} />
        <Numbers title={`Store (${textOf(at(value, "data", "storage"))})`} rows={others} />
        <Numbers title="Kernel" rows={Object.entries(gauges)} />
        <section class="card">
          <h2>Process</h2>
          <table>
            <tbody>
              {[
                ["status", at(node, "status")],
                ["version", at(node, "version")],
                ["uptime", durationText(Number(at(node, "uptime") ?? 0))],
                ["cache", `${textOf(at(health.value, "config", "cacheMb"))} MB`],
              ].map(([name, shown]) => (
                <tr key={String(name)}>
                  <th scope="row">{name}</th>
                  <td>{textOf(shown)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </div>
  );
}

function numbersAt(value: Json | undefined, name: string): Readonly<Record<string, number>> {
  const found: JsonObject | Json | undefined = at(value, "data", name);
  return isObject(found) ? Object.fromEntries(Object.entries(found).map(([each, amount]) => [each, Number(amount)])) : {};
}

interface FigureProps {
  readonly name: string;
  readonly value: number | undefined;
  readonly unit?: "bytes";
}

function Figure({ name, value, unit }: FigureProps) {
  const shown = value === undefined ? "–" : unit === "bytes" ? bytesText(value) : number(value);
  return (
    <div class="figure">
      <b>{shown}</b>
      <span>{name}</span>
    </div>
  );
}

function Numbers({ title, rows }: { readonly title: string; readonly rows: readonly (readonly [string, number])[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{/bytes$/i.test(name) ? bytesText(value) : number(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function bytesText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1_024 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
