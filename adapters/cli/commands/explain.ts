// quern explain: runs a query, in GraphQL or DQL, on a store, and prints its plan and what it read.

import { parse } from "graphql";
import { type Kernel, QuernError } from "../../../core/index.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";
import { query as explainDql } from "./query.ts";

export interface ExplainOptions extends StackChoice {
  /** A JSON object, as text. */
  readonly variables?: string;
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: { readonly plan?: readonly string[] };
}

export async function explain(query: string, options: ExplainOptions): Promise<void> {
  if (isDql(query)) return await explainDql(query, { ...options, explain: true });
  const variables = parseVariables(options.variables);
  assertReadOnly(query);
  const stack = { ...(await namedStack(options)), debug: true };
  await withKernel(stack, async (kernel) => {
    const first = await timed(kernel, { query, variables, plan: true, explains: true });
    const second = await timed(kernel, { query, variables });
    console.log(planText(first.answer));
    console.log(`\n${first.touched.toLocaleString("en")} nodes touched, ${rows(first.answer)} in ${ms(first)}; again in ${ms(second)}`);
  });
}

/** No generated field of GraphQL has an argument `func`. */
function isDql(text: string): boolean {
  return /\(\s*func\s*:/.test(text);
}

interface Timed {
  readonly answer: Answer;
  readonly touched: number;
  readonly tookMs: number;
}

async function timed(kernel: Kernel, request: Parameters<Kernel["execute"]>[0]): Promise<Timed> {
  const begin = performance.now();
  const { body, touched } = await kernel.execute(request);
  const tookMs = performance.now() - begin;
  const answer: Answer = JSON.parse(body);
  if (answer.errors !== undefined) throw new QuernError("REQUEST_REFUSED", answer.errors.map((error) => error.message).join("\n"));
  return { answer, touched, tookMs };
}

/** Throws for a mutation, because explaining runs the operation. */
function assertReadOnly(query: string): void {
  try {
    const { definitions } = parse(query);
    if (definitions.every((each) => each.kind !== "OperationDefinition" || each.operation === "query")) return;
  } catch {
    // The kernel reports syntax errors.
    return;
  }
  throw new QuernError("REQUEST_REFUSED", "quern explain runs the operation, so it accepts queries only.");
}

function ms({ tookMs }: Timed): string {
  return `${tookMs.toFixed(1)} ms`;
}

function planText({ extensions }: Answer): string {
  return (extensions?.plan ?? []).join("\n");
}

/** `queryPackage: 10 rows` for each root field. */
function rows({ data }: Answer): string {
  const counts = Object.entries(data ?? {}).map(([key, value]) => `${key}: ${Array.isArray(value) ? value.length : value === null ? 0 : 1} rows`);
  return counts.join(", ");
}

function parseVariables(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new QuernError("CONFIG_INVALID", `--variables takes a JSON object such as '{"n": 10}', not: ${text}`);
}
