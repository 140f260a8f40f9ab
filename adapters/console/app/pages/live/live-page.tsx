// Live: the queries that run for subscriptions, who shares them, and what woke them.

import { at, type Json, type JsonObject, listOf, objectsIn, textOf } from "../../api/json.ts";
import { agoText, Facts, Figure, msText } from "../../parts/figures.tsx";
import { Empty, Failure, number, plural } from "../../parts/pieces.tsx";
import { RateChart } from "../../parts/rate-chart.tsx";
import { ScrolledText } from "../../parts/scrolled.tsx";
import { useReadings } from "../../parts/use-readings.ts";

const counters: Readonly<Record<string, string>> = { runs: "liveRunsTotal", inVain: "liveRunsInVainTotal", results: "liveResultsTotal" };

export function LivePage() {
  const live = useReadings("admin/live", () => ({}));
  const readings = useReadings("admin/readings", (data) =>
    Object.fromEntries(Object.entries(counters).map(([name, gauge]) => [name, Number(at(data, "gauges", gauge) ?? 0)])),
  );
  const gauge = (name: string) => numberAt(at(readings.value, "gauges"), name);
  const queries = objectsIn(at(live.value, "queries"));
  const total = Number(at(live.value, "total") ?? 0);
  return (
    <div class="server">
      <h1 class="hidden">Live</h1>
      <Failure of={live.failure ?? readings.failure} again={live.again} />
      <section class="figures" aria-label="Now">
        <Figure name="Subscriptions" value={gauge("liveSubscriptions")} />
        <Figure name="Queries that run for them" value={gauge("liveQueries")} />
        <Figure name="Runs due" value={gauge("liveRunsDue")} />
        <Figure name="Connected clients" value={gauge("liveClients")} />
      </section>
      <div class="charts">
        <RateChart title="Runs a second" samples={readings.samples} of="runs" />
        <RateChart title="Runs in vain a second" samples={readings.samples} of="inVain" />
        <RateChart title="Results sent a second" samples={readings.samples} of="results" />
      </div>
      <section class="groups" aria-label="Live queries">
        {live.value !== undefined && queries.length === 0 && (
          <Empty title="Nobody is subscribed">Subscriptions appear here while clients hold them, for example on the page Query as a client.</Empty>
        )}
        {queries.map((query, place) => (
          <Group key={`${textOf(query.document)} ${textOf(query.since)} ${place}`} query={query} />
        ))}
        {total > queries.length && (
          <p class="hint">
            These {number(queries.length)} of {number(total)} queries have the most subscriptions.
          </p>
        )}
      </section>
    </div>
  );
}

function Group({ query }: { readonly query: JsonObject }) {
  const dependsOn = listOf(query.dependsOn).map(textOf);
  const separatedBy = listOf(query.separatedBy).map(textOf);
  const lastRunMs = numberAt(query, "lastRunMs");
  return (
    <details class="group">
      <summary>
        <b>{textOf(query.name) || firstFieldOf(textOf(query.document))}</b>
        <span class="count">{plural(Number(query.subscriptions), "subscription")}</span>
        <span class="hint">{wakeText(query.lastWake)}</span>
      </summary>
      <div class="tables">
        <Facts
          title="Runs"
          rows={[
            ["began", agoText(Number(query.since))],
            ["state", textOf(query.state)],
            ["runs", number(Number(query.runs))],
            ["woken by commits", number(Number(query.wakes))],
            ["found the same data", number(Number(query.runsInVain))],
            ["last run", lastRunMs === undefined ? "–" : msText(lastRunMs)],
          ]}
        />
        <section class="card">
          <h2>Shared by</h2>
          {separatedBy.length === 0 ? (
            <p>All clients that ask the same: its answer depends on nothing of theirs.</p>
          ) : (
            <p>
              Clients that ask the same and agree in <code>{separatedBy.join(", ")}</code>
            </p>
          )}
          <h2>Woken by commits that touch</h2>
          {dependsOn.length === 0 && <p class="hint">Nothing: its answer shows no data.</p>}
          <ul class="lines-list">
            {dependsOn.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <ScrolledText kind="document">{textOf(query.document)}</ScrolledText>
    </details>
  );
}

function wakeText(wake: Json | undefined): string {
  const time = Number(at(wake, "at") ?? 0);
  if (time === 0) return "not woken yet";
  const cause = at(wake, "cause");
  const type = textOf(at(cause, "type"));
  if (at(cause, "kind") === "type") return `woken ${agoText(time)}: many ${type} nodes changed`;
  if (at(cause, "kind") !== "node") return `woken ${agoText(time)}: anything may have changed`;
  const fields = listOf(at(cause, "fields")).map(textOf);
  const uid = `0x${Number(at(cause, "uid") ?? 0).toString(16)}`;
  const what = at(cause, "change") === "changed" ? `changed (${fields.join(", ")})` : `was ${textOf(at(cause, "change"))}`;
  return `woken ${agoText(time)}: ${type} ${uid} ${what}`;
}

function firstFieldOf(document: string): string {
  const [, name = "without a name"] = /\{\s*(\w+)/.exec(document) ?? [];
  return name;
}

function numberAt(of: Json | undefined, name: string): number | undefined {
  const value = at(of, name);
  return value === undefined || value === null ? undefined : Number(value);
}
