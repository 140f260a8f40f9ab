// What a server answers to a schema: errors become located ones, as if the schema had been refused here.

import {
  type DeployComparison,
  type ErrorCode,
  errorCodes,
  type Location,
  type MigrationStep,
  QuernError,
  type Unreachable,
} from "../../core/index.ts";
import { SchemaFailure, type SchemaText } from "./failure.ts";
import { answerIn, linesOf, type ServerAddress, send } from "./server-url.ts";

/**
 * Errors: `SchemaFailure` with everything that refuses it; `OUTCOME_UNKNOWN` when the connection breaks meanwhile.
 *
 * @returns what has left sight; undefined from a server of an earlier version, which tells its log alone
 */
export async function deployTo(
  server: ServerAddress,
  schema: SchemaText,
  progress: (step: MigrationStep) => void,
): Promise<readonly Unreachable[] | undefined> {
  const data = await post(server, { schema, query: "details=true&progress=true", progress });
  return "unreachable" in data && Array.isArray(data.unreachable) ? data.unreachable : undefined;
}

/** What the deploy would change. Errors: as `deployTo`. */
export async function compareWith(server: ServerAddress, schema: SchemaText): Promise<DeployComparison> {
  const data = await post(server, { schema, query: "dryRun=true&details=true" });
  if (isComparison(data)) return data;
  throw new QuernError(
    "STORE_UNAVAILABLE",
    `The server at ${server.url} does not know ?dryRun=true and has deployed ${schema.name}; it runs an earlier version.`,
  );
}

function isComparison(data: object): data is DeployComparison {
  return ["api", "storage", "renamed", "unreachable"].every((name) => name in data);
}

interface Question {
  readonly schema: SchemaText;
  readonly query: string;
  readonly progress?: (step: MigrationStep) => void;
}

/** The `data` of the answer. Servers of earlier versions do not know the options beside `dryRun`, and answer without them. */
async function post(server: ServerAddress, { schema, query, progress }: Question): Promise<object> {
  const response = await send(server, `/admin/schema?${query}`, { body: schema.text, contentType: "application/octet-stream" });
  const isStepwise = response.headers.get("content-type")?.startsWith("application/x-ndjson") ?? false;
  const answer = isStepwise ? await lastLine(response, progress) : objectIn(JSON.parse(await answerIn(response)));
  const problems = problemsIn(answer);
  if (problems.length > 0) throw new SchemaFailure(schema, refusal(problems, schema));
  return "data" in answer ? objectIn(answer.data) : {};
}

/** The answer, which stands behind the steps. */
async function lastLine(response: Response, progress: Question["progress"]): Promise<object> {
  let answer: object | undefined;
  for await (const line of linesOf(response)) {
    if (line === "") continue;
    answer = objectIn(JSON.parse(line));
    if ("step" in answer) progress?.(answer.step as MigrationStep);
  }
  if (answer !== undefined && !("step" in answer)) return answer;
  throw new QuernError(
    "OUTCOME_UNKNOWN",
    `The server at ${new URL(response.url).origin} has ended its answer before it said what came of the deploy.`,
  );
}

function objectIn(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** As the answer has it: `extensions.code` is one of ours where the server knows details. */
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
  return extensions?.code !== undefined && extensions.code in errorCodes;
}

function detailed(problem: Problem): QuernError {
  const { message, locations, extensions } = problem as Detailed;
  return new QuernError(extensions.code, message, {
    ...(locations !== undefined && { locations }),
    ...(extensions.hint !== undefined && { hint: extensions.hint }),
  });
}

/** Otherwise it writes `resolving ... failed because input:7: ...` and a place in its own request behind it; the sentences and the lines are for people. */
function plain({ message, extensions }: Problem, schema: SchemaText): readonly QuernError[] {
  return String(message)
    .split("\n")
    .map((line) => line.replace(/^resolving \S+ failed because /, "").replace(/ ?\(Locations: \[.*\]\)$/, ""))
    .filter((line) => line.trim() !== "")
    .map((line) => located(line, { schema, hint: wayIn(line, extensions?.code) }));
}

function located(text: string, { schema, hint }: { readonly schema: SchemaText; readonly hint: string | undefined }): QuernError {
  const [, line, message] = /^input:(\d+): (.*)$/.exec(text) ?? [];
  if (line === undefined || message === undefined) {
    return new QuernError("REQUEST_REFUSED", text.replace(/^input: /, ""), hint === undefined ? {} : { hint });
  }
  const written = schema.text.split(/\r\n|[\n\r]/)[Number(line) - 1] ?? "";
  return new QuernError("SCHEMA_INVALID", message, { locations: [{ line: Number(line), column: written.search(/\S|$/) + 1 }] });
}

/** For somebody whom the server does not let administrate. */
function wayIn(message: string, code: string | undefined): string | undefined {
  if (code === "ErrorUnauthorized")
    return "Put the server's admin token into the environment variable QUERN_ADMIN_TOKEN, or name a file that holds it with --admin-token-file. The commands of the user who runs quern start find it by themselves, on the same machine; else it is admin.token of the server's configuration or the file admin-token in its data folder.";
  if (!message.startsWith("unauthorized ip address")) return undefined;
  return "The server's configuration lists in admin.allow which addresses may deploy beside its own machine.";
}
