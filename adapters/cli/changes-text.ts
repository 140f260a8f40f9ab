// What a deploy changes, as lines for people.

import { type ApiChange, brokenText, type DeployComparison, type Renamed, type Unreachable, unreachableText } from "../../core/index.ts";

const marks = { added: "+", changed: "~", removed: "-" } as const;

/** `- Boat.seats was removed.  (breaking)`, the gravest first. */
export function apiLines(changes: readonly ApiChange[]): readonly string[] {
  return changes.map(({ change, level, description }) => `${marks[change]} ${description}${level === "safe" ? "" : `  (${level})`}`);
}

/** Those that somebody who edits a schema looks for: of its own types and of the root types. What follows from them is counted. */
export function ownApiLines(changes: readonly ApiChange[], documents: readonly string[]): readonly string[] {
  const declared = documents.flatMap((text) => [...text.matchAll(/\b(?:type|interface|input|enum|union)\s+(\w+)/g)].map(([, name]) => name));
  const own = new Set(["Query", "Mutation", "Subscription", ...declared]);
  const shown = changes.filter(({ on }) => own.has(on));
  const others = changes.length - shown.length;
  return others === 0 ? apiLines(shown) : [...apiLines(shown), `and ${others} in generated types`];
}

/** `2 breaking, 1 dangerous, 5 safe changes of the API` */
export function apiSummary(changes: readonly ApiChange[]): string {
  const counts = (["breaking", "dangerous", "safe"] as const).flatMap((level) => {
    const count = changes.filter((change) => change.level === level).length;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  if (counts.length === 0) return "The API stays as it is";
  return `${counts.join(", ")} ${changes.length === 1 ? "change" : "changes"} of the API`;
}

export function renamedText({ from, to }: Renamed): string {
  return `${to} is what ${from} was: its data are kept.`;
}

/** With the way to keep in sight what only has another name. */
export function unreachableLines(found: readonly Unreachable[]): readonly string[] {
  return found.flatMap((each) => [
    unreachableText(each),
    `  Nothing is deleted. If it only has a new name, say so there: @was(name: "${each.name.split(".").at(-1)}").`,
  ]);
}

/** The whole comparison; the last line sums up. */
export function comparisonText({ api, storage, renamed, unreachable, brokenDocuments = [] }: DeployComparison): string {
  return [
    ...section("API", apiLines(api)),
    ...section("Storage", [...storage.work, ...renamed.map(renamedText), ...unreachableLines(unreachable)]),
    ...section("Trusted documents that the API would refuse", brokenDocuments.map(brokenText)),
    ...section("Refused, because of the data", storage.obstacles),
    `${apiSummary(api)}${storage.obstacles.length > 0 ? "; the deploy would be refused" : ""}.`,
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ""];
}

/** Whether a deploy would be refused, break clients or trusted documents, or put data out of sight. */
export function isGrave({ api, storage, unreachable, brokenDocuments = [] }: DeployComparison): boolean {
  return brokenDocuments.length > 0 || storage.obstacles.length > 0 || unreachable.length > 0 || api.some(({ level }) => level === "breaking");
}
