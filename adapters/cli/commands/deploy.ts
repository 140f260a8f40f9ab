// quern deploy: hands a schema file to a running server.

import { QuernError } from "../../../core/index.ts";
import { about, type SchemaText } from "../failure.ts";
import { readSchema } from "../read-file.ts";
import { postTo } from "../server-url.ts";

export interface DeployOptions {
  readonly url: string;
}

export async function deploy(file: string, { url }: DeployOptions): Promise<void> {
  const schema = await readSchema(file);
  const answer = await postTo(url, "/admin/schema", { body: schema.text, contentType: "application/octet-stream" });
  const problems = problemsIn(answer);
  if (problems.length > 0) await about(schema, () => Promise.reject(refusal(problems, schema)));
  console.log(`${file} is deployed.`);
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
