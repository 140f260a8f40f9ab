// Requests: how many, how long they took, which failed and why, and the slowest documents with their plans.

import { useState } from "preact/hooks";
import { at, type Json, type JsonObject, listOf, objectsIn, textOf } from "../../api/json.ts";
import { agoText, Facts, Figure, msText } from "../../parts/figures.tsx";
import { Empty, Failure, number, plural } from "../../parts/pieces.tsx";
import { RateChart } from "../../parts/rate-chart.tsx";
import { ScrolledCard, ScrolledText } from "../../parts/scrolled.tsx";
import { useReadings } from "../../parts/use-readings.ts";
import { FailureGroups } from "./failure-groups.tsx";
import { RequestLog } from "./request-log.tsx";

const kinds = ["query", "mutation", "subscription"] as const;

export function RequestsPage() {
  const { value, failure, again, samples } = useReadings("admin/requests", (data) => ({
    ...Object.fromEntries(kinds.map((kind) => [kind, Number(kindIn(data, kind)?.count ?? 0)])),
    failed: objectsIn(at(data, "kinds")).reduce((sum, { failed }) => sum + Number(failed), 0),
  }));
  const bounds = listOf(at(value, "boundsMs")).map(Number);
  const failures = objectsIn(at(value, "failures"));
  const [text, setText] = useState("");
  const all = { recent: objectsIn(at(value, "recentFailures")), slow: objectsIn(at(value, "slow")) };
  const groups = objectsIn(at(value, "groups")).filter((each) => isFound(each, text));
  const recent = all.recent.filter((each) => isFound(each, text));
  const slow = all.slow.filter((each) => isFound(each, text));
  return (
    <div class="server">
      <h1 class="hidden">Requests</h1>
      <Failure of={failure} again={again} />
      <section class="figures" aria-label="Since the start">
        <Figure name="Queries" value={countOf(value, "query")} />
        <Figure name="Mutations" value={countOf(value, "mutation")} />
        <Figure name="Runs of subscriptions" value={countOf(value, "subscription")} />
        <Figure name="Failed" value={value === undefined ? undefined : failures.reduce((sum, { count }) => sum + Number(count), 0)} />
      </section>
      <div class="charts">
        <RateChart title="Queries a second" samples={samples} of="query" />
        <RateChart title="Mutations a second" samples={samples} of="mutation" />
        <RateChart title="Failures a second" samples={samples} of="failed" />
      </div>
      <div class="tables">
        {kinds.map((kind) => (
          <Latencies key={kind} kind={kind} of={kindIn(value, kind)} bounds={bounds} />
        ))}
        <Facts title="Failures by code" rows={failures.map(({ code, count }) => [textOf(code), number(Number(count))])} />
      </div>
      <RequestLog />
      <label class="search">
        Show those with
        <input
          type="search"
          value={text}
          placeholder="a name, a code, a kind, a part of a document"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <section class="groups" aria-label="Slowest documents">
        <h2>Slowest documents of the last hour</h2>
        {value !== undefined && all.slow.length === 0 && <Empty title="Nothing was slow">Nothing took longer than 5 ms.</Empty>}
        {all.slow.length > 0 && slow.length === 0 && <p class="hint">None of them has this text.</p>}
        {slow.map((each) => (
          <SlowDocument key={textOf(each.requestID)} of={each} />
        ))}
      </section>
      {groups.length > 0 && <FailureGroups groups={groups} />}
      {recent.length > 0 && <RecentFailures failures={recent} />}
    </div>
  );
}

/** Every word is in one of the texts: `mutation VALUE_INVALID`. */
function isFound(of: JsonObject, text: string): boolean {
  const texts = [of.name, of.kind, of.code, of.outcome, of.document, of.requestID].map((each) => textOf(each).toLowerCase());
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.some((each) => each.includes(word)));
}

function Latencies({ kind, of, bounds }: { readonly kind: string; readonly of: JsonObject | undefined; readonly bounds: readonly number[] }) {
  const buckets = listOf(of?.buckets).map(Number);
  const rows = [0.5, 0.95, 0.99].flatMap((share) => {
    const ms = percentile(buckets, bounds, share);
    return ms === undefined ? [] : [[`${share * 100} % took at most`, ms === Number.POSITIVE_INFINITY ? "longer" : msText(ms)] as const];
  });
  return <Facts title={`Durations: ${kind}`} rows={rows} />;
}

function SlowDocument({ of }: { readonly of: JsonObject }) {
  const plan = textOf(of.plan);
  return (
    <details class="group">
      <summary>
        <b>{msText(Number(of.durationMs))}</b>
        <span>{textOf(of.name) || `${textOf(of.kind) || "request"} without a name`}</span>
        <span class="hint">
          {agoText(Number(of.at))}, {plural(Number(of.touched), "node")} touched{of.outcome === "ok" ? "" : `, ${textOf(of.outcome)}`}
        </span>
      </summary>
      <ScrolledText kind="document">{textOf(of.document)}</ScrolledText>
      {plan !== "" && <ScrolledText kind="document">{plan}</ScrolledText>}
      <p class="hint">
        Values are masked. The request <code>{textOf(of.requestID)}</code> is in the log, if it is written.
      </p>
    </details>
  );
}

function RecentFailures({ failures }: { readonly failures: readonly JsonObject[] }) {
  return (
    <ScrolledCard title="Last failures">
      <table>
        <thead>
          <tr>
            <th>When</th>
            <th>Code</th>
            <th>Operation</th>
            <th>Request</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ requestID, at: time, code, kind, name }) => (
            <tr key={textOf(requestID)}>
              <td>{agoText(Number(time))}</td>
              <td>{textOf(code)}</td>
              <td>{[textOf(kind), textOf(name)].filter((each) => each !== "").join(" ") || "–"}</td>
              <td>
                <code>{textOf(requestID)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledCard>
  );
}

function kindIn(data: Json | undefined, kind: string): JsonObject | undefined {
  return objectsIn(at(data, "kinds")).find((each) => each.kind === kind);
}

function countOf(data: Json | undefined, kind: string): number | undefined {
  const found = kindIn(data, kind);
  return found && Number(found.count);
}

// Percentiles of durations that are counted in buckets.

/** The bound of the bucket that holds the value; undefined: nothing was counted. Infinite beyond the last bound. */
function percentile(buckets: readonly number[], boundsMs: readonly number[], share: number): number | undefined {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [place, count] of buckets.entries()) {
    below += count;
    if (below >= total * share) return boundsMs[place] ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}
