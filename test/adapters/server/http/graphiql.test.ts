// The page for browsers at /graphql: who gets it, and that it needs nobody else.

import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { EndpointConfig, KernelConfig } from "../../../../adapters/server/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, refusals } from "./ask.ts";

let stack: TemporaryKernel;
afterEach(() => stack.remove());
const start = async (config: Partial<KernelConfig & EndpointConfig> = {}) => {
  stack = await temporaryKernel(config);
};
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const visit = (more: object = {}) => ask(stack.kernel, { method: "GET", headers: browser, ...more });

describe("GraphiQL", () => {
  it("is served to browsers, compressed if accepted, before any schema and without a key", async () => {
    await start({ anonymousAccess: false, apiKeys: [{ name: "k", kind: "client", hash: "0".repeat(64) }] });
    const page = await visit();
    expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8", vary: "Accept, Accept-Encoding" } });
    const packed = await visit({ headers: { ...browser, "accept-encoding": "gzip, br" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).toString()).toBe(page.body);
  });

  it("loads nothing from other hosts", async () => {
    await start();
    const html = String((await visit()).body);
    const markup = html.replaceAll(/<script[^>]*>[\s\S]*?<\/script>|<style>[\s\S]*?<\/style>/g, "");
    expect(markup).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).not.toMatch(/\/\/(?:[\w-]+\.)*(?:jsdelivr\.net|unpkg\.com|esm\.sh|cdnjs\.|googleapis\.com)/);
    expect(html).not.toMatch(/@import\s+(?:url)?\(?["']?https?:/);
  });

  it("has a policy that allows its own scripts only", async () => {
    await start();
    const { body, headers } = await visit();
    const scripts = [...String(body).matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = ""]) => code);
    expect(scripts).toHaveLength(4);
    for (const code of scripts) expect(() => new Script(code)).not.toThrow();
    const hashes = scripts.map((code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`);
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain(`script-src ${hashes.join(" ")}`);
  });

  it("is served for a URL with a query", async () => {
    await start();
    const page = await visit({ path: "/graphql?query={__typename}", headers: { ...browser, "sec-fetch-mode": "navigate" } });
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  it("does not answer queries, other methods and other clients", async () => {
    await start();
    expect(refusals(await visit({ path: "/graphql?query={__typename}" }))).toEqual([
      "__typename: No schema is deployed yet. Deploy one: quern deploy schema.graphql --url <url of this server>",
    ]);
    for (const accept of ["*/*", "application/json", ""])
      expect(refusals(await visit({ headers: { accept } }))).toEqual(["no query string supplied in request"]);
    expect(refusals(await visit({ method: "POST" }))).toEqual(["unable to parse media type: mime: no media type"]);
    expect((await visit({ path: "/admin" })).headers["content-type"]).toBe("application/json");
  });

  it("is the redirect of / for browsers where the console is off; 404 for other clients", async () => {
    await start({ console: false });
    expect(await visit({ path: "/" })).toMatchObject({ status: 302, headers: { location: "graphql", vary: "Accept" }, body: "" });
    const nothing = { status: 404, body: "404 page not found\n" };
    for (const accept of ["*/*", "application/json", ""]) expect(await visit({ path: "/", headers: { accept } })).toMatchObject(nothing);
    expect(await visit({ path: "/", method: "POST" })).toMatchObject(nothing);
    expect(await visit({ path: "//" })).toMatchObject(nothing);
  });

  it("can be disabled", async () => {
    await start({ graphiql: false, console: false });
    expect(await visit({ path: "/" })).toMatchObject({ status: 404 });
    expect(refusals(await visit())).toEqual(["no query string supplied in request"]);
  });
});
