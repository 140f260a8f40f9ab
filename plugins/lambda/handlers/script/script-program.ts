// The program of the worker thread: runs a lambda script of Dgraph and answers calls of what it registers.
//
// The worker gets this function as text, so it uses nothing from outside its body but its arguments. Types are free: they leave no trace.

import type { MessagePort } from "node:worker_threads";
import type { CallCells, FromThread, ToThread } from "../thread/messages.ts";
import type { ScriptCall, ScriptExchange, ScriptQuestion } from "./script-messages.ts";

interface ProgramParts {
  readonly port: MessagePort;
  /** Runs the text of a script in the global scope. */
  readonly run: (text: string, file: string) => unknown;
  readonly script: { readonly text: string; readonly file: string };
  readonly cells: CallCells;
}

type Resolver = (context: Record<string, unknown>) => unknown;
type Resolvers = Readonly<Record<string, Resolver>>;

/** A parent whose resolver fails has no value; the others keep theirs. */
export function scriptProgram({ port, run, script, cells }: ProgramParts): void {
  const single = new Map<string, Resolver>();
  const multi = new Map<string, Resolver>();
  const webhooks = new Map<string, Resolver>();
  const waiting = new Map<number, (answer: string) => void>();
  let questions = 0;

  const post = (message: FromThread<ScriptExchange>): void => port.postMessage(message);
  const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
  const register = (target: Map<string, Resolver>) => (resolvers: Resolvers) => {
    for (const [name, resolver] of Object.entries(resolvers)) target.set(name, resolver);
  };

  const ask = (call: number, question: ScriptQuestion): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++questions;
      waiting.set(id, (answer) => resolve(JSON.parse(answer)));
      post({ kind: "ask", id, call, question });
    });

  const contextOf = (id: number, { args, event, authHeader }: ScriptCall): Record<string, unknown> => {
    const asking = (api: ScriptQuestion["api"]) => (text: unknown, variables?: unknown, header?: ScriptQuestion["authHeader"]) =>
      ask(id, {
        api,
        text: typeof text === "object" ? JSON.stringify(text) : String(text),
        variables: variables === undefined ? undefined : JSON.stringify(variables),
        authHeader: header,
      });
    return {
      args: args ?? {},
      authHeader,
      event,
      graphql: asking("graphql"),
      dql: { query: asking("dql.query"), mutate: asking("dql.mutate") },
    };
  };

  const resolve = async (id: number, call: ScriptCall): Promise<unknown> => {
    const { name, parents, event } = call;
    const context = contextOf(id, call);
    const webhook = webhooks.get(name);
    if (event !== undefined && webhook) return await webhook(context);
    const many = multi.get(name);
    if (parents && many) return await many({ ...context, parents });
    const one = single.get(name);
    if (!one) throw new Error(`resolver ${name} not found`);
    if (!parents) return await one({ ...context, parent: null });
    const results = await Promise.allSettled(parents.map(async (parent) => await one({ ...context, parent })));
    const failed = results.find((result) => result.status === "rejected");
    if (failed && results.every((result) => result.status === "rejected")) throw failed.reason;
    return results.map((result) => (result.status === "fulfilled" ? (result.value ?? null) : null));
  };

  const answer = async (id: number, text: string): Promise<void> => {
    try {
      const result = JSON.stringify((await resolve(id, JSON.parse(text))) ?? null);
      post({ kind: "result", id, result: result ?? "null" });
    } catch (thrown) {
      post({ kind: "failed", id, reason: textOf(thrown) });
    }
  };

  port.on("message", (message: ToThread<ScriptExchange>) => {
    if (message.kind === "ping") post({ kind: "pong" });
    else if (message.kind === "call") {
      const { id, call } = message;
      [cells[0], cells[1]] = [id, id];
      void answer(id, call);
      cells[0] = 0;
    } else if (message.kind === "answer") {
      waiting.get(message.id)?.(message.answer);
      waiting.delete(message.id);
    }
  });

  const write = (...parts: unknown[]): void =>
    post({ kind: "log", text: parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ") });
  Object.assign(globalThis, {
    self: globalThis,
    console: { ...console, log: write, info: write, warn: write, error: write, debug: write },
    addGraphQLResolvers: register(single),
    addMultiParentGraphQLResolvers: register(multi),
    addWebHookResolvers: register(webhooks),
  });
  try {
    run(script.text, script.file);
    post({ kind: "ready", names: [...single.keys(), ...multi.keys(), ...webhooks.keys()] });
  } catch (thrown) {
    post({ kind: "broken", reason: textOf(thrown) });
  }
}
