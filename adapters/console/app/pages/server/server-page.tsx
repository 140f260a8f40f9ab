// Server: health, what runs now, live queries, and the size of the store. Rates are drawn while the page is open.

import { useRef } from "preact/hooks";
import { at, isObject, type Json, textOf } from "../../api/json.ts";
import { useChanges } from "../../parts/changes.ts";
import { useConsole } from "../../parts/console-context.ts";
import { bytesText, durationText, Facts, Figure } from "../../parts/figures.tsx";
import { Failure, number } from "../../parts/pieces.tsx";
import { RateChart } from "../../parts/rate-chart.tsx";
import { useReadings } from "../../parts/use-readings.ts";
import { useRequest } from "../../parts/use-request.ts";

export function ServerPage() {
  const { server } = useConsole();
  // Not every storage numbers its commits one by one, but each says when there was one.
  const commits = useRef(0);
  useChanges(server, (count) => {
    commits.current += count;
  });
  const { value, failure, again, samples } = useReadings("admin/readings", (data) => ({
    commits: commits.current,
    liveRuns: Number(at(data, "gauges", "liveRunsTotal") ?? 0),
  }));
  const health = useRequest(() => server.admin("{ health { version uptime status } config { cacheMb } }"), [server]);

  const gauges = numbersAt(value, "gauges");
  const statistics = numbersAt(value, "statistics");
  const node = at(health.value, "health", 0);
  const nodes = Object.entries(statistics).filter(([name]) => name.startsWith("nodes."));
  const others = Object.entries(statistics).filter(([name]) => !name.startsWith("nodes"));
  return (
    <div class="server">
      <Failure of={failure} again={again} />
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
        <Facts title="Nodes by type" rows={nodes.map(([name, count]) => [name.slice("nodes.".length), number(count)])} />
        <Facts title={`Store (${textOf(at(value, "storage"))})`} rows={others.map(amountOf)} />
        <Facts title="Kernel" rows={Object.entries(gauges).map(amountOf)} />
        <Facts
          title="Process"
          rows={[
            ["status", textOf(at(node, "status"))],
            ["version", textOf(at(node, "version"))],
            ["uptime", durationText(Number(at(node, "uptime") ?? 0))],
            ["cache", `${textOf(at(health.value, "config", "cacheMb"))} MB`],
          ]}
        />
      </div>
    </div>
  );
}

function numbersAt(data: Json | undefined, name: string): Readonly<Record<string, number>> {
  const found = at(data, name);
  return isObject(found) ? Object.fromEntries(Object.entries(found).map(([each, amount]) => [each, Number(amount)])) : {};
}

function amountOf([name, value]: readonly [string, number]): readonly [string, string] {
  return [name, /bytes$/i.test(name) ? bytesText(value) : number(value)];
}
