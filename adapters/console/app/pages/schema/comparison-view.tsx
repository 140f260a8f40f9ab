// What a deploy would change: the API for clients, work and obstacles of the storage, data that would be hidden.

import { at, type JsonObject, listOf, objectsIn, textOf } from "../../api/json.ts";
import { plural } from "../../parts/pieces.tsx";

const levels = ["breaking", "dangerous", "safe"] as const;

const explained: Readonly<Record<(typeof levels)[number], string>> = {
  breaking: "Requests of clients may fail.",
  dangerous: "Clients may notice: new values, new optional inputs.",
  safe: "Existing requests keep their answers.",
};

export function ComparisonView({ comparison }: { readonly comparison: JsonObject }) {
  const changes = objectsIn(comparison.api);
  const obstacles = listOf(at(comparison, "storage", "obstacles")).map(textOf);
  const work = listOf(at(comparison, "storage", "work")).map(textOf);
  const unreachable = objectsIn(comparison.unreachable);
  const renamed = objectsIn(comparison.renamed).map(({ from, to }) => `${textOf(from)} → ${textOf(to)}`);
  const broken = objectsIn(comparison.brokenDocuments);
  const isEmpty = changes.length + obstacles.length + work.length + unreachable.length + renamed.length + broken.length === 0;
  return (
    <div class="comparison">
      <p class={`verdict-line ${obstacles.length > 0 ? "bad" : "good"}`}>
        {obstacles.length > 0
          ? "The data prevent this deploy."
          : isEmpty
            ? "Valid. The API and the storage stay as they are."
            : "Valid. A deploy changes this:"}
      </p>
      <Lines title="Obstacles" hint="These nodes must change first." lines={obstacles} tone="breaking" />
      <Lines
        title="Hidden data"
        hint="Kept, and back as soon as the schema declares it again."
        lines={unreachable.map(hiddenText)}
        tone="dangerous"
      />
      <Lines title="Renamed" hint="Keeps its data." lines={renamed} tone="safe" />
      <Lines
        title="Trusted documents that break"
        lines={broken.map(({ id, name, message }) => `${textOf(name ?? id)}: ${textOf(message)}`)}
        tone="breaking"
      />
      {levels.map((level) => (
        <Lines
          key={level}
          title={`API, ${level}`}
          hint={explained[level]}
          lines={changes.filter((change) => change.level === level).map((change) => textOf(change.description))}
          tone={level}
        />
      ))}
      <Lines title="Storage" hint="Built before the switch; the old API answers meanwhile." lines={work} tone="safe" />
    </div>
  );
}

function hiddenText({ name, nodes }: JsonObject): string {
  return typeof nodes === "number" ? `${textOf(name)} of ${plural(nodes, "node")}` : textOf(name);
}

interface LinesProps {
  readonly title: string;
  readonly hint?: string;
  readonly lines: readonly string[];
  readonly tone: (typeof levels)[number];
}

function Lines({ title, hint, lines, tone }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <details class={`lines ${tone}`} open={tone !== "safe" || lines.length <= 12}>
      <summary>
        {title} <span class="count">{lines.length}</span>
      </summary>
      {hint && <p class="hint">{hint}</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
