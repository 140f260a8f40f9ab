// Query: an operation in an editor that knows the API, its answer as the chosen identity gets it, and beside it the plan by which it is read.

import { graphql } from "cm6-graphql";
import { useMemo, useState } from "preact/hooks";
import { isObject, type JsonObject, listOf, parseJson, textOf, writeJson } from "../../api/json.ts";
import { type Answer, administrator } from "../../api/server.ts";
import type { ApiModel } from "../../model/api-model.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Editor } from "../../parts/editor.tsx";
import { Empty, Failure, Tabs } from "../../parts/pieces.tsx";
import { addressOf } from "../../parts/router.ts";

const kept = "quern.query";

interface Run {
  readonly answer: Answer;
  readonly tookMs: number;
  readonly plan: readonly string[];
}

export function QueryPage() {
  const { server, identity, deployed } = useConsole();
  const [text, setText] = useState(() => window.sessionStorage.getItem(kept) ?? firstQuery(deployed?.model));
  const [variables, setVariables] = useState("{}");
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const [tab, setTab] = useState<"Answer" | "Plan">("Answer");
  const extensions = useMemo(() => graphql(deployed?.model.schema), [deployed]);
  if (deployed === undefined) {
    return (
      <Empty title="There is no API yet">
        <a class="button primary" href={addressOf("schema")}>
          Write a schema
        </a>
      </Empty>
    );
  }

  const send = async () => {
    window.sessionStorage.setItem(kept, text);
    setRunning(true);
    const begun = performance.now();
    try {
      const values = variablesIn(variables);
      const answer = await server.ask({ query: text, variables: values, as: identity, plan: true });
      const tookMs = performance.now() - begun;
      setRun({ answer, tookMs, plan: await planOf(answer, values) });
      setFailure(undefined);
    } catch (thrown) {
      setFailure(thrown);
    }
    setRunning(false);
  };

  /** A client gets no plan. The plan is the same for all: what rules add to it differs, and is not part of it. A mutation is not run twice. */
  async function planOf({ extensions: { plan } }: Answer, values: JsonObject): Promise<readonly string[]> {
    if (plan !== undefined || identity.kind === "administrator" || /\b(?:mutation|subscription)\b/.test(text)) return listOf(plan).map(textOf);
    const again = await server.ask({ query: text, variables: values, as: administrator, plan: true });
    return listOf(again.extensions.plan).map(textOf);
  }

  return (
    <div class="query">
      <section class="write">
        <div class="toolbar">
          <h1>Query</h1>
          <a href="graphql" target="_blank" rel="noreferrer">
            GraphiQL ↗
          </a>
          <span class="spring" />
          <button type="button" class="primary" disabled={isRunning} onClick={send} title="Ctrl-Enter">
            {isRunning ? "Running…" : "Run"}
          </button>
        </div>
        <Editor text={text} onText={setText} extensions={extensions} label="Operation" onRun={send} />
        <label class="variables">
          Variables
          <textarea rows={3} spellcheck={false} value={variables} onInput={(event) => setVariables(event.currentTarget.value)} />
        </label>
      </section>
      <section class="result" aria-label="Result" aria-live="polite">
        <div class="toolbar">
          <Tabs names={["Answer", "Plan"]} chosen={tab} onChoose={setTab} label="Result" />
          <span class="spring" />
          {run && <span class="hint">{run.tookMs.toFixed(0)} ms there and back</span>}
        </div>
        <Failure of={failure} />
        {run === undefined && failure === undefined && (
          <Empty title="Nothing has run yet">Ctrl-Enter runs the operation, Ctrl-Space completes.</Empty>
        )}
        {run && tab === "Answer" && <pre class="json">{answerText(run.answer)}</pre>}
        {run && tab === "Plan" && (
          <pre class="json">
            {run.plan.length > 0 ? run.plan.join("\n") : "The server made no plan: the operation was refused, or it is a mutation of a client."}
          </pre>
        )}
      </section>
    </div>
  );
}

function answerText({ data, errors }: Answer): string {
  const shown = errors.map(({ message, path, code }) => ({ message, ...(path.length > 0 && { path }), ...(code !== undefined && { code }) }));
  return writeJson({ ...(shown.length > 0 && { errors: shown }), data }, 2);
}

function variablesIn(text: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parsed(text);
  if (!isObject(value)) throw new Error('Variables are a JSON object, such as {"first": 10}.');
  return value;
}

function parsed(text: string) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function firstQuery(model: ApiModel | undefined): string {
  const [type] = model?.types ?? [];
  if (type === undefined) return "{ __typename }\n";
  const fields = type.fields.filter(({ kind }) => kind !== "link" && kind !== "geo").map(({ name }) => `    ${name}`);
  return `{\n  ${type.query}(first: 10) {\n${fields.join("\n")}\n  }\n}\n`;
}
