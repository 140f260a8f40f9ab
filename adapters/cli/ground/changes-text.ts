// Formats the changes of a deploy for the terminal.

import type { ApiChange, DeployComparison, Renamed, Unreachable } from "../../../core/index.ts";
import { brokenText, unreachableText } from "../../../core/server.ts";

const marks = { added: "+", changed: "~", removed: "-" } as const;

/** `- Boat.seats was removed.  (breaking)`, the most serious first. */
function apiLines(changes: readonly ApiChange[]): readonly string[] {
  return changes.map(({ change, level, description }) => `${marks[change]} ${description}${level === "safe" ? "" : `  (${level})`}`);
}

/** The changes of declared types and of the root types, line by line. Changes of generated types follow from these; they are only counted. */
export function ownApiLines(changes: readonly ApiChange[], documents: readonly string[]): readonly string[] {
  const declared = documents.flatMap((text) => [...text.matchAll(/\b(?:type|interface|input|enum|union)\s+(\w+)/g)].map(([, name]) => name));
  const own = new Set(["Query", "Mutation", "Subscription", ...declared]);
  const shown = changes.filter(({ on }) => own.has(on));
  const others = changes.length - shown.length;
  return others === 0 ? apiLines(shown) : [...apiLines(shown), `and ${others} in generated types`];
}

/** `2 breaking, 1 dangerous, 5 safe changes of the API`; whether clients notice, if that is not obvious. */
export function apiSummary(changes: readonly ApiChange[]): string {
  const counts = (["breaking", "dangerous", "safe"] as const).flatMap((level) => {
    const count = changes.filter((change) => change.level === level).length;
    return count === 0 ? [] : [`${count} ${level}`];
  });
  if (counts.length === 0) return "The API does not change";
  const noticed = changes.some(({ level }) => level !== "safe");
  return `${counts.join(", ")} ${changes.length === 1 ? "change" : "changes"} of the API${noticed ? "" : ", which present clients do not notice"}`;
}

export function renamedText({ from, to }: Renamed): string {
  return `${from} is renamed to ${to} and keeps its data.`;
}

/** Each line with a hint that shows how to declare a rename. */
export function unreachableLines(found: readonly Unreachable[]): readonly string[] {
  return found.flatMap((each) => [
    unreachableText(each),
    `  Nothing is deleted. If you renamed it, add @was(name: "${each.name.split(".").at(-1)}") to the new declaration to keep its data visible.`,
  ]);
}

/** The whole comparison; the last line is a summary. */
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

/** Whether a deploy would be refused, break clients or trusted documents, or hide data. */
export function isBreaking({ api, storage, unreachable, brokenDocuments = [] }: DeployComparison): boolean {
  return brokenDocuments.length > 0 || storage.obstacles.length > 0 || unreachable.length > 0 || api.some(({ level }) => level === "breaking");
}
