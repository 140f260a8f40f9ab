// The one list of headers against the sources: what is read of a request, and what an answer has.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerHeaders, requestHeaders } from "../../adapters/server/http/own-headers.ts";
import { temporaryKernel } from "../support/kernel.ts";

const project = join(import.meta.dirname, "../..");
const sources = ["core/request", "core/telemetry", "adapters/server", "adapters/fetch", "adapters/node-http", "adapters/ws", "adapters/yoga"].flatMap(
  (folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(project, folder, name), "utf8")),
);

function found(...patterns: readonly RegExp[]): readonly string[] {
  const names = sources.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name.toLowerCase())));
  return [...new Set(names)].sort();
}

/** Every page may send them, or browsers and proxies alone set them, so that a list is of no use. */
const free = [
  "accept",
  "connection",
  "host",
  "origin",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-websocket-protocol",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
];
/** Of the answers of Node, not of requests. */
const notOfRequests = ["location", "set-cookie"];

it("each header that is read of a request is on the list that CORS allows", () => {
  const read = found(/headers\["([\w-]+)"\]/g, /(?<![\w-])headers\.([a-z]+)\b(?!\()/g).filter((name) => !["length", "set", "get"].includes(name));
  expect(read).toEqual(expect.arrayContaining(["quern-after", "last-event-id", "authorization", "x-auth-token"]));
  const listed: readonly string[] = requestHeaders.map((name) => name.toLowerCase());
  expect(read.filter((name) => !listed.includes(name) && !free.includes(name) && !notOfRequests.includes(name))).toEqual([]);
});

/** Every page may read them, or browsers alone act on them. */
const readable = ["cache-control", "content-encoding", "content-length", "content-type"];
const forBrowsers =
  /^(?:access-control-|content-security-policy|connection$|location$|referrer-policy$|vary$|x-accel-buffering$|x-content-type-options$|x-frame-options$|sec-|upgrade$)/;

it("each header of an answer is on the list that CORS exposes", () => {
  const names = "allow|retry-after|location|vary|etag|age|connection|upgrade";
  const sent = found(
    new RegExp(`["']((?:[a-z]+-)+[a-z]+|${names})["']: (?!\\(|\\{)`, "g"),
    new RegExp(`\\b(${names}): ["'\`]`, "g"),
    /["'](quern-[a-z-]+|x-quern-[a-z-]+)["']/g,
  );
  expect(sent).toEqual(expect.arrayContaining(["retry-after", "graphql-toucheduids", "allow"]));
  const listed: readonly string[] = [...answerHeaders, ...requestHeaders].map((name) => name.toLowerCase());
  const headers = sent.filter((name) => !readable.includes(name) && !forBrowsers.test(name) && !listed.includes(name));
  expect(headers.filter((name) => /^(?:x|quern|graphql|retry|dgraph)-|^(?:allow|etag|age)$/.test(name))).toEqual([]);
});

describe("a page of another origin", () => {
  it("may send and read what is on the lists, at /graphql and, where its origin is listed, at /admin", async () => {
    const { kernel, remove } = await temporaryKernel({ admin: { token: "t".repeat(32), origins: ["https://console.example"] } });
    for (const url of ["/graphql", "/admin"]) {
      const headers = { origin: "https://console.example", "x-service-authtoken": "t".repeat(32) };
      const answer = await kernel.http({ method: "OPTIONS", url, headers, body: new Uint8Array() });
      expect(answer.headers["access-control-allow-headers"]).toContain("Quern-After");
      expect(answer.headers["access-control-expose-headers"]).toBe("Allow, GraphQL-TouchedUids, Retry-After");
    }
    const foreign = await kernel.http({ method: "OPTIONS", url: "/admin", headers: { origin: "https://other.example" }, body: new Uint8Array() });
    expect(Object.keys(foreign.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    await remove();
  });
});
