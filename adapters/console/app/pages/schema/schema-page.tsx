// Schema: the deployed text in an editor, what a deploy would change, the deploy with its progress, and the deploys before.

import { autocompletion } from "@codemirror/autocomplete";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { graphqlLanguageSupport } from "cm6-graphql";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../api/json.ts";
import { errorOf, messageOf, RequestFailed, type ServerError } from "../../api/server.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Editor } from "../../parts/editor.tsx";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { plural, Tabs } from "../../parts/pieces.tsx";
import { useDraft } from "../../parts/use-kept.ts";
import { ComparisonView } from "./comparison-view.tsx";
import { HistoryView } from "./history-view.tsx";
import { sdlCompletion } from "./sdl-completion.ts";
import { TypesView, type TypesViewProps } from "./types-view.tsx";

const pauseMs = 500;

const GraphPart = lazyPart<TypesViewProps>(async () => (await import("./graph/graph-view.tsx")).GraphView);

const views = ["Editor", "Types", "Graph", "Generated API", "History"] as const;

const firstText = `# A type, its API and its indexes follow from each declaration. For example:

type Author {
  id: ID!
  name: String! @search(by: [term, exact])
  posts: [Post] @hasInverse(field: author)
}

type Post {
  id: ID!
  title: String! @search(by: [fulltext])
  written: DateTime @search
  author: Author!
}
`;

/** What the server says about the text in the editor. */
type Verdict =
  | { readonly kind: "same" }
  | { readonly kind: "checking" }
  | { readonly kind: "valid"; readonly comparison: JsonObject }
  | { readonly kind: "invalid"; readonly errors: readonly ServerError[] };

type Deploying =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly step: JsonObject | undefined }
  | { readonly kind: "done"; readonly tookMs: number }
  | { readonly kind: "refused"; readonly errors: readonly ServerError[] };

export function SchemaPage() {
  const { server, deployed, refresh } = useConsole();
  const served = deployed?.text ?? "";
  // Kept while other pages are shown.
  const [draft, setDraft] = useDraft("schema");
  const text = draft ?? (served === "" ? firstText : served);
  const setText = (next: string) => setDraft(next === served ? undefined : next);
  const [verdict, setVerdict] = useState<Verdict>({ kind: "same" });
  const [revision, setRevision] = useState(0);
  const [deploying, setDeploying] = useState<Deploying>({ kind: "idle" });
  const [view, setView] = useState<(typeof views)[number]>("Editor");
  const editor = useRef<EditorView>(undefined);
  const extensions = useMemo(() => [graphqlLanguageSupport(), autocompletion({ override: [sdlCompletion(deployed?.model.schema)] })], [deployed]);

  useEffect(() => {
    if (text === served) return setVerdict({ kind: "same" });
    let isCurrent = true;
    setVerdict((before) => (before.kind === "valid" ? before : { kind: "checking" }));
    const timer = setTimeout(() => {
      server.compare(text).then(
        (comparison) => isCurrent && setVerdict({ kind: "valid", comparison }),
        (thrown: unknown) => isCurrent && setVerdict({ kind: "invalid", errors: errorsOf(thrown) }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, served, server]);

  useEffect(() => {
    if (draft === served) setDraft(undefined);
  }, [draft, served]);

  const errors = deploying.kind === "refused" ? deploying.errors : verdict.kind === "invalid" ? verdict.errors : noErrors;
  useEffect(() => {
    const { current } = editor;
    if (current) current.dispatch(setDiagnostics(current.state, diagnosticsOf(current, errors)));
  }, [errors]);

  const deploy = async () => {
    if (text === served) return;
    const begun = performance.now();
    setDeploying({ kind: "running", step: undefined });
    try {
      await server.deploy(text, (step) => setDeploying({ kind: "running", step }));
      setDeploying({ kind: "done", tookMs: performance.now() - begun });
      refresh();
    } catch (thrown) {
      setDeploying({ kind: "refused", errors: errorsOf(thrown) });
    }
  };

  const replaceText = (next: string) => {
    setText(next);
    setRevision(revision + 1);
    setDeploying({ kind: "idle" });
    setView("Editor");
  };

  return (
    <div class="schema">
      <section class="write">
        <h1 class="hidden">Schema</h1>
        <div class="toolbar">
          <Tabs names={views} chosen={view} onChoose={setView} label="Schema" />
          <span class="spring" />
          {text !== served && deployed !== undefined && (
            <button type="button" class="plain" onClick={() => replaceText(served)}>
              Revert
            </button>
          )}
          <button type="button" class="primary" disabled={text === served || deploying.kind === "running"} onClick={deploy} title="Ctrl-Enter">
            {deploying.kind === "running" ? "Deploying…" : "Deploy"}
          </button>
        </div>
        {view === "Editor" && (
          <Editor
            key={`editor ${revision}`}
            text={text}
            onText={(next) => {
              setText(next);
              setDeploying({ kind: "idle" });
            }}
            extensions={extensions}
            label="Schema"
            onRun={deploy}
            view={(made) => {
              editor.current = made;
            }}
          />
        )}
        {view === "Types" && (
          <TypesView
            text={text}
            onText={(next) => {
              setText(next);
              setDeploying({ kind: "idle" });
            }}
          />
        )}
        {view === "Graph" && (
          <GraphPart
            text={text}
            onText={(next) => {
              setText(next);
              setDeploying({ kind: "idle" });
            }}
          />
        )}
        {view === "Generated API" && <Editor key={deployed?.sdl} text={deployed?.sdl ?? ""} extensions={extensions} label="Generated API" />}
        {view === "History" && <HistoryView extensions={extensions} deployed={deployed} onBringBack={replaceText} />}
      </section>
      <aside class="verdict" aria-label="What a deploy does" aria-live="polite">
        <Outcome deploying={deploying} />
        {deploying.kind !== "refused" && <VerdictView verdict={verdict} hasSchema={deployed !== undefined} isFirst={served === "" && text !== ""} />}
        {errors.length > 0 && <Problems errors={errors} onGo={(error) => editor.current && goTo(editor.current, error)} />}
      </aside>
    </div>
  );
}

const noErrors: readonly ServerError[] = [];

function errorsOf(thrown: unknown): readonly ServerError[] {
  return thrown instanceof RequestFailed ? thrown.errors : [errorOf(messageOf(thrown))];
}

function diagnosticsOf(view: EditorView, errors: readonly ServerError[]): readonly Diagnostic[] {
  return errors.flatMap(({ message, hint, locations }) =>
    locations.map((location) => {
      const from = offsetOf(view, location);
      const word = view.state.wordAt(from);
      const text = hint === undefined ? message : `${message}\n${hint}`;
      return { from, to: word?.to ?? Math.min(from + 1, view.state.doc.length), severity: "error" as const, message: text };
    }),
  );
}

function offsetOf({ state: { doc } }: EditorView, { line, column }: { readonly line: number; readonly column: number }): number {
  if (line < 1 || line > doc.lines) return doc.length;
  const found = doc.line(line);
  return Math.min(found.to, found.from + Math.max(0, column - 1));
}

function goTo(view: EditorView, { locations: [location] }: ServerError): void {
  if (location === undefined) return;
  view.dispatch({ selection: { anchor: offsetOf(view, location) }, scrollIntoView: true });
  view.focus();
}

function Problems({ errors, onGo }: { readonly errors: readonly ServerError[]; readonly onGo: (error: ServerError) => void }) {
  return (
    <ol class="problems">
      {errors.map((error) => (
        <li key={`${error.message}${error.locations[0]?.line}`}>
          {error.locations[0] && (
            <button type="button" class="plain" onClick={() => onGo(error)}>
              {error.locations[0].line}:{error.locations[0].column}
            </button>
          )}
          <div>
            <p>{error.message}</p>
            {error.hint && <p class="hint">{error.hint}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Outcome({ deploying }: { readonly deploying: Deploying }) {
  if (deploying.kind === "done") return <p class="verdict-line good">Deployed in {Math.max(1, Math.round(deploying.tookMs))} ms.</p>;
  if (deploying.kind === "refused") return <p class="verdict-line bad">The deploy was refused. The API is unchanged.</p>;
  if (deploying.kind === "idle") return null;
  const { step } = deploying;
  const [done, total] = [Number(step?.done ?? 0), Number(step?.total ?? 0)];
  return (
    <div class="progress">
      <p>{step === undefined ? "Deploying…" : String(step.what)}</p>
      <progress {...(total > 0 && { value: done, max: total })} />
    </div>
  );
}

interface VerdictViewProps {
  readonly verdict: Verdict;
  readonly hasSchema: boolean;
  readonly isFirst: boolean;
}

function VerdictView({ verdict, hasSchema, isFirst }: VerdictViewProps) {
  if (verdict.kind === "same" && hasSchema) {
    return (
      <div class="quiet">
        <p class="verdict-line">This text is deployed.</p>
        <p class="hint">Change it, and this side shows what a deploy would change in the API, the storage and the data before you deploy it.</p>
      </div>
    );
  }
  if (verdict.kind === "same" && isFirst) return <p class="verdict-line">No schema is deployed yet.</p>;
  if (verdict.kind === "checking") return <p class="verdict-line">Checking…</p>;
  if (verdict.kind === "invalid") return <p class="verdict-line bad">{plural(verdict.errors.length, "error")}</p>;
  return verdict.kind === "valid" ? <ComparisonView comparison={verdict.comparison} /> : null;
}
