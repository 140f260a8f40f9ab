// Query: a query, mutations, or both.

import { isObject } from "../../../core/plugin.ts";
import { partsOf, writtenParts } from "../wire/answer-parts.ts";
import type { DqlRequest, MutationMessage, NQuad, ResponseMessage, RunDqlRequest, TxnContext } from "../wire/messages.ts";
import { rdfOf } from "../wire/rdf.ts";
import { unsupported } from "../wire/status.ts";
import type { Ask } from "./asking.ts";

export async function query(request: DqlRequest, ask: Ask): Promise<ResponseMessage> {
  if (request.resp_format === "RDF") throw noRdf();
  return request.mutations.length === 0 ? await read(request, ask) : await write(request, ask);
}

/** A text that is a query, or else a mutation, which is committed. */
export async function runDql(request: RunDqlRequest, ask: Ask): Promise<ResponseMessage> {
  if (request.resp_format === "RDF") throw noRdf();
  const { dql_query: text, vars, read_only, best_effort } = request;
  if (!isMutation(text)) return await read({ query: text, vars, read_only, best_effort: best_effort || !read_only, start_ts: "0", hash: "" }, ask);
  return written(await ask({ url: "/mutate?commitNow=true", body: text, type: "application/rdf" }));
}

/** Comments aside. */
function isMutation(text: string): boolean {
  const start = text.replace(/^(?:\s|#[^\n]*(?:\n|$))*/, "");
  return /^upsert\b/.test(start) || /^\{\s*(?:set|delete)\s*\{/.test(start);
}

async function read(request: Omit<DqlRequest, "mutations" | "commit_now" | "resp_format">, ask: Ask): Promise<ResponseMessage> {
  const { query: text, vars, read_only, best_effort } = request;
  const url = `/query?${parametersOf(request, { ro: read_only, be: best_effort })}`;
  const { data, extensions } = partsOf(await ask({ url, body: JSON.stringify({ query: text, variables: vars }), type: "application/json" }));
  return { json: data, ...contextIn(extensions) };
}

async function write(request: DqlRequest, ask: Ask): Promise<ResponseMessage> {
  const { query: text, vars, mutations } = request;
  const commitNow = request.commit_now || mutations.some(({ commit_now }) => commit_now);
  const body = JSON.stringify({ ...(text !== "" && { query: text, vars }), mutations: mutations.map(mutationOf) });
  return written(await ask({ url: `/mutate?${parametersOf(request, { commitNow })}`, body, type: "application/json" }));
}

function written(answer: Awaited<ReturnType<Ask>>): ResponseMessage {
  const { data, extensions } = partsOf(answer);
  const { queries, uids } = writtenParts(data);
  return { json: queries, uids, ...contextIn(extensions) };
}

function mutationOf({ set_json, delete_json, set_nquads, del_nquads, set, del, cond }: MutationMessage) {
  return {
    setJson: textOf(set_json),
    deleteJson: textOf(delete_json),
    setNquads: withQuads(set_nquads, set),
    delNquads: withQuads(del_nquads, del),
    cond,
  };
}

function withQuads(text: Uint8Array, quads: readonly NQuad[]): string {
  return [textOf(text), ...quads.map(rdfOf)].join("\n");
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function parametersOf({ start_ts, hash }: Pick<DqlRequest, "start_ts" | "hash">, flags: Readonly<Record<string, boolean>>): string {
  const parameters = new URLSearchParams(Object.entries(flags).map(([name, value]) => [name, String(value)]));
  if (start_ts !== "0") parameters.set("startTs", start_ts);
  if (hash !== "") parameters.set("hash", hash);
  return parameters.toString();
}

function contextIn({ txn, server_latency: latency }: Readonly<Record<string, unknown>>): Pick<ResponseMessage, "txn" | "latency"> {
  const total = isObject(latency) && typeof latency.total_ns === "number" ? latency.total_ns : 0;
  return { ...(isObject(txn) && { txn: contextOf(txn) }), latency: { total_ns: total } };
}

function contextOf({ start_ts, hash }: Readonly<Record<string, unknown>>): TxnContext {
  return { start_ts: Number(start_ts), ...(typeof hash === "string" && { hash }) };
}

function noRdf(): Error {
  return unsupported("Answers are written as JSON alone; ask without the format RDF.");
}
