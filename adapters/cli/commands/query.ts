// quern query: runs a DQL query on a store or a running server, and prints its answer.

import { parseJson, QuernError, writeJson } from "../../../core/index.ts";
import { queryDql } from "../../../plugins/dql/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { loggedInAt } from "../client/guardian.ts";
import { postText } from "../client/server-url.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";

export interface QueryOptions extends StackChoice, TokenOptions {
  readonly url?: string;
  /** A JSON object, as text. */
  readonly variables?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

type Blocks = Readonly<Record<string, unknown>>;

export async function query(text: string, options: QueryOptions): Promise<void> {
  const variables = variablesIn(options.variables);
  const blocks =
    options.url === undefined ? await askStore(text, variables, options) : await askServer(text, variables, { ...options, url: options.url });
  if (options.json || options.explain) return options.json ? console.log(writeJson(blocks)) : undefined;
  for (const [name, block] of Object.entries(blocks)) printBlock(name, block);
}

async function askStore(text: string, variables: Readonly<Record<string, string>>, options: QueryOptions): Promise<Blocks> {
  return await withKernel(await namedStack(options, usage), (kernel) =>
    queryDql(kernel, text, { variables, ...(options.explain && { plan: (line: string) => console.log(line) }) }),
  );
}

const usage = "Name what to ask: --url <url> for a running server, --data <dir> for a LevelDB store, or --config <file> for a configured storage.";

async function askServer(
  text: string,
  variables: Readonly<Record<string, string>>,
  options: QueryOptions & { readonly url: string },
): Promise<Blocks> {
  if (options.explain) throw new QuernError("CONFIG_INVALID", "--explain needs the store itself: name it with --data or --config.");
  const server = await loggedInAt(options);
  const body = await postText(server, "/query", { body: JSON.stringify({ query: text, variables }), contentType: "application/json" });
  const { data, errors } = objectOf(parseJson(body));
  if (Array.isArray(errors) && errors.length > 0)
    throw new QuernError("REQUEST_REFUSED", errors.map((each) => String(objectOf(each).message)).join("\n"));
  return objectOf(data);
}

/** A table of flat rows; JSON where there is more than a table can hold. */
function printBlock(name: string, block: unknown): void {
  const rows: readonly unknown[] = Array.isArray(block) ? block : [block];
  console.log(`${name}: ${rows.length} ${rows.length === 1 ? "row" : "rows"}`);
  if (rows.length > 0)
    console.table(rows.map((row) => Object.fromEntries(Object.entries(objectOf(row)).map(([key, value]) => [key, cellOf(value)]))));
}

function cellOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === "object" && value !== null ? writeJson(value) : value;
}

function objectOf(value: unknown): Blocks {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Names may be given without `$`. Values are texts in DQL. */
function variablesIn(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.startsWith("$") ? name : `$${name}`, String(each)]));
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new QuernError("CONFIG_INVALID", `--variables takes a JSON object such as '{"min": 3}', not: ${text}`);
}
