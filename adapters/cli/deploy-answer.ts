// What a server answers to a schema: errors become located ones, as if the schema had been refused here.

import { type DeployComparison, QuernError } from "../../core/index.ts";
import type { SchemaText } from "./failure.ts";
import { SchemaFailure } from "./failure.ts";
import { postTo } from "./server-url.ts";

/** Errors: `SchemaFailure` with everything that refuses it. */
export async function deployTo(url: string, schema: SchemaText): Promise<void> {
  await post(url, "/admin/schema", schema);
}

/** What the deploy would change. Errors: as `deployTo`. */
export async function compareWith(url: string, schema: SchemaText): Promise<DeployComparison> {
  const answer = await post(url, "/admin/schema?dryRun=true", schema);
  const data: unknown = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  if (isComparison(data)) return data;
  throw new QuernError(
    "STORE_UNAVAILABLE",
    `The server at ${url} does not know ?dryRun=true and has deployed ${schema.name}; it runs an earlier version.`,
  );
}

function isComparison(data: unknown): data is DeployComparison {
  return typeof data === "object" && data !== null && ["api", "storage", "renamed", "unreachable"].every((name) => name in data);
}

async function post(url: string, path: string, schema: SchemaText): Promise<unknown> {
  const answer = await postTo(url, path, { body: schema.text, contentType: "application/octet-stream" });
  const problems = problemsIn(answer);
  if (problems.length > 0) throw new SchemaFailure(schema, refusal(problems, schema));
  return answer;
}

function problemsIn(answer: unknown): readonly string[] {
  const errors = typeof answer === "object" && answer !== null && "errors" in answer && Array.isArray(answer.errors) ? answer.errors : [];
  return errors.flatMap((each: { message?: unknown }) => String(each.message).split("\n"));
}

/** The server writes `resolving ... failed because input:7: ...` and a place in its own request behind it; the sentence and the line are for people. */
function refusal(lines: readonly string[], schema: SchemaText): QuernError {
  const errors = lines
    .map((line) => line.replace(/^resolving \S+ failed because /, "").replace(/ ?\(Locations: \[.*\]\)$/, ""))
    .filter((line) => line.trim() !== "");
  return new QuernError("SCHEMA_INVALID", `${schema.name} is refused.`, { errors: errors.map((line) => located(line, schema)) });
}

function located(text: string, schema: SchemaText): QuernError {
  const [, line, message] = /^input:(\d+): (.*)$/.exec(text) ?? [];
  if (line === undefined || message === undefined) return new QuernError("SCHEMA_INVALID", text.replace(/^input: /, ""));
  const written = schema.text.split(/\r\n|[\n\r]/)[Number(line) - 1] ?? "";
  return new QuernError("SCHEMA_INVALID", message, { locations: [{ line: Number(line), column: written.search(/\S|$/) + 1 }] });
}
