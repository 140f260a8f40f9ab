// Audit: what administrators have done, when, from where, with filters that the server applies.

import { useState } from "preact/hooks";
import { type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { messageOf } from "../../api/server.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Empty, Failure } from "../../parts/pieces.tsx";
import { ScrolledCard } from "../../parts/scrolled.tsx";
import { useRequest } from "../../parts/use-request.ts";
import "./audit.css";

interface AuditFilter {
  readonly who: string;
  readonly action: string;
  readonly text: string;
  /** Of a day, as its input has it. */
  readonly since: string;
}

const everything: AuditFilter = { who: "", action: "", text: "", since: "" };
const pageSize = 100;

const query = `query ($first: Int, $before: String, $since: String, $who: String, $action: String, $text: String) {
  audit(first: $first, before: $before, since: $since, who: $who, action: $action, text: $text) { at action who from what outcome }
}`;

export function AuditPage() {
  const { server } = useConsole();
  const [filter, setFilter] = useState(everything);
  /** The first entry of the page is before this time. "": the newest. */
  const [before, setBefore] = useState("");
  const { value, failure, again } = useRequest(async () => {
    const { since, ...texts } = filter;
    const times = { before: before || null, since: since === "" ? null : new Date(`${since}T00:00`).toISOString() };
    return objectsIn((await server.admin(query, { first: pageSize, ...texts, ...times })).audit);
  }, [server, filter, before]);
  if (isWithoutAudit(failure)) {
    return (
      <Empty title="Nothing is kept">
        This server keeps no audit: start it with <code>--audit</code>, or add <code>auditPlugin()</code> to its configuration.
      </Empty>
    );
  }
  const change = (part: Partial<AuditFilter>) => {
    setFilter({ ...filter, ...part });
    setBefore("");
  };
  return (
    <div class="server">
      <h1>What administrators did</h1>
      <div class="audit-filters">
        {(["who", "action", "text"] as const).map((name) => (
          <label key={name}>
            {labels[name]}
            <input type="search" value={filter[name]} onInput={({ currentTarget }) => change({ [name]: currentTarget.value })} />
          </label>
        ))}
        <label>
          Since
          <input type="date" value={filter.since} onInput={({ currentTarget }) => change({ since: currentTarget.value })} />
        </label>
      </div>
      <Failure of={failure} again={again} />
      {value?.length === 0 && <p class="hint">Nothing fits. Entries are kept for 90 days, unless the server is configured otherwise.</p>}
      {value !== undefined && value.length > 0 && <Entries entries={value} />}
      <footer class="audit-pages">
        {before !== "" && (
          <button type="button" onClick={() => setBefore("")}>
            Newest
          </button>
        )}
        {value?.length === pageSize && (
          <button type="button" onClick={() => setBefore(textOf(value.at(-1)?.at))}>
            Older
          </button>
        )}
      </footer>
    </div>
  );
}

const labels = { who: "Who or where from", action: "Action", text: "In the sentence" } as const;

/** A server without the plugin does not know the field. */
function isWithoutAudit(failure: unknown): boolean {
  return failure !== undefined && /Cannot query field "audit"/.test(messageOf(failure));
}

function Entries({ entries }: { readonly entries: readonly JsonObject[] }) {
  return (
    <ScrolledCard title="Entries">
      <table class="audit">
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>From</th>
            <th>What</th>
            <th>Action</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ at, who, from, what, action, outcome }, place) => (
            <tr key={`${textOf(at)} ${place}`}>
              <td>
                <time dateTime={textOf(at)}>{new Date(textOf(at)).toLocaleString()}</time>
              </td>
              <td>{textOf(who)}</td>
              <td>{textOf(from) || "–"}</td>
              <td>
                {textOf(what)}
                {outcome === "failed" && <b class="bad"> (failed)</b>}
              </td>
              <td>
                <code>{textOf(action)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledCard>
  );
}
