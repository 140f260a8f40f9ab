import { createSecretKey } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LogConfig } from "../../../core/index.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { temporaryKernel } from "../../support/kernel.ts";
import { Client } from "../../support/live-clients.ts";
import { deploy } from "./harness.ts";
import { jwk, keyPair, keyServer, pilotToken } from "./key-server.ts";

const schema = '\ntype Berth @withSubscription @auth(query: { rule: "{$ROLE: {eq: \\"PILOT\\"}}" }) { number: Int! @id }\n';
const berths = "{ queryBerth { number } }";
const seen = { data: { queryBerth: [{ number: 7 }] } };
const minute = 60_000;

const settings = (...urls: readonly string[]) =>
  `# Service.Authorization ${JSON.stringify({ Header: "X-Harbour", Namespace: "https://harbour.example/claims", Audience: ["harbour"], JWKUrls: urls })}\n`;

async function harbour(...urls: readonly string[]) {
  const api = await deploy(schema + settings(...urls));
  await api.ask("mutation { addBerth(input: [{number: 7}]) { numUids } }");
  return { ...api, reasonOf: async (text: string) => (await api.ask(berths, text)).errors?.[0]?.message };
}

describe("keys behind a URL", () => {
  it.each(["RS256", "RS512", "PS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"])("verify %s", async (alg) => {
    const pair = await keyPair(alg);
    const { url } = await keyServer(await jwk(pair, "k1"));
    expect(await (await harbour(url)).ask(berths, await pilotToken(pair, "k1", alg))).toEqual(seen);
  });

  it("may be secrets, which verify HS256; the text of a public key is no secret", async () => {
    const [rsa, secret] = [await keyPair("RS256"), createSecretKey(Buffer.alloc(32, 7))];
    const { url } = await keyServer(await jwk(rsa, "rsa"), { kty: "oct", k: secret.export().toString("base64url"), kid: "s" });
    const api = await harbour(url);
    const signed = (kid: string, key: Uint8Array) =>
      new SignJWT({ ROLE: "PILOT" }).setProtectedHeader({ alg: "HS256", kid }).setAudience("harbour").sign(key);
    expect(await api.ask(berths, await signed("s", secret.export()))).toEqual(seen);
    expect(await api.reasonOf(await signed("s", Buffer.alloc(32, 8)))).toMatch(/signature is invalid$/);
    const text = new TextEncoder().encode(JSON.stringify(await exportJWK(rsa.publicKey)));
    expect(await api.reasonOf(await signed("rsa", text))).toMatch(/key is of invalid type/);
  });

  it("are selected by exact kid and by type of algorithm", async () => {
    const [rsa, ec] = [await keyPair("RS256"), await keyPair()];
    const { url } = await keyServer(await jwk(rsa, "rsa"), await jwk(ec, "ec"));
    const { reasonOf } = await harbour(url);
    expect(await reasonOf(await pilotToken(rsa, "RSA", "RS256"))).toMatch(/Invalid kid$/);
    expect(await reasonOf(await pilotToken(rsa, undefined, "RS256"))).toMatch(/kid not present in JWT$/);
    expect(await reasonOf(await pilotToken(rsa, "ec", "RS256"))).toMatch(/token signature is invalid: key is of invalid type/);
  });

  it("verify any algorithm of their type, as on Dgraph; keys for encryption verify none", async () => {
    const pair = await keyPair("PS256");
    const key = await jwk(pair, "");
    const { url } = await keyServer(
      { ...key, kid: "sig", alg: "RS256", use: "sig" },
      { ...key, kid: "use", use: "enc" },
      { ...key, kid: "alg", alg: "RSA-OAEP" },
      { ...key, kid: "ops", key_ops: ["encrypt"] },
    );
    const api = await harbour(url);
    expect(await api.ask(berths, await pilotToken(pair, "sig", "PS256"))).toEqual(seen);
    for (const kid of ["use", "alg", "ops"]) expect(await api.reasonOf(await pilotToken(pair, kid, "PS256"))).toMatch(/key is of invalid type/);
  });

  it("of kinds that nobody knows are ignored; broken ones of known kinds refuse the deploy", async () => {
    const pair = await keyPair();
    const server = await keyServer({ kty: "AKP", alg: "ML-DSA-44", kid: "q", pub: "AA" }, { kty: "OKP", crv: "X448", x: "AA" }, await jwk(pair, "k"));
    const api = await harbour(server.url);
    expect(await api.ask(berths, await pilotToken(pair, "k"))).toEqual(seen);
    for (const broken of [{ kty: "RSA", kid: "x" }, { kty: "oct", k: "" }, { kid: "x" }, "key"]) {
      server.keys = [await jwk(pair, "k"), broken];
      expect(await api.stack.kernel.validate(schema + settings(server.url))).toMatchObject([
        { message: expect.stringMatching(/^Get "http:.*": key 2 is no /) },
      ]);
    }
  });

  it("may come from several URLs; a set that is down does not keep others from being used", async () => {
    const [pair, other] = [await keyPair(), await keyPair()];
    const [first, second] = [await keyServer(await jwk(other, "old")), await keyServer(await jwk(pair, "new"))];
    const api = await harbour(first.url, second.url);
    first.isDown = true;
    expect(await api.ask(berths, await pilotToken(pair, "new"))).toEqual(seen);
    expect(first.fetched).toBe(1);
  });
});

describe("a key set that cannot be fetched", () => {
  const page = "<!doctype html><title>Sign in</title>";
  it.each([
    ["no such path, with JSON", { status: 404, body: '{"keys":[]}' }, "it answers with status 404"],
    ["a fault", { status: 500, body: "{}" }, "it answers with status 500"],
    ["an empty body", { body: "" }, "it answers with status 200 and an empty body"],
    ["a page", { body: page }, "it answers with status 200 and a body that is no JSON object"],
    ["a list", { body: "[]" }, "it answers with status 200 and a body that is no JSON object"],
    ["too many bytes", { body: " ".repeat(1_048_577) }, "the reply is longer than 1048576 bytes"],
    [
      "a redirect to an address of a cloud",
      { status: 302, headers: { location: "http://169.254.169.254/" } },
      "the address 169.254.169.254 is not permitted",
    ],
    ["a connection that breaks", { isDown: true }, "the connection was closed"],
  ])("refuses the deploy with the reason: %s", async (_, answer, reason) => {
    const api = await deploy("type Old { a: Int }");
    const server = Object.assign(await keyServer(), answer);
    const refusal = { code: "SCHEMA_INVALID", message: `Get "${server.url}": ${reason}` };
    await expect(api.stack.kernel.deploy(schema + settings(server.url))).rejects.toMatchObject(refusal);
    expect(await api.stack.kernel.validate(schema + settings(server.url))).toMatchObject([refusal]);
    expect(await api.ask("{ queryOld { a } }")).toEqual({ data: { queryOld: [] } });
  });

  it.each([
    ["http://127.0.0.1:9/keys.json", 'Get "http://127.0.0.1:9/keys.json": connection refused'],
    ["keys.example/jwks", 'Get "keys.example/jwks": unsupported protocol scheme ""'],
    ["file:///etc/keys.json", 'Get "file:///etc/keys.json": unsupported protocol scheme "file"'],
    ["http://ada:secret@127.0.0.1:9/keys.json?key=secret", 'Get "http://127.0.0.1:9/keys.json?...": connection refused'],
  ])("refuses the deploy with the address and the reason: %s", async (url, message) => {
    const api = await deploy("type Old { a: Int }");
    await expect(api.stack.kernel.deploy(schema + settings(url))).rejects.toMatchObject({ code: "SCHEMA_INVALID", message });
  });

  it("refuses the deploy for a private address, once others than this machine can reach the server, unless it is allowed", async () => {
    const pair = await keyPair();
    const { url, fetched } = await keyServer(await jwk(pair, "k"));
    const of = async (plugin: ReturnType<typeof authPlugin>) => {
      const stack = await temporaryKernel({ plugins: [plugin] });
      plugin.serving?.({ host: "0.0.0.0" });
      const deployed = await stack.kernel.deploy(`type T { a: Int }\n${settings(url)}`).then(
        () => "deployed",
        (thrown: Error) => thrown.message,
      );
      await stack.remove();
      return deployed;
    };
    expect(await of(authPlugin())).toBe(`Get "${url}": the address 127.0.0.1 is not permitted`);
    expect(fetched).toBe(0);
    expect(await of(authPlugin({ keySets: { allow: ["127.0.0.1"] } }))).toBe("deployed");
    expect(() => authPlugin({ keySets: { allow: ["no address!"] } })).toThrow(/authPlugin keySets has a wrong allow/);
  });

  it("is only logged at a restart, and the first token fetches it", async () => {
    const pair = await keyPair();
    const server = await keyServer(await jwk(pair, "k"));
    const logged: string[] = [];
    const log: LogConfig = { level: "warn", to: { write: ({ event }) => logged.push(event) } };
    const { stack, ask } = await deploy(schema + settings(server.url), {}, { log });
    await ask("mutation { addBerth(input: [{number: 7}]) { numUids } }");
    await stack.kernel.close();
    server.isDown = true;
    await stack.kernel.open();
    expect(logged).toEqual(["schema", "plugin"]);
    server.isDown = false;
    expect(await ask(berths, await pilotToken(pair, "k"))).toEqual(seen);
  });
});

describe("over time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it.each([undefined, "no-cache", "no-store", "max-age=0", "public, max-age=86400"])(
    "a revoked key is refused after ten minutes, and a new one accepted, with Cache-Control %s",
    async (cacheControl) => {
      const [old, next] = [await keyPair(), await keyPair()];
      const server = await keyServer(await jwk(old, "old"));
      server.headers = cacheControl === undefined ? {} : { "cache-control": cacheControl };
      const api = await harbour(server.url);
      const [oldToken, newToken] = [await pilotToken(old, "old"), await pilotToken(next, "new")];
      for (let i = 0; i < 3; i++) expect(await api.ask(berths, oldToken)).toEqual(seen);
      expect(server.fetched).toBe(1);
      server.keys = [await jwk(next, "new")];
      pass(10 * minute);
      expect(await api.reasonOf(oldToken)).toMatch(/Invalid kid$/);
      expect(await api.ask(berths, newToken)).toEqual(seen);
      expect(server.fetched).toBe(2);
    },
  );

  it("an unknown kid makes one fetch, shared by all that wait, and none more for half a minute", async () => {
    const [pair, next] = [await keyPair(), await keyPair()];
    const server = await keyServer(await jwk(pair, "k"));
    const api = await harbour(server.url);
    const unknown = await pilotToken(next, "next");
    expect(await api.reasonOf(unknown)).toMatch(/Invalid kid$/);
    expect(server.fetched).toBe(1);
    pass(minute / 2);
    server.keys = [await jwk(pair, "k"), await jwk(next, "next")];
    let release = () => {};
    server.held = new Promise((resolve) => (release = resolve));
    const asked = Array.from({ length: 20 }, () => api.ask(berths, unknown));
    await expect.poll(() => server.fetched).toBe(2);
    release();
    for (const answer of await Promise.all(asked)) expect(answer).toEqual(seen);
    for (let i = 0; i < 20; i++) expect(await api.reasonOf(await pilotToken(next, `guess ${i}`))).toMatch(/Invalid kid$/);
    expect(server.fetched).toBe(2);
  });

  it("it is fetched in the background from eight minutes on, so that no caller waits", async () => {
    const pair = await keyPair();
    const server = await keyServer(await jwk(pair, "k"));
    const api = await harbour(server.url);
    const token = await pilotToken(pair, "k");
    pass(8 * minute - 1);
    expect([await api.ask(berths, token), server.fetched]).toEqual([seen, 1]);
    let release = () => {};
    server.held = new Promise((resolve) => (release = resolve));
    pass(1);
    expect(await api.ask(berths, token)).toEqual(seen);
    await expect.poll(() => server.fetched).toBe(2);
    release();
  });

  it("it is fetched again after the clock was set back, which would keep it for longer", async () => {
    const pair = await keyPair();
    const server = await keyServer(await jwk(pair, "k"));
    const api = await harbour(server.url);
    pass(-60 * minute);
    await api.ask(berths, await pilotToken(pair, "k"));
    await expect.poll(() => server.fetched).toBe(2);
  });

  it("an outage has no effect for ten minutes; then it is the error, and the keys count again once it is over", async () => {
    const pair = await keyPair();
    const server = await keyServer(await jwk(pair, "k"));
    const api = await harbour(server.url);
    const token = await pilotToken(pair, "k");
    server.isDown = true;
    pass(10 * minute - 1);
    expect(await api.ask(berths, token)).toEqual(seen);
    pass(1);
    expect(await api.reasonOf(token)).toMatch(/because while refreshing JWK from the URL: Get "http:.*": the connection was closed$/);
    server.isDown = false;
    await expect.poll(() => api.ask(berths, token), { timeout: 30_000 }).toEqual(seen);
  });
});

describe("a live query whose token was signed by a key", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends within ten minutes once the key is revoked; one of another key goes on", async () => {
    const [stays, leaves] = [await keyPair(), await keyPair()];
    const server = await keyServer(await jwk(stays, "stays"), await jwk(leaves, "leaves"));
    const { stack } = await harbour(server.url);
    const watch = async (token: string) => {
      const client = new Client();
      await stack.kernel.subscribe({ query: `subscription ${berths}`, headers: { "x-harbour": token } }, client).planned;
      return client;
    };
    const [one, other] = [await watch(await pilotToken(stays, "stays")), await watch(await pilotToken(leaves, "leaves"))];
    server.keys = [await jwk(stays, "stays")];
    await vi.advanceTimersByTimeAsync(10 * minute - 1);
    expect([one.ending, other.ending]).toEqual([undefined, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    await expect
      .poll(() => other.ending)
      .toMatchObject({ kind: "expired", limit: "token", errors: [{ extensions: { code: "SUBSCRIPTION_EXPIRED" } }] });
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(one.ending).toBeUndefined();
  });
});
