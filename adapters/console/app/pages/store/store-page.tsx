// Store: what is in it and how much room it takes, its cache, checks and backups, and the process that has it open.

import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { at, isObject, type Json, objectsIn, textOf } from "../../api/json.ts";
import { useConsole } from "../../parts/console-context.ts";
import { bytesText, durationText, Facts, Figure } from "../../parts/figures.tsx";
import { Failure, number } from "../../parts/pieces.tsx";
import { RateChart } from "../../parts/rate-chart.tsx";
import { useChanges } from "../../parts/use-changes.ts";
import { useReadings } from "../../parts/use-readings.ts";
import { useRequest } from "../../parts/use-request.ts";
import { Backups } from "./backups.tsx";
import { CacheSize } from "./cache-size.tsx";
import { Checks } from "./checks.tsx";
import { Sizes } from "./sizes.tsx";

export function StorePage() {
  const { server } = useConsole();
  const commits = useCommits();
  const { value, failure, again, samples } = useReadings("admin/readings", (data) => ({
    commits: commits.current,
    cacheEvicted: Number(at(data, "statistics", "cacheAgedTotal") ?? 0),
  }));
  const store = useReadings("admin/store", () => ({}));
  const health = useRequest(() => server.admin("{ health { version uptime status } }"), [server]);

  const gauges = numbersAt(value, "gauges");
  const statistics = numbersAt(value, "statistics");
  const tasks = objectsIn(at(store.value, "tasks"));
  const maxCacheBytes = at(store.value, "cache", "maxBytes");
  const node = at(health.value, "health", 0);
  const nodes = Object.entries(statistics).filter(([name]) => name.startsWith("nodes."));
  const estimated = statistics.nodesEstimated === 1 ? ", estimated" : "";
  const others = Object.entries(statistics).filter(([name]) => !name.startsWith("nodes"));
  return (
    <div class="server">
      <h1 class="hidden">Store</h1>
      <Failure of={failure ?? store.failure} again={failure === undefined ? store.again : again} />
      <section class="figures" aria-label="Now">
        <Figure name={`Nodes${estimated}`} value={statistics.nodes} />
        <Figure name="On disk" value={statistics.diskBytes} unit="bytes" />
        <Figure name="In the cache" value={statistics.cacheBytes} unit="bytes" />
        <Figure name="Requests running" value={gauges.requestsRunning} />
      </section>
      <div class="charts">
        <RateChart title="Commits a second" samples={samples} of="commits" />
        {statistics.cacheAgedTotal !== undefined && <RateChart title="Evictions of the cache a second" samples={samples} of="cacheEvicted" />}
      </div>
      <div class="tables">
        <Sizes of={objectsIn(at(store.value, "sizes"))} />
        <div class="stack">
          <Checks tasks={tasks} onBegun={store.again} />
          <Backups tasks={tasks} onBegun={store.again} />
          {typeof maxCacheBytes === "number" && <CacheSize maxBytes={maxCacheBytes} usedBytes={statistics.cacheBytes} onChanged={store.again} />}
        </div>
        <div class="stack">
          <Facts title={`Nodes by type${estimated}`} rows={nodes.map(([name, count]) => [name.slice("nodes.".length), number(count)])} />
          <Facts
            title="Process"
            rows={[
              ["status", textOf(at(node, "status"))],
              ["version", textOf(at(node, "version"))],
              ["uptime", durationText(Number(at(node, "uptime") ?? 0))],
              ...folderRow(at(store.value, "folder")),
            ]}
          />
        </div>
        <Facts title={`Storage: ${textOf(at(value, "storage"))}`} rows={others.map(amountOf)} />
        <Facts title="Kernel" rows={Object.entries(gauges).map(amountOf)} />
      </div>
    </div>
  );
}

function folderRow(folder: Json | undefined): readonly (readonly [string, string])[] {
  return typeof folder === "string" ? [["folder", folder]] : [];
}

function numbersAt(data: Json | undefined, name: string): Readonly<Record<string, number>> {
  const found = at(data, name);
  return isObject(found) ? Object.fromEntries(Object.entries(found).map(([each, amount]) => [each, Number(amount)])) : {};
}

function amountOf([name, value]: readonly [string, number]): readonly [string, string] {
  return [name, /bytes$/i.test(name) ? bytesText(value) : number(value)];
}

// Counts commits while a page is open: not every storage numbers them one by one, but each says when there was one.

function useCommits(): RefObject<number> {
  const commits = useRef(0);
  useChanges((count) => {
    commits.current += count;
  });
  return commits;
}
