// Sends a schema to a server and reads the answer. Its errors get locations in the schema's text, as for a local deploy.

import type { Unreachable } from "../../../core/index.ts";
import { type DeployComparison, type ErrorCode, errorCatalogue, type Location, QuernError } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import { SchemaFailure, type SchemaText } from "../ground/failure.ts";
import { answerIn, linesOf, type ServerAddress, send } from "./server-url.ts";

/** What a server reports of a deploy that it has done. */
export interface DeployFindings {
  /** The data that the deploy has hidden; undefined from a server of an earlier version, which only logs it. */
  readonly unreachable: readonly Unreachable[] | undefined;
  /** What is wrong with the schema, or with the data under it. */
  readonly warnings: readonly string[];
}

/** Deploys `schema` to a server. Errors: `SchemaFailure` with every error of a refused schema; `OUTCOME_UNKNOWN` if the connection breaks. */
export async function deployTo(server: ServerAddress, schema: SchemaText, progress: (step: MigrationStep) => void): Promise<DeployFindings> {
  const data = await post(server, { schema, query: "details=true&progress=true", progress });
  return {
    unreachable: "unreachable" in data && Array.isArray(data.unreachable) ? data.unreachable : undefined,
    warnings: "warnings" in data && Array.isArray(data.warnings) ? data.warnings.map(String) : [],
  };
}

/** Asks a server what a deploy would change. Errors: as `deployTo`. */
export async function compareWith(server: ServerAddress, schema: SchemaText): Promise<DeployComparison> {
  const data = await post(server, { schema, query: "dryRun=true&details=true" });
  if (isComparison(data)) return data;
  throw new QuernError(
    "STORE_UNAVAILABLE",
    `The server at ${server.url} runs an earlier version that ignores ?dryRun=true, so it has deployed ${schema.name}.`,
  );
}

function isComparison(data: object): data is DeployComparison {
  return ["api", "storage", "renamed", "unreachable"].every((name) => name in data);
}

interface DeployRequest {
  readonly schema: SchemaText;
  readonly query: string;
  readonly progress?: (step: MigrationStep) => void;
}

/** The `data` of the answer. Servers of earlier versions ignore the query parameters. */
async function post(server: ServerAddress, { schema, query, progress }: DeployRequest): Promise<object> {
  const response = await send(server, `/admin/schema?${query}`, { body: schema.text, contentType: "application/octet-stream" });
  const streamsProgress = response.headers.get("content-type")?.startsWith("application/x-ndjson") ?? false;
  const answer = streamsProgress ? await lastLine(response, progress) : objectIn(JSON.parse(await answerIn(response)));
  const problems = problemsIn(answer);
  if (problems.length > 0) throw new SchemaFailure(schema, refusal(problems, schema));
  return "data" in answer ? objectIn(answer.data) : {};
}

/** Reports the progress lines; the last line is the answer. */
async function lastLine(response: Response, progress: DeployRequest["progress"]): Promise<object> {
  let answer: object | undefined;
  for await (const line of linesOf(response)) {
    if (line === "") continue;
    answer = objectIn(JSON.parse(line));
    if ("step" in answer) progress?.(answer.step as MigrationStep);
  }
  if (answer !== undefined && !("step" in answer)) return answer;
  throw new QuernError("OUTCOME_UNKNOWN", `The server at ${new URL(response.url).origin} ended its answer without the result of the deploy.`);
}

function objectIn(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** An error of the answer. `extensions.code` is a code of `errorCatalogue` if the server supports `details=true`. */
interface Problem {
  readonly message: string;
  readonly locations?: readonly Location[];
  readonly extensions?: { readonly code?: string; readonly hint?: string };
}

function problemsIn(answer: object): readonly Problem[] {
  return "errors" in answer && Array.isArray(answer.errors) ? answer.errors : [];
}

function refusal(problems: readonly Problem[], schema: SchemaText): QuernError {
  const errors = problems.flatMap((each) => (isDetailed(each) ? [detailed(each)] : plain(each, schema)));
  return new QuernError("SCHEMA_INVALID", `${schema.name} is refused.`, { errors });
}

type Detailed = Problem & { readonly extensions: { readonly code: ErrorCode; readonly hint?: string } };

function isDetailed({ extensions }: Problem): boolean {
  return extensions?.code !== undefined && extensions.code in errorCatalogue;
}

function detailed(problem: Problem): QuernError {
  const { message, locations, extensions } = problem as Detailed;
  return new QuernError(extensions.code, message, {
    ...(locations !== undefined && { locations }),
    ...(extensions.hint !== undefined && { hint: extensions.hint }),
  });
}

/** Without details the message reads `resolving ... failed because input:7: ...`, followed by a location in the server's own request. Keeps the reason and the line. */
function plain({ message, extensions }: Problem, schema: SchemaText): readonly QuernError[] {
  return String(message)
    .split("\n")
    .map((line) => line.replace(/^resolving \S+ failed because /, "").replace(/ ?\(Locations: \[.*\]\)$/, ""))
    .filter((line) => line.trim() !== "")
    .map((line) => located(line, { schema, hint: authorizationHint(line, extensions?.code) }));
}

function located(text: string, { schema, hint }: { readonly schema: SchemaText; readonly hint: string | undefined }): QuernError {
  const [, line, message] = /^input:(\d+): (.*)$/.exec(text) ?? [];
  if (line === undefined || message === undefined) {
    return new QuernError("REQUEST_REFUSED", text.replace(/^input: /, ""), hint === undefined ? {} : { hint });
  }
  const written = schema.text.split(/\r\n|[\n\r]/)[Number(line) - 1] ?? "";
  return new QuernError("SCHEMA_INVALID", message, { locations: [{ line: Number(line), column: written.search(/\S|$/) + 1 }] });
}

/** How to get permission, for errors that deny it. */
function authorizationHint(message: string, code: string | undefined): string | undefined {
  if (code === "ErrorUnauthorized")
    return "Set the server's admin token in the environment variable QUERN_ADMIN_TOKEN, or name a file that contains it with --admin-token-file. The token is admin.token in the server's configuration, or the file admin-token in its data folder. On the machine of the server, the commands of the user who runs quern start find it automatically.";
  if (!message.startsWith("unauthorized ip address")) return undefined;
  return "admin.allow in the server's configuration lists the addresses that may deploy; add this one, or deploy from the server's machine.";
}
