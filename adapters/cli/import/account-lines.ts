// Users of another service, with the hashes of their passwords: the admin API of a server adds them, or that of a kernel which this process opens.

import { parseJson, QuernError } from "../../../core/index.ts";
import { isObject } from "../../../core/plugin.ts";
import type { QuernConfig } from "../../server/index.ts";
import { askAdmin, memberOf } from "../client/guardian.ts";
import type { ServerAddress } from "../client/server-url.ts";
import { kernelOf } from "../stack/stack.ts";
import { type Line, lineBatches } from "./line-batches.ts";

/** Who adds users. */
export interface AccountTarget {
  ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

export function remoteAccounts(server: ServerAddress): AccountTarget {
  return { ask: (query, variables) => askAdmin(server, query, variables), close: async () => undefined };
}

/** @param schema the text of one to deploy first, if it is another */
export async function localAccounts(stack: QuernConfig, schema: string | undefined): Promise<AccountTarget> {
  const kernel = await kernelOf({ ...stack, admin: { open: "loopback" } });
  await kernel.open({ background: false });
  try {
    if (schema !== undefined && schema !== kernel.deployment?.document) await kernel.deploy(schema);
  } catch (thrown) {
    await kernel.close();
    throw thrown;
  }
  return {
    ask: async (query, variables) => {
      const body = Buffer.from(JSON.stringify({ query, variables }));
      const headers = { "content-type": "application/json", host: "localhost" };
      const answer = parseJson(String((await kernel.http({ method: "POST", url: "/admin", headers, body, remoteAddress: "127.0.0.1" })).body));
      const errors = memberOf(answer, "errors");
      if (Array.isArray(errors) && errors.length > 0) throw new QuernError("REQUEST_REFUSED", String(memberOf(errors[0], "message")));
      return memberOf(answer, "data");
    },
    close: () => kernel.close(),
  };
}

export interface AccountLines {
  readonly target: AccountTarget;
  readonly type: string;
  readonly files: readonly string[];
  readonly progress: (file: string, bytes: number, lines: number) => void;
  /** Called for a line that is refused. Throw to stop: the lines before it are imported, and some behind it. */
  readonly bad: (file: string, line: number, why: string) => void;
}

export interface AccountCounts {
  added: number;
  completed: number;
  kept: number;
  refused: number;
}

/** A commit each, so that a request takes a second at most. */
const linesAtOnce = 100;

const query = "mutation ($type: String!, $lines: [String!]!) { importAccounts(type: $type, lines: $lines) { outcome why } }";

export async function importAccountLines({ target, type, files, progress, bad }: AccountLines): Promise<AccountCounts> {
  const counts: AccountCounts = { added: 0, completed: 0, kept: 0, refused: 0 };
  for (const file of files) {
    for await (const { lines, bytesRead } of lineBatches(file)) {
      const filled = lines.filter(({ text }) => text.trim() !== "");
      for (let at = 0; at < filled.length; at += linesAtOnce) {
        const part = filled.slice(at, at + linesAtOnce);
        const outcomes = memberOf(await target.ask(query, { type, lines: part.map(({ text }) => text) }), "importAccounts");
        countUp(counts, Array.isArray(outcomes) ? outcomes : [], (index, why) => bad(file, part[index]?.number ?? 0, why));
        progress(file, bytesRead, lastNumber(part));
      }
    }
  }
  return counts;
}

function lastNumber(lines: readonly Line[]): number {
  return lines.at(-1)?.number ?? 0;
}

function countUp(counts: AccountCounts, outcomes: readonly unknown[], refused: (index: number, why: string) => void): void {
  for (const [index, each] of outcomes.entries()) {
    const { outcome, why } = isObject(each) ? { outcome: each.outcome, why: each.why } : {};
    if (outcome === "ADDED") counts.added += 1;
    else if (outcome === "COMPLETED") counts.completed += 1;
    else if (outcome === "KEPT") counts.kept += 1;
    else {
      counts.refused += 1;
      refused(index, String(why));
    }
  }
}
