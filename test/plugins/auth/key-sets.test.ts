import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LogConfig } from "../../../core/index.ts";
import { KeySet } from "../../../plugins/auth/key-set.ts";
import { deploy } from "./harness.ts";

const schema = '\ntype Berth @auth(query: { rule: "{$ROLE: {eq: \\"PILOT\\"}}" }) { number: Int! @id }\n';
const berths = "{ queryBerth { number } }";
const seen = { data: { queryBerth: [{ number: 7 }] } };

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** A real server of key sets, whose answers a test may change. */
class KeyServer {
  keys: unknown[] = [];
  cacheControl: string | undefined;
  isDown = false;
  delayMs = 0;
  fetched = 0;
  readonly #server = createServer((_, response) => {
    this.fetched++;
    if (this.isDown) return void response.destroy();
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/json", ...(this.cacheControl ? { "cache-control": this.cacheControl } : {}) });
      response.end(JSON.stringify({ keys: this.keys }));
    }, this.delayMs);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys.json`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const servers: KeyServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
  vi.restoreAllMocks();
});

async function keyServer(...keys: unknown[]) {
  const server = new KeyServer();
  server.keys = keys;
  servers.push(server);
  return { server, url: await server.start() };
}

const settings = (...urls: readonly string[]) =>
  `# Service.Authorization ${JSON.stringify({ Header: "X-Harbour", Namespace: "https://harbour.example/claims", Audience: ["harbour"], JWKUrls: urls })}\n`;

async function jwk({ publicKey }: KeyPair, kid: string) {
  return { ...(await exportJWK(publicKey)), kid };
}

function pilotToken({ privateKey }: KeyPair, alg: string, kid: string | undefined): Promise<string> {
  return new SignJWT({ ROLE: "PILOT" })
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .setAudience("harbour")
    .sign(privateKey);
}

async function harbour(...urls: readonly string[]) {
  const api = await deploy(schema + settings(...urls));
  await api.ask("mutation { addBerth(input: [{number: 7}]) { numUids } }");
  return api;
}

describe("keys behind a URL", () => {
  it.each(["RS256", "RS512", "PS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"])("verify %s", async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const { url } = await keyServer(await jwk(pair, "k1"));
    expect(await (await harbour(url)).ask(berths, await pilotToken(pair, alg, "k1"))).toEqual(seen);
  });

  it("are selected by exact kid and by type of algorithm", async () => {
    const [rsa, ec] = [await generateKeyPair("RS256", { extractable: true }), await generateKeyPair("ES256", { extractable: true })];
    const { url } = await keyServer(await jwk(rsa, "rsa"), await jwk(ec, "ec"));
    const api = await harbour(url);
    const reasonOf = async (text: string) => (await api.ask(berths, text)).errors?.[0]?.message;
    expect(await reasonOf(await pilotToken(rsa, "RS256", "RSA"))).toMatch(/Invalid kid$/);
    expect(await reasonOf(await pilotToken(rsa, "RS256", undefined))).toMatch(/kid not present in JWT$/);
    expect(await reasonOf(await pilotToken(rsa, "RS256", "ec"))).toMatch(/token signature is invalid: key is of invalid type/);
    const { publicKey } = rsa;
    const asSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)));
    const forged = await new SignJWT({ ROLE: "PILOT" }).setProtectedHeader({ alg: "HS256", kid: "rsa" }).sign(asSecret);
    expect(await reasonOf(forged)).toMatch(/key is of invalid type/);
  });

  it("may come from several URLs, which are tried in order", async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const other = await generateKeyPair("ES256", { extractable: true });
    const [first, second] = [await keyServer(await jwk(other, "old")), await keyServer(await jwk(pair, "new"))];
    expect(await (await harbour(first.url, second.url)).ask(berths, await pilotToken(pair, "ES256", "new"))).toEqual(seen);
  });

  it("are fetched once when the server sends no max-age or 0", async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    for (const cacheControl of [undefined, "max-age=0", "no-store"]) {
      const { server, url } = await keyServer(await jwk(pair, "k"));
      server.cacheControl = cacheControl;
      const api = await harbour(url);
      for (let i = 0; i < 5; i++) expect(await api.ask(berths, await pilotToken(pair, "ES256", "k"))).toEqual(seen);
      expect(server.fetched).toBe(1);
    }
  });

  it("that cannot be fetched refuse the deploy, and the previous schema stays", async () => {
    const api = await deploy("type Old { a: Int }");
    for (const url of ["http://127.0.0.1:9/keys.json", "keys.example/jwks"]) {
      await expect(api.stack.kernel.deploy(schema + settings(url))).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
      expect(await api.stack.kernel.validate(schema + settings(url))).toHaveLength(1);
    }
    const spoiled = await keyServer({ kty: "RSA", kid: "x" });
    await expect(api.stack.kernel.deploy(schema + settings(spoiled.url))).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
    expect(await api.ask("{ queryOld { a } }")).toEqual({ data: { queryOld: [] } });
  });

  it("that cannot be fetched at a restart are fetched for the first token", async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const { server, url } = await keyServer(await jwk(pair, "k"));
    const told: string[] = [];
    const log: LogConfig = { level: "warn", to: { write: ({ event }) => told.push(event) } };
    const { stack, ask } = await deploy(schema + settings(url), {}, { log });
    await ask("mutation { addBerth(input: [{number: 7}]) { numUids } }");
    await stack.kernel.close();
    server.isDown = true;
    await stack.kernel.open();
    expect(told).toEqual(["schema", "plugin"]);
    server.isDown = false;
    expect(await ask(berths, await pilotToken(pair, "ES256", "k"))).toEqual(seen);
  });
});

describe("a key set", () => {
  const quick = { attempts: 3, pauseMs: 20 };

  it("is fetched once for concurrent callers", async () => {
    const { server, url } = await keyServer();
    server.delayMs = 30;
    const set = new KeySet(url, quick);
    await Promise.all(Array.from({ length: 20 }, () => set.keys()));
    expect(server.fetched).toBe(1);
  });

  describe("over time", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
    afterEach(() => void vi.useRealTimers());
    const kids = async (set: KeySet) => [...(await set.keys()).keys()];
    const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
    const key = async (kid: string) => jwk(await generateKeyPair("ES256", { extractable: true }), kid);

    it("is refreshed in the background while it is valid, and in the foreground after it expires", async () => {
      const { server, url } = await keyServer(await key("old"));
      server.cacheControl = "public, max-age=100";
      const set = new KeySet(url, quick);
      expect(await kids(set)).toEqual(["old"]);
      server.keys = [await key("new")];
      pass(79);
      expect([await kids(set), server.fetched]).toEqual([["old"], 1]);
      pass(2);
      expect(await kids(set)).toEqual(["old"]);
      await expect.poll(() => kids(set)).toEqual(["new"]);
      expect(server.fetched).toBe(2);
      server.keys = [await key("newest")];
      pass(100);
      expect([await kids(set), server.fetched]).toEqual([["newest"], 3]);
    });

    it("survives an outage while its keys are valid, and fails after they expire", async () => {
      const { server, url } = await keyServer(await key("k"));
      server.cacheControl = "max-age=100";
      const set = new KeySet(url, quick);
      await set.open();
      server.isDown = true;
      for (const seconds of [79, 11, 9]) {
        pass(seconds);
        expect(await kids(set)).toEqual(["k"]);
      }
      pass(1);
      await expect(set.keys()).rejects.toThrow(/^while refreshing JWK from the URL: Get "http:/);
      server.isDown = false;
      expect(await kids(set)).toEqual(["k"]);
    });
  });

  it("tries three times", async () => {
    const { server, url } = await keyServer();
    server.isDown = true;
    await expect(new KeySet(url, quick).keys()).rejects.toThrow("while refreshing JWK");
    expect(server.fetched).toBe(3);
  });

  it.each([
    ["max-age=60", 60_000],
    ["public, s-maxage=30, max-age=60", 30_000],
    ["max-age=0", Number.POSITIVE_INFINITY],
    ["x-max-age=60", Number.POSITIVE_INFINITY],
    [undefined, Number.POSITIVE_INFINITY],
  ])("lives as Cache-Control %s says", async (cacheControl, lifeMs) => {
    const { server, url } = await keyServer();
    server.cacheControl = cacheControl;
    const set = new KeySet(url, quick);
    await set.open();
    expect(set.livesMs).toBe(lifeMs);
  });
});
