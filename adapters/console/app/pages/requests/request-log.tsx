// Requests as they end, one by one, with filters that the server applies. The server listens only while somebody looks.

import { useEffect, useState } from "preact/hooks";
import { at, type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { useConsole } from "../../parts/console-context.ts";
import { msText } from "../../parts/figures.tsx";
import { Failure, number, plural } from "../../parts/pieces.tsx";
import { ScrolledText } from "../../parts/scrolled.tsx";
import { useRequest } from "../../parts/use-request.ts";
import { operationText } from "./failure-groups.tsx";
import "./request-log.css";

const everyMs = 1_000;

interface LogFilter {
  readonly kind: string;
  readonly operation: string;
  readonly caller: string;
  readonly atLeastMs: string;
  readonly failed: boolean;
}

const everything: LogFilter = { kind: "", operation: "", caller: "", atLeastMs: "", failed: false };

export function RequestLog() {
  const { server } = useConsole();
  const [filter, setFilter] = useState(everything);
  const [isHeld, setHeld] = useState(false);
  const parameters = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)])).toString();
  const { value, failure, again, isLoading } = useRequest(
    async () => objectsIn(at(await server.adminJson(`admin/requests/log?${parameters}`), "data", "requests")),
    [server, parameters],
  );
  useEffect(() => {
    if (isLoading || isHeld) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), everyMs);
    return () => clearInterval(timer);
  }, [isLoading, isHeld, again]);
  return (
    <section class="request-log" aria-label="Request log">
      <header>
        <h2>Requests as they end</h2>
        <button type="button" aria-pressed={isHeld} onClick={() => setHeld(!isHeld)}>
          Hold
        </button>
      </header>
      <Filters filter={filter} onChange={(part) => setFilter((before) => ({ ...before, ...part }))} />
      <Failure of={failure} again={again} />
      {value?.length === 0 && <p class="hint">None yet. The server listens while this page is open, and keeps the last 1,000.</p>}
      {value?.map((request) => (
        <Entry key={textOf(request.requestID)} of={request} />
      ))}
    </section>
  );
}

interface FiltersProps {
  readonly filter: LogFilter;
  readonly onChange: (part: Partial<LogFilter>) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  return (
    <div class="log-filters">
      <label>
        Kind
        <select value={filter.kind} onChange={({ currentTarget }) => onChange({ kind: currentTarget.value })}>
          <option value="">all</option>
          <option>query</option>
          <option>mutation</option>
          <option>subscription</option>
        </select>
      </label>
      <label>
        Operation
        <input
          type="search"
          value={filter.operation}
          placeholder="in name or text"
          onInput={({ currentTarget }) => onChange({ operation: currentTarget.value })}
        />
      </label>
      <label>
        Caller
        <input
          type="search"
          value={filter.caller}
          placeholder="user ada"
          onInput={({ currentTarget }) => onChange({ caller: currentTarget.value })}
        />
      </label>
      <label>
        At least
        <select value={filter.atLeastMs} onChange={({ currentTarget }) => onChange({ atLeastMs: currentTarget.value })}>
          <option value="">any time</option>
          {["10", "100", "1000"].map((ms) => (
            <option key={ms} value={ms}>
              {msText(Number(ms))}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input type="checkbox" checked={filter.failed} onChange={() => onChange({ failed: !filter.failed })} />
        Failed only
      </label>
    </div>
  );
}

function Entry({ of }: { readonly of: JsonObject }) {
  const [isOpen, setOpen] = useState(false);
  const isFailed = of.outcome !== "ok";
  return (
    <details class="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <time>{new Date(Number(of.at)).toLocaleTimeString()}</time>
        <b>{msText(Number(of.durationMs))}</b>
        <span>{operationText(of.kind, of.name)}</span>
        {isFailed && <span class="bad">{textOf(of.code) || textOf(of.outcome)}</span>}
        <span class="hint">
          {textOf(of.caller) || "administrator or server"}, {plural(Number(of.touched), "node")}
        </span>
      </summary>
      {isOpen && <Detail of={of} />}
    </details>
  );
}

function Detail({ of }: { readonly of: JsonObject }) {
  const plan = textOf(of.plan);
  return (
    <>
      <Steps of={of} />
      <ScrolledText kind="document">{textOf(of.document)}</ScrolledText>
      {plan !== "" && <ScrolledText kind="document">{plan}</ScrolledText>}
      <p class="hint">
        Values are masked. Request <code>{textOf(of.requestID)}</code>, number {number(Number(of.number))}.
      </p>
    </>
  );
}

const steps = [
  ["waitedMs", "waited for others"],
  ["preparedMs", "parsed, validated and planned"],
  ["ranMs", "read, wrote and answered"],
] as const;

/** A bar for each step, as long as its part of the whole. */
function Steps({ of }: { readonly of: JsonObject }) {
  const whole = Math.max(Number(of.durationMs), 0.001);
  return (
    <table class="steps">
      <tbody>
        {steps.map(([name, text]) => {
          const ms = Math.max(0, Number(at(of, "steps", name) ?? 0));
          return (
            <tr key={name}>
              <th scope="row">{text}</th>
              <td>{msText(ms)}</td>
              <td class="bar-cell" aria-hidden="true">
                <span style={{ width: `${Math.min(100, (ms / whole) * 100)}%` }} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
