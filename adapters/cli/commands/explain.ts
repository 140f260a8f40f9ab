// quern explain: the plan of a query, and what running it on the store read.

import { parse } from "graphql";
import { type Kernel, QuernError } from "../../../core/index.ts";
import { namedStack, type StackChoice, withKernel } from "../stack.ts";

export interface ExplainOptions extends StackChoice {
  /** JSON text. */
  readonly variables?: string;
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: { readonly plan?: readonly string[] };
}

export async function explain(query: string, options: ExplainOptions): Promise<void> {
  const variables = parseVariables(options.variables);
  assertReadOnly(query);
  const stack = { ...(await namedStack(options)), debug: true };
  await withKernel(stack, async (kernel) => {
    const first = await timed(kernel, { query, variables, plan: true });
    const second = await timed(kernel, { query, variables });
    console.log(planText(first.answer));
    console.log(`\n${first.touched.toLocaleString("en")} nodes touched, ${rows(first.answer)} in ${ms(first)}; again in ${ms(second)}`);
  });
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

/** Explaining runs the query; a mutation must not be run to be looked at. */
function assertReadOnly(query: string): void {
  try {
    const { definitions } = parse(query);
    if (definitions.every((each) => each.kind !== "OperationDefinition" || each.operation === "query")) return;
  } catch {
    // The kernel says what is wrong with the text.
    return;
  }
  throw new QuernError("REQUEST_REFUSED", "quern explain runs what it explains, so it takes queries only; leave the mutation out.");
}

function ms({ tookMs }: Timed): string {
  return `${tookMs.toFixed(1)} ms`;
}

function planText({ extensions }: Answer): string {
  return (extensions?.plan ?? []).join("\n");
}

/** `queryPackage: 10 rows` of every root field. */
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
    // Told below, like JSON that is no object.
  }
  throw new QuernError("CONFIG_INVALID", `--variables takes a JSON object such as '{"n": 10}'; this is none: ${text}`);
}
