// Rules: an operation tried as somebody, what the rules of the schema left of it, and what an administrator would get.

import { graphql } from "cm6-graphql";
import { useMemo, useState } from "preact/hooks";
import { at, isList, type Json, type JsonObject, listOf, textOf, writeJson } from "../../api/json.ts";
import type { Answer, Server } from "../../api/server.ts";
import { authorizationIn } from "../../model/authorization.ts";
import { claimsIn } from "../../model/claims.ts";
import { firstQuery, variablesIn, writes } from "../../model/operations.ts";
import { type AppliedRule, appliedRules, type WrittenRule, writtenRules } from "../../model/rules.ts";
import { AnswerView } from "../../parts/answer-view.tsx";
import { useConsole } from "../../parts/console-context.ts";
import { Editor } from "../../parts/editor.tsx";
import { Failure, NoApi, number, plural, Tabs } from "../../parts/pieces.tsx";
import { RulesTable } from "../../parts/rules-table.tsx";
import { ScrolledPart, ScrolledText } from "../../parts/scrolled.tsx";
import { useKept } from "../../parts/use-kept.ts";
import { type Who, WhoForm } from "./who.tsx";

interface Trial {
  readonly answer: Answer;
  readonly headers: Readonly<Record<string, string>>;
  readonly rules: readonly AppliedRule[];
  readonly plan: readonly string[];
  /** What an administrator gets; undefined for a mutation, which is not run twice. */
  readonly unrestricted: JsonObject | undefined;
}

const views = ["Rules", "Answer", "Plan"] as const;

export function RulesPage() {
  const { server, deployed, become } = useConsole();
  const [text, setText] = useKept("rules.operation", () => firstQuery(deployed?.model));
  const [variables, setVariables] = useKept("rules.variables", () => "{}");
  const [claims, setClaims] = useKept("rules.claims", () => firstClaims(deployed?.text ?? ""));
  const [given, setGiven] = useState<Pick<Who, "kind" | "token">>({ kind: "Claims", token: "" });
  const [trial, setTrial] = useState<Trial>();
  const [failure, setFailure] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const [view, setView] = useState<(typeof views)[number]>("Rules");
  const extensions = useMemo(() => graphql(deployed?.model.schema), [deployed]);
  const written = useMemo(() => writtenRules(deployed?.text ?? ""), [deployed]);
  if (deployed === undefined) return <NoApi />;
  const header = authorizationIn(deployed.text)?.header ?? "Authorization";
  const who: Who = { ...given, claims };

  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      const headers = await headersOf(server, who, header);
      setTrial(await tried(server, { query: text, variables: variablesIn(variables) }, headers));
      setFailure(undefined);
    } catch (thrown) {
      setTrial(undefined);
      setFailure(thrown);
    }
    setRunning(false);
  };

  return (
    <div class="query rules">
      <section class="write">
        <div class="toolbar">
          <h1>Rules</h1>
          <span class="spring" />
          <button type="button" class="primary" disabled={isRunning} onClick={run} title="Ctrl-Enter">
            {isRunning ? "Running…" : writes(text) ? "Run, and write" : "Run"}
          </button>
        </div>
        <WhoForm
          who={who}
          header={header}
          onChange={({ kind, token, claims: next }) => {
            setClaims(next);
            setGiven({ kind, token });
          }}
        />
        <Editor text={text} onText={setText} extensions={extensions} label="Operation" onRun={run} />
        <label class="variables">
          Variables
          <textarea rows={2} spellcheck={false} value={variables} onInput={(event) => setVariables(event.currentTarget.value)} />
        </label>
      </section>
      <section class="result" aria-label="Result" aria-live="polite">
        <div class="toolbar">
          <Tabs names={views} chosen={view} onChoose={setView} label="Result" />
          <span class="spring" />
          {trial && (
            <button
              type="button"
              onClick={() => become({ kind: "client", headers: trial.headers })}
              title="All pages then read and write as this client"
            >
              Use everywhere
            </button>
          )}
        </div>
        <Failure of={failure} />
        {trial === undefined && failure === undefined && <RulesOfSchema rules={written} />}
        {trial && view === "Rules" && (
          <ScrolledPart>
            <Difference trial={trial} />
            <RulesTable applied={trial.rules} written={written} model={deployed.model} />
          </ScrolledPart>
        )}
        {trial && view === "Answer" && <AnswerView answer={trial.answer} />}
        {trial && view === "Plan" && <ScrolledText>{trial.plan.join("\n") || "The operation was refused before it was planned."}</ScrolledText>}
      </section>
    </div>
  );
}

async function headersOf(server: Server, who: Who, header: string): Promise<Readonly<Record<string, string>>> {
  if (who.kind === "Nobody") return {};
  if (who.kind === "Token") {
    if (who.token.trim() === "") throw new Error("Paste a token, or choose Claims or Nobody.");
    return { [header]: who.token.trim() };
  }
  claimsIn(who.claims);
  const made = await server.admin("mutation Sign($claims: String!) { developmentToken(claims: $claims) { header token } }", {
    claims: who.claims.trim() === "" ? "{}" : who.claims,
  });
  return { [textOf(at(made, "developmentToken", "header"))]: textOf(at(made, "developmentToken", "token")) };
}

async function tried(
  server: Server,
  request: { readonly query: string; readonly variables: JsonObject },
  headers: Readonly<Record<string, string>>,
): Promise<Trial> {
  const answer = await server.explain(request, headers);
  const { plan, rules } = answer.extensions;
  const unrestricted = writes(request.query) ? undefined : (await server.ask(request)).data;
  return { answer, headers, rules: appliedRules(rules), plan: listOf(plan).map(textOf), unrestricted };
}

/** How much of each root field the rules left. */
function Difference({ trial: { answer, unrestricted } }: { readonly trial: Trial }) {
  const roots = Object.entries(unrestricted ?? {}).map(([name, all]) => ({ name, all: resultsIn(all), seen: resultsIn(answer.data[name]) }));
  return (
    <>
      {answer.errors.map(({ message }) => (
        <p class="problem" key={message}>
          {message}
        </p>
      ))}
      {listOf(answer.extensions.hiddenErrors).map((message) => (
        <p class="hint" key={textOf(message)}>
          The client does not get this error: {textOf(message)}
        </p>
      ))}
      <dl class="difference">
        {roots.map(({ name, all, seen }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{plural(seen.length, "result")}</b>; an administrator gets {number(all.length)}, of which {number(sharedBy(all, seen))} are the same
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** As texts, so that they can be compared. */
function resultsIn(value: Json | undefined): readonly string[] {
  if (isList(value)) return value.map((each) => writeJson(each));
  return value === null || value === undefined ? [] : [writeJson(value)];
}

function sharedBy(all: readonly string[], seen: readonly string[]): number {
  const texts = new Set(seen);
  return all.filter((each) => texts.has(each)).length;
}

function RulesOfSchema({ rules }: { readonly rules: readonly WrittenRule[] }) {
  if (rules.length === 0) {
    return (
      <ScrolledPart>
        <p class="hint">
          No type of this schema has <code>@auth</code>, so every client may read and write everything.
        </p>
      </ScrolledPart>
    );
  }
  return (
    <ScrolledPart>
      <p class="hint">The rules of the schema. Run the operation, and this side shows what they left of it.</p>
      <ul class="applied-rules">
        {rules.map(({ type, field, operation, text }) => (
          <li key={`${type} ${field} ${operation}`}>
            <h3>
              {field === undefined ? type : `${type}.${field}`}
              <small>{operation}</small>
            </h3>
            <pre>{text}</pre>
          </li>
        ))}
      </ul>
    </ScrolledPart>
  );
}

/** The claims that the rules of the schema ask about. */
function firstClaims(schema: string): string {
  const rules = writtenRules(schema);
  const names = new Set(
    rules.flatMap(({ text }) => [...(text.split("{")[0] === "" ? text.matchAll(/\$(\w+)/g) : text.matchAll(/\$(\w+)\s*:/g))].map(([, name]) => name)),
  );
  return JSON.stringify(Object.fromEntries([...names].map((name) => [name, ""])), null, 2);
}
