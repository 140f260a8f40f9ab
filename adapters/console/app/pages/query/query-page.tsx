// Query: operations in tabs with an editor that knows the API, the answer as the chosen identity gets it, and why: its plan and its rules.

import { graphql } from "cm6-graphql";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { firstQuery } from "../../model/operations.ts";
import { writtenRules } from "../../model/rules.ts";
import { AnswerView } from "../../parts/answer-view.tsx";
import { useConsole } from "../../parts/console-context.ts";
import { Editor } from "../../parts/editor.tsx";
import { Empty, Failure, NoApi, number, plural, Tabs } from "../../parts/pieces.tsx";
import { RulesTable } from "../../parts/rules-table.tsx";
import { ScrolledPart, ScrolledText } from "../../parts/scrolled.tsx";
import { CurlDialog } from "./curl-dialog.tsx";
import { type Documents, titleOf, useDocuments } from "./documents.ts";
import { type Run, runDocument } from "./run-document.ts";

const views = ["Answer", "Plan", "Rules"] as const;

/** What became of the document of a tab. */
interface Result {
  readonly run: Run | undefined;
  readonly failure: unknown;
}

const nothingRun: Result = { run: undefined, failure: undefined };

export function QueryPage() {
  const { server, identity, deployed } = useConsole();
  const documents = useDocuments(() => firstQuery(deployed?.model));
  const { chosen, change } = documents;
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [running, setRunning] = useState<AbortController>();
  const [view, setView] = useState<(typeof views)[number]>("Answer");
  const [showsCurl, setShowsCurl] = useState(false);
  const [input, setInput] = useState<"Variables" | "Headers">("Variables");
  const extensions = useMemo(() => graphql(deployed?.model.schema), [deployed]);
  const written = useMemo(() => writtenRules(deployed?.text ?? ""), [deployed]);
  const current = useRef<AbortController>(undefined);
  // What runs belongs to one tab, and to one identity.
  useEffect(() => () => current.current?.abort(), [chosen.id, identity]);
  if (deployed === undefined) return <NoApi />;

  const { run, failure } = results.get(chosen.id) ?? nothingRun;
  const show = (id: string, result: Result) => setResults((before) => new Map(before).set(id, result));
  const send = async () => {
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    const isCurrent = () => current.current === control;
    setRunning(control);
    show(chosen.id, { run, failure: undefined });
    try {
      const onRun = (each: Run) => isCurrent() && show(chosen.id, { run: each, failure: undefined });
      await runDocument(chosen, { server, identity, signal: control.signal, onRun });
    } catch (thrown) {
      if (isCurrent() && !control.signal.aborted) show(chosen.id, { run: undefined, failure: thrown });
    }
    if (isCurrent()) setRunning(undefined);
  };

  return (
    <div class="query">
      {showsCurl && <CurlDialog document={chosen} onClose={() => setShowsCurl(false)} />}
      <section class="write">
        <div class="toolbar">
          <h1>Query</h1>
          <a href="graphql" target="_blank" rel="noreferrer">
            GraphiQL ↗
          </a>
          <span class="spring" />
          <button type="button" class="plain" onClick={() => setShowsCurl(true)}>
            As curl
          </button>
          {running === undefined ? (
            <button type="button" class="primary" onClick={send} title="Ctrl-Enter">
              Run
            </button>
          ) : (
            <button type="button" onClick={() => running.abort()}>
              Stop
            </button>
          )}
        </div>
        <DocumentTabs documents={documents} />
        <Editor key={chosen.id} text={chosen.text} onText={(text) => change({ text })} extensions={extensions} label="Operation" onRun={send} />
        <div class="variables">
          <Tabs names={["Variables", "Headers"]} chosen={input} onChoose={setInput} label="Sent beside the operation" />
          {input === "Variables" ? (
            <textarea
              aria-label="Variables"
              rows={3}
              spellcheck={false}
              value={chosen.variables}
              onInput={(event) => change({ variables: event.currentTarget.value })}
            />
          ) : (
            <textarea
              aria-label="Headers"
              rows={3}
              spellcheck={false}
              value={chosen.headers}
              title="Sent as a client, also with subscriptions; the token comes from the button at the top right"
              onInput={(event) => change({ headers: event.currentTarget.value })}
            />
          )}
        </div>
      </section>
      <section class="result" aria-label="Result" aria-live="polite">
        <div class="toolbar">
          <Tabs names={views} chosen={view} onChoose={setView} label="Result" />
          <span class="spring" />
          {run && <span class="hint">{summaryOf({ ...run, isRunning: running !== undefined })}</span>}
        </div>
        <Failure of={failure} />
        {run === undefined && failure === undefined && (
          <Empty title="Nothing has run yet">Ctrl-Enter runs the operation, Ctrl-Space completes. A subscription of a client stays live.</Empty>
        )}
        {run && view === "Answer" && <AnswerView answer={run.answer} />}
        {run && view === "Plan" && (
          <ScrolledText>
            {run.plan.length > 0 ? run.plan.join("\n") : "The server made no plan: the operation was refused, or it is a mutation of a client."}
          </ScrolledText>
        )}
        {run && view === "Rules" && (
          <ScrolledPart>
            {identity.kind === "administrator" ? (
              <p class="hint">No rule applies to an administrator. Choose a client at the top right, or try the operation on the page Rules.</p>
            ) : (
              <RulesTable applied={run.rules} written={written} model={deployed.model} />
            )}
          </ScrolledPart>
        )}
      </section>
    </div>
  );
}

function summaryOf({ results, tookMs, isRunning }: Run & { readonly isRunning: boolean }): string {
  if (results === undefined) return `${number(Math.round(tookMs))} ms there and back`;
  return `${plural(results, "result")}, ${isRunning ? "live" : "ended"}`;
}

function DocumentTabs({ documents: { all, chosen, choose, add, close, isFull } }: { readonly documents: Documents }) {
  return (
    <section class="documents" aria-label="Operations">
      {all.map((each) => (
        <span key={each.id} class={each.id === chosen.id ? "chosen" : undefined}>
          <button type="button" aria-pressed={each.id === chosen.id} onClick={() => choose(each.id)}>
            {titleOf(each)}
          </button>
          {all.length > 1 && (
            <button type="button" aria-label={`Close ${titleOf(each)}`} onClick={() => close(each.id)}>
              ✕
            </button>
          )}
        </span>
      ))}
      {!isFull && (
        <button type="button" aria-label="New operation" onClick={add}>
          +
        </button>
      )}
    </section>
  );
}
