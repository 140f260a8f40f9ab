// Who reaches the admin paths, over a socket: the token opens them to everybody who has it, `admin.open` to this machine alone.

import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { prometheusMetrics } from "../../../../adapters/prometheus/index.ts";
import { digest } from "../../../../adapters/server/access/digest.ts";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { Listening } from "../../../../core/transport.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";

let stack: TemporaryKernel;
let server: Listening;
afterEach(async () => {
  await server.close(0);
  await stack.remove();
});

const boat =
  'type Boat { name: String! @id }\n# Service.Authorization {"Header":"X","Namespace":"n","Algo":"HS256","VerificationKey":"signing-key"}\n';
const schemaQuery = "/admin?query=%7BgetGQLSchema%7Bschema%7D%7D";
const drop = { method: "POST", path: "/alter", body: '{"drop_all": true}' };

interface Sent {
  readonly method?: string;
  /** The target, as it stands in the first line. */
  readonly path?: string;
  readonly version?: string;
  /** Undefined takes the header away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** The whole answer to a request that is written byte by byte: a client would put its own `Host` and mend targets. */
function ask({ method = "GET", path = schemaQuery, version = "1.1", headers = {}, body = "" }: Sent): Promise<string> {
  const { host, port } = new URL(server.url);
  const all = { Host: host, Connection: "close", ...(body === "" ? {} : { "Content-Length": String(body.length) }), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return new Promise((resolve, reject) => {
    // Not ended: an HTTP server of Node takes that for a client that has gone.
    const socket = connect(Number(port), "127.0.0.1", () => socket.write([`${method} ${path} HTTP/${version}`, ...lines, "", body].join("\r\n")));
    let text = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.on("end", () => resolve(text)).on("error", reject);
  });
}

const own = () => new URL(server.url).host;

describe.each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("on %s", (_name, transport) => {
  async function listening(config: TemporaryConfig): Promise<void> {
    stack = await temporaryKernel({ metrics: prometheusMetrics({ process: false }), ...config });
    await stack.kernel.deploy(boat);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  }

  describe("by default", () => {
    it("refuses every request, also from this machine, and no page can read an answer", async () => {
      await listening({ admin: {} });
      const paths = [schemaQuery, "/admin/shutdown", "/admin/config/cache_mb", "/admin/nothing", "/admin/", "/metrics", "/state"];
      for (const path of paths) expect(await ask({ path }), path).toContain("ErrorUnauthorized");
      expect(await ask({ ...drop })).toContain("No Auth Token found");
      for (const path of ["/admin/schema", "/admin/schema/validate", "/admin/draining?enable=true"]) {
        const answer = await ask({ method: "POST", path, body: "type Other { a: Int }" });
        expect(answer, path).toContain("ErrorUnauthorized");
        expect(answer, path).toContain("X-Service-AuthToken");
      }
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const answer = await ask({ method, headers: { Origin: "https://evil.example", "Access-Control-Request-Headers": "x-service-authtoken" } });
        expect(answer.toLowerCase()).not.toContain("access-control-");
        expect(answer).not.toContain("signing-key");
      }
      expect(stack.kernel.deployment?.document).toBe(boat);
      expect(stack.kernel.draining).toBe(false);
    });

    it("health is public", async () => {
      await listening({ admin: {} });
      for (const path of ["/health", "/probe/graphql"]) expect(await ask({ path }), path).toContain("200 OK");
    });

    it("other spellings of a path do not match", async () => {
      await listening({ admin: {} });
      for (const target of [`/${schemaQuery}`, schemaQuery.toUpperCase(), schemaQuery.replace("a", "%61"), `/x/..${schemaQuery}`, `.${schemaQuery}`])
        expect(await ask({ path: target }), target).not.toContain("signing-key");
      expect(await ask({ path: `http://${own()}${schemaQuery}` })).toContain("ErrorUnauthorized");
      expect(
        await ask({ method: "POST", path: "/graphql", headers: { "X-HTTP-Method-Override": "DELETE", "X-Original-URL": schemaQuery } }),
      ).not.toContain("signing-key");
    });
  });

  describe("with a token", () => {
    it("admits its holder from every address, and pages of configured origins may read", async () => {
      const admin = { token: "desk-token-1", origins: ["https://console.example"] };
      await listening({ admin });
      const headers = { "X-Service-AuthToken": "desk-token-1", Host: "quern.example", "X-Forwarded-For": "203.0.113.9" };
      expect(await ask({ headers })).toContain("signing-key");
      const foreign = await ask({ headers: { ...headers, Origin: "https://evil.example" } });
      expect(foreign.toLowerCase()).not.toContain("access-control-");
      const listed = (await ask({ headers: { ...headers, Origin: "https://console.example" } })).toLowerCase();
      expect(listed).toContain("access-control-allow-origin: https://console.example\r\n");
      expect(listed).toContain("vary: origin");
      const preflight = await ask({ method: "OPTIONS", path: "/admin/schema", headers: { Origin: "https://console.example" } });
      expect(preflight).toMatch(/^HTTP\/1\.1 200[\s\S]*access-control-allow-headers: X-Service-AccessToken, X-Service-AuthToken/i);
      expect(await ask({ headers: { Origin: "https://console.example" } })).toContain("ErrorUnauthorized");
    });

    it("refuses a client key and admits an admin key", async () => {
      const key = (kind: "admin" | "client") => ({ name: kind, kind, hash: digest(`${kind}-key`).toString("hex") });
      const apiKeys = [key("admin"), key("client")];
      for (const config of [{ admin: {} }, { admin: { open: "loopback" } }, { admin: {}, anonymousAccess: false }] as const) {
        await listening({ ...config, apiKeys });
        for (const path of [schemaQuery, "/state", "/metrics"])
          expect(await ask({ path, headers: { "X-Auth-Token": "client-key" } }), path).toContain("ErrorUnauthorized");
        expect(await ask({ headers: { "X-Auth-Token": "admin-key" } })).toContain("signing-key");
        await server.close(0);
        await stack.remove();
      }
      await listening({});
    });
  });

  describe("open to this machine", () => {
    const named = (header: string): [string, NonNullable<Sent["headers"]>] => [`a network that says ${header}`, { [header]: "203.0.113.9" }];
    const admin = { open: "loopback", origins: ["*", "https://console.example"] } as const;

    it("admits a process on this machine and a page of the server's own origin", async () => {
      await listening({ admin });
      const port = new URL(server.url).port;
      const hosts = [own(), "localhost", `localhost:${port}`, "LOCALHOST", `localhost.:${port}`, "127.0.0.2", `[::1]:${port}`];
      for (const Host of hosts) expect(await ask({ headers: { Host } }), Host).toContain("signing-key");
      expect(await ask({ headers: { Origin: `http://${own()}`, "Sec-Fetch-Site": "same-origin" } })).toContain("signing-key");
      expect(await ask({ headers: { "Sec-Fetch-Site": "none" } })).toContain("signing-key");
      expect(await ask({ headers: { Origin: "https://console.example", "Sec-Fetch-Site": "cross-site" } })).toContain("signing-key");
    });

    it.each<[string, NonNullable<Sent["headers"]>]>([
      ["a page of another site", { Origin: "https://evil.example" }],
      ["a page without an origin of its own", { Origin: "null" }],
      ["a page of another port", { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" }],
      ["a page of another scheme", { Origin: "https://localhost" }],
      ["an image on a page of another port", { "Sec-Fetch-Site": "same-site" }],
      ["a link on a page of another site", { "Sec-Fetch-Site": "cross-site" }],
      ["a name that leads here (DNS rebinding)", { Host: "evil.example" }],
      ["such a name with a page of its own", { Host: "evil.example:80", Origin: "http://evil.example:80" }],
      ["a name that looks like ours", { Host: "localhost.evil.example" }],
      ["an address that looks like ours", { Host: "127.0.0.1.evil.example" }],
      ["a user that looks like ours", { Host: "127.0.0.1:80@evil.example" }],
      ["an address of no loopback", { Host: "0.0.0.0" }],
      ["a name with something before it", { Host: "evil@127.0.0.1" }],
      ["a proxy", { "X-Forwarded-For": "203.0.113.9" }],
      ["a proxy that says the host alone", { "X-Forwarded-Host": "quern.example" }],
      ["a proxy that says the scheme alone", { "X-Forwarded-Proto": "https" }],
      ["a proxy of the standard", { Forwarded: "for=203.0.113.9" }],
      ["a proxy that says the address", { "X-Real-IP": "203.0.113.9" }],
      ["a proxy that says its own name", { Via: "1.1 cache" }],
      ...["CF-Connecting-IP", "CF-Connecting-IPv6", "CF-Ray", "True-Client-IP", "Client-IP", "X-Client-IP", "Fastly-Client-IP", "Fly-Client-IP"].map(
        named,
      ),
      ...["X-Cluster-Client-IP", "X-Azure-ClientIP", "X-Azure-SocketIP", "X-Original-Forwarded-For", "X-Remote-IP", "CDN-Loop"].map(named),
      ["a request without a host", { Host: undefined }],
    ])("%s is not", async (_who, headers) => {
      await listening({ admin });
      const version = "Host" in headers && headers.Host === undefined ? "1.0" : "1.1";
      expect(await ask({ headers, version })).toContain("ErrorUnauthorized");
      expect(await ask({ ...drop, headers, version })).toContain("No Auth Token found");
      expect(await ask({ path: "/admin/shutdown", headers, version })).toContain("ErrorUnauthorized");
      expect(stack.kernel.deployment?.document).toBe(boat);
    });

    it("refuses an absolute request target, which only clients of a proxy send", async () => {
      await listening({ admin });
      expect(await ask({ path: `http://${own()}${schemaQuery}` })).toContain("ErrorUnauthorized");
    });
  });
});

it("requires the token from a peer without an address, as on a Unix socket", async () => {
  stack = await temporaryKernel({ admin: { open: "loopback", token: "desk-token-1" } });
  server = { url: "", close: async () => undefined };
  await stack.kernel.deploy(boat);
  const body = new Uint8Array(0);
  const from = (headers: Readonly<Record<string, string>>, address: { readonly remoteAddress?: string }) =>
    stack.kernel.http({ method: "GET", url: schemaQuery, headers: { host: "localhost", ...headers }, body, ...address });
  expect((await from({}, {})).body).toContain("ErrorUnauthorized");
  expect((await from({}, { remoteAddress: "" })).body).toContain("ErrorUnauthorized");
  expect((await from({ "x-service-authtoken": "desk-token-1" }, {})).body).toContain("signing-key");
  expect((await from({}, { remoteAddress: "::1" })).body).toContain("signing-key");
  expect((await from({}, { remoteAddress: "::ffff:127.0.0.1" })).body).toContain("signing-key");
  expect((await from({}, { remoteAddress: "10.0.0.1" })).body).toContain("ErrorUnauthorized");
});
