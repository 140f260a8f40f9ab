// What hostile callers send, each case by its name. As a program, it sends one case to a server and prints what came back.

import { request } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { WebSocket } from "ws";
import { hostileBodies } from "./hostile-bodies.ts";

/** Sends the case to `url`; resolves with what came back, as short texts that are counted. */
type Case = (url: string) => Promise<readonly string[]>;

const giveUpMs = 70_000;
/** All packages with their dependencies: 32 MiB. */
export const everything = "{queryPackage{name version summary homepage tags dependsOn{name summary}}}";

const aliases = (count: number) => `{queryPackage{${Array.from({ length: count }, (_, i) => `a${i}:name`).join(" ")}}}`;

/** `or` of ranges over one field. */
const ranges = (count: number, range: (i: number) => string) =>
  `{aggregatePackage(filter:{or:[${Array.from({ length: count }, (_, i) => `{installedSizeKiB:${range(i)}}`).join(",")}]}){count}}`;

const above = () => "{gt:0}";
const bits = (i: number) => `{between:{min:${i * 20},max:${i * 20 + 9}}}`;

const inVariable = (count: number) => ({
  query: "query ($or: [PackageFilter]) { aggregatePackage(filter: {or: $or}) { count } }",
  variables: { or: Array.from({ length: count }, (_, i) => ({ installedSizeKiB: { between: { min: i * 20, max: i * 20 + 9 } } })) },
});

export const cases: Readonly<Record<string, Case>> = {
  "1,000 aliases": (url) => posts(url, [{ query: aliases(1_000) }]),
  "100 aliases": (url) => posts(url, [{ query: aliases(100) }]),
  "100 root fields, all rows": (url) => posts(url, [{ query: `{${Array.from({ length: 100 }, (_, i) => `a${i}:queryPackage{name}`).join(" ")}}` }]),
  "500 ranges": (url) => posts(url, [{ query: ranges(500, above) }]),
  "5,000 ranges": (url) => posts(url, [{ query: ranges(5_000, above) }]),
  "20,000 ranges": (url) => posts(url, [{ query: ranges(20_000, above) }]),
  "5,000 separate ranges": (url) => posts(url, [{ query: ranges(5_000, bits) }]),
  "9,000 ranges in a variable": (url) => posts(url, [inVariable(9_000)]),
  "90,000 ranges in a variable": (url) => posts(url, [inVariable(90_000)]),
  "20 long documents": (url) =>
    posts(
      url,
      Array.from({ length: 20 }, (_, i) => ({ query: ranges(5_000, () => `{gt:${i}}`) })),
    ),
  "30 bodies that inflate": (url) => inflating(url, 30),
  "a socket that never reads": neverReads,
  "10 sockets, 1,000 documents each": (url) => bursts(url, 10, 1_000),
  "60 of everything at once": (url) => posts(url, Array(60).fill({ query: everything })),
  "20 of everything at once": (url) => posts(url, Array(20).fill({ query: everything })),
  "20 of everything, unread": (url) => unread(url, 20),
  "a million names": (url) =>
    posts(url, [
      {
        query: "query ($l: [String]) { queryPackage(filter: {name: {in: $l}}) { name } }",
        variables: { l: Array.from({ length: 1_000_000 }, (_, i) => `n${i}`) },
      },
    ]),
  ...Object.fromEntries(Object.entries(hostileBodies).map(([name, [count, body]]) => [name, (url: string) => sameBody(url, count, body())])),
  "1,500 pipelined on one connection, unread": (url) => pipelined(url, 1, 1_500),
  "1,500 pipelined on each of 4 connections, unread": (url) => pipelined(url, 4, 1_500),
  "2,000 new documents at once": (url) => posts(url, newDocuments(2_000)),
  "300 documents of 2,000 root fields": (url) =>
    posts(
      url,
      numbers(300).map((n) => ({
        query: `{${numbers(2_000)
          .map((i) => `r${n}_${i}:queryPackage(first:1){name}`)
          .join(" ")}}`,
      })),
    ),
  "100 documents of 300 aliases": (url) =>
    posts(
      url,
      numbers(100).map((n) => ({
        query: `{queryPackage(first:1){${numbers(300)
          .map((i) => `a${n}_${i}:name`)
          .join(" ")}}}`,
      })),
    ),
  "2,000 WebSockets at once": openSockets,
  "1,000 new documents as event streams": (url) => posts(url, newDocuments(1_000), { accept: "text/event-stream" }),
  "a text of a million words": (url) => posts(url, [{ query: addText, variables: { text: words(1_000_000) } }]),
  "20 texts of 100,000 words": (url) => posts(url, Array(20).fill({ query: addText, variables: { text: words(100_000) } })),
  "a text of 1 MB, added, replaced and deleted": textOfItsOwn,
  "any of 300,000 words": (url) => posts(url, [{ query: anyWords, variables: { text: words(300_000) } }]),
  "any of 99,000 words": (url) => posts(url, [{ query: anyWords, variables: { text: words(99_000) } }]),
  "a regexp of 20,000 alternatives": (url) => posts(url, [{ query: matching, variables: { regexp: alternatives(20_000) } }]),
  "a regexp of 1,500 alternatives": (url) => posts(url, [{ query: matching, variables: { regexp: alternatives(1_500) } }]),
  "a long line that is not closed": (url) => posts(url, [{ query: polygon, variables: { ring: ring(90_000) } }]),
};

const addText = 'mutation ($text: String!) { addPackage(input: [{name: "hostile", summary: $text}], upsert: true) { numUids } }';
const anyWords = "query ($text: String!) { queryPackage(filter: {summary: {anyofterms: $text}}, first: 10) { name } }";
const matching = "query ($regexp: String!) { queryPackage(filter: {summary: {regexp: $regexp}}, first: 10) { name } }";

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `w${i.toString(36)}`).join(" ");
}

function alternatives(count: number): string {
  return `/${Array.from({ length: count }, (_, i) => `ab${i.toString(36)}`).join("|")}/`;
}

async function textOfItsOwn(url: string): Promise<readonly string[]> {
  const text = words(99_000).padEnd(1_000_000, " the same again");
  const answers: string[] = [];
  for (const each of [text, text.toUpperCase(), `other ${text.slice(6)}`])
    answers.push(...(await posts(url, [{ query: addText, variables: { text: each } }])));
  return [...answers, ...(await posts(url, [{ query: 'mutation { deletePackage(filter: {name: {eq: "hostile"}}) { numUids } }' }]))];
}

/** Of a type that the graph does not have: the server refuses it as invalid, but reads its 90,000 points first. */
const polygon = "query ($ring: [PointRef!]!) { queryPlace(filter: {at: {within: {polygon: {coordinates: [{points: $ring}]}}}}) { name } }";

function ring(points: number): readonly object[] {
  return Array.from({ length: points }, (_, i) => ({ longitude: (i * 360) / points - 180, latitude: Math.sin(i) * 80 }));
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function newDocuments(count: number): readonly object[] {
  return numbers(count).map((n) => ({ query: `query Q${n} {queryPackage(first:1){n${n}:name version summary dependsOn(first:2){name}}}` }));
}

type Headers = Readonly<Record<string, string>>;

async function posts(url: string, bodies: readonly object[], headers: Headers = {}): Promise<readonly string[]> {
  return await Promise.all(bodies.map((body) => post(url, JSON.stringify(body), headers)));
}

/** Sends all requests of a connection at once and takes no byte of their answers, for twenty seconds. */
async function pipelined(url: string, connections: number, count: number): Promise<readonly string[]> {
  return await unreadBy(url, connections, asBytes(JSON.stringify({ query: "{queryPackage{name summary}}" })).repeat(count));
}

async function openSockets(url: string): Promise<readonly string[]> {
  const sockets = await Promise.all(numbers(2_000).map(() => opened(url)));
  for (const each of sockets) each.terminate();
  return sockets.map(() => "opened");
}

function sameBody(url: string, count: number, body: string): Promise<readonly string[]> {
  const bytes = Buffer.from(body);
  return Promise.all(Array.from({ length: count }, () => post(url, bytes, {})));
}

function inflating(url: string, count: number): Promise<readonly string[]> {
  const body = gzipSync(JSON.stringify({ query: "{queryPackage(first:1){name}}", padding: " ".repeat(250 * 2 ** 20) }));
  return Promise.all(Array.from({ length: count }, () => post(url, body, { "content-encoding": "gzip" })));
}

function post(url: string, body: string | Buffer, headers: Headers): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/json", ...headers } }, (response) => {
      let start = "";
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        if (bytes < 400) start += chunk.toString("utf8", 0, 400);
        bytes += chunk.length;
      });
      response.on("end", () => resolve(`${response.statusCode} ${errorIn(start) ?? `${sizeOf(bytes)}`}`));
      response.on("error", (error) => resolve(error.message));
    });
    sent.setTimeout(giveUpMs, () => sent.destroy(new Error("no answer")));
    sent.on("error", (error) => resolve(error.message));
    sent.end(body);
  });
}

function errorIn(start: string): string | undefined {
  return /^\{"errors":\[\{"message":"([^"]{0,90})/.exec(start)?.[1];
}

function sizeOf(bytes: number): string {
  return bytes < 2 ** 20 ? "under 1 MiB" : `about ${Math.round(bytes / 2 ** 20)} MiB`;
}

/** Sends requests and takes no byte of their answers, for twenty seconds. */
async function unread(url: string, count: number): Promise<readonly string[]> {
  return await unreadBy(url, count, asBytes(JSON.stringify({ query: everything })));
}

function asBytes(body: string): string {
  return `POST /graphql HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function unreadBy(url: string, connections: number, bytes: string): Promise<readonly string[]> {
  const { hostname, port } = new URL(url);
  const sockets = numbers(connections).map(() => {
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(bytes);
    });
    socket.on("error", () => undefined);
    return socket;
  });
  await after(20_000);
  for (const each of sockets) each.destroy();
  return [];
}

async function neverReads(url: string): Promise<readonly string[]> {
  const socket = await opened(url);
  const { pause } = socket;
  pause.call(socket);
  for (let i = 0; i < 900; i++) subscribe(socket, String(i), "{queryPackage(first:20000){name version summary}}");
  await after(20_000);
  socket.terminate();
  return ["ended by the client"];
}

async function bursts(url: string, sockets: number, documents: number): Promise<readonly string[]> {
  const all = await Promise.all(Array.from({ length: sockets }, () => opened(url)));
  const ended = all.map(
    (socket, s) =>
      new Promise<string>((resolve) => {
        let complete = 0;
        let errors = 0;
        socket.on("message", (data) => {
          const { type } = JSON.parse(String(data));
          if (type === "error") errors++;
          if (type === "complete") complete++;
          if (complete + errors === documents) resolve(`${complete} complete, ${errors} errors`);
        });
        socket.on("close", (code) => resolve(`closed ${code}`));
        for (let d = 0; d < documents; d++) subscribe(socket, String(d), manyFields(s * documents + d));
      }),
  );
  const texts = await Promise.all(ended.map((each) => Promise.race([each, after(giveUpMs).then(() => "no end")])));
  for (const each of all) each.terminate();
  return texts;
}

/** Every document is new, so that each is parsed, validated and planned. */
function manyFields(n: number): string {
  const fields = Array.from({ length: 30 }, (_, i) => `a${n}_${i}:queryPackage(first:1){name version dependsOn(first:2){name}}`);
  return `{${fields.join(" ")}}`;
}

function opened(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    socket.once("error", reject);
    socket.once("open", () => socket.send(JSON.stringify({ type: "connection_init" })));
    socket.once("message", () => resolve(socket));
  });
}

function subscribe(socket: WebSocket, id: string, query: string): void {
  socket.send(JSON.stringify({ type: "subscribe", id, payload: { query } }));
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url = "", name = ""] = process.argv;
  const begin = performance.now();
  const counts = new Map<string, number>();
  for (const text of (await cases[name]?.(url)) ?? []) counts.set(text, (counts.get(text) ?? 0) + 1);
  const outcome = [...counts].map(([text, count]) => `${count} x ${text}`).join("; ");
  console.log(JSON.stringify({ seconds: (performance.now() - begin) / 1_000, outcome }));
  process.exit(0);
}
