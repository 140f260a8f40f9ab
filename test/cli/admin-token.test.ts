// The admin token of quern start: made where none is given, kept for its user alone, and found by that user's commands on this machine.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, served, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
let server: Awaited<ReturnType<typeof served>> | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), "type Boat { name: String! @id }\n");
});
afterEach(async () => {
  await stopServer();
  delete process.env.QUERN_ADMIN_TOKEN;
  folder.remove();
});

async function stopServer(signal: NodeJS.Signals = "SIGINT") {
  const ended = await server?.stop(signal);
  server = undefined;
  return ended;
}

const start = async (...args: readonly string[]) => {
  server = await served(folder.path, ...args);
  return server.url;
};
const deploy = (url: string, ...args: readonly string[]) => run(folder.path, "deploy", "schema.graphql", "--url", url, ...args);
const tokenFile = () => join(folder.path, "data/admin-token");
const modeOf = (path: string) => statSync(path).mode & 0o777;
/** What a running server leaves for commands. */
const announced = (url: string) => join(process.env.XDG_STATE_HOME ?? "", "quern/servers", `${new URL(url).port}.json`);
const isLetIn = async (url: string, token: string) =>
  !(await (await fetch(new URL("/admin?query={__typename}", url), { headers: { "x-service-authtoken": token } })).text()).includes("Unauthorized");

describe("quern start without a token", () => {
  it("creates one, prints it once, and stores it with mode 0600", async () => {
    const url = await start();
    const token = readFileSync(tokenFile(), "utf8").trim();
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(modeOf(tokenFile())).toBe(0o600);
    expect(await isLetIn(url, token)).toBe(true);
    for (const wrong of ["", token.slice(1), token.toLowerCase()]) expect(await isLetIn(url, wrong)).toBe(false);
    const first = await stopServer();
    expect(first?.err.split(token)).toHaveLength(2);
    expect(first?.out).not.toContain(token);

    expect(await isLetIn(await start(), token)).toBe(true);
    expect((await stopServer())?.err).not.toContain(token);
  });

  it("does not start with a stored token that other users can read", async () => {
    mkdirSync(join(folder.path, "data"));
    writeFileSync(tokenFile(), "guess", { mode: 0o644 });
    chmodSync(tokenFile(), 0o644);
    expect(await run(folder.path, "start", "--port", "0")).toMatchObject({ code: 1, err: expect.stringContaining("chmod 600") });
  });

  it("stores it in the user's state folder if the store has no folder", async () => {
    const index = (name: string) => JSON.stringify(join(import.meta.dirname, "../..", name));
    const config = `import { standardStack } from ${index("dist/adapters/cli/index.js")};
      const stack = standardStack();
      Object.defineProperty(stack.storage, "folder", { value: undefined });
      export default stack;`;
    writeFileSync(join(folder.path, "quern.config.ts"), config);
    const tokens = join(process.env.XDG_STATE_HOME ?? "", "quern/tokens");
    const url = await start();
    const [name = ""] = readdirSync(tokens);
    expect(modeOf(join(tokens, name))).toBe(0o600);
    expect(modeOf(tokens)).toBe(0o700);
    expect(existsSync(tokenFile())).toBe(false);
    expect(await isLetIn(url, readFileSync(join(tokens, name), "utf8").trim())).toBe(true);
  });
});

describe("commands", () => {
  it("find a running server of the same user by its port, under any loopback name", async () => {
    const url = await start();
    expect(modeOf(announced(url))).toBe(0o600);
    expect(readFileSync(announced(url), "utf8")).not.toContain(readFileSync(tokenFile(), "utf8").trim());
    expect(await deploy(url)).toMatchObject({ code: 0 });
    expect(await deploy(url.replace("127.0.0.1", "localhost"))).toMatchObject({ code: 0 });
    expect(await run(folder.path, "diff", "schema.graphql", "--url", url)).toMatchObject({ code: 0 });
    await stopServer();
    expect(existsSync(announced(url))).toBe(false);
  });

  it("do not send the token of a killed server to another process on its port", async () => {
    const url = await start();
    await stopServer("SIGKILL");
    expect(existsSync(announced(url))).toBe(true);
    const { token } = JSON.parse(readFileSync(announced(url), "utf8"));
    const sent: unknown[] = [];
    const stranger = createServer((request, response) => {
      sent.push(request.headers["x-service-authtoken"]);
      response.end('{"errors":[{"message":"no"}]}');
    }).listen(Number(new URL(url).port), "127.0.0.1");
    await new Promise((resolve) => stranger.once("listening", resolve));
    expect(await deploy(url)).toMatchObject({ code: 1 });
    stranger.close();
    expect(sent).toEqual([undefined]);
    // It was for that run alone.
    expect(await isLetIn(await start(), token)).toBe(false);
  });

  it("ignore a registration file that other users can write", async () => {
    const url = await start();
    chmodSync(announced(url), 0o644);
    const { code, err } = await deploy(url);
    expect(code).toBe(1);
    expect(err).toMatch(/QUERN_ADMIN_TOKEN, .*--admin-token-file/);
    rmSync(announced(url));
    expect((await deploy(url)).code).toBe(1);
  });

  it("read the token from the environment or a file, and send it to no redirect target", async () => {
    process.env.QUERN_ADMIN_TOKEN = "of-the-environment";
    const url = await start();
    expect(existsSync(tokenFile())).toBe(false);
    rmSync(announced(url));
    expect(await deploy(url)).toMatchObject({ code: 0 });
    delete process.env.QUERN_ADMIN_TOKEN;
    expect(await deploy(url)).toMatchObject({ code: 1, err: expect.stringContaining("QUERN_ADMIN_TOKEN") });
    writeFileSync(join(folder.path, "token"), "of-the-environment\n", { mode: 0o600 });
    expect(await deploy(url, "--admin-token-file", "token")).toMatchObject({ code: 0 });

    const sent: unknown[] = [];
    const elsewhere = createServer((request) => sent.push(request.headers)).listen(0, "127.0.0.1");
    await new Promise((resolve) => elsewhere.once("listening", resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const sending = createServer((_, response) => response.writeHead(307, { location }).end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => sending.once("listening", resolve));
    const from = `http://127.0.0.1:${(sending.address() as AddressInfo).port}`;
    expect(await deploy(from, "--admin-token-file", "token")).toMatchObject({ code: 1 });
    expect(sent).toEqual([]);
    elsewhere.close();
    sending.close();
  });
});

it("--admin-open creates no token and admits requests from this machine; --no-introspection refuses introspection", async () => {
  const url = await start("--admin-open", "--no-introspection", "--schema", "schema.graphql");
  expect(existsSync(tokenFile())).toBe(false);
  expect(await isLetIn(url, "")).toBe(true);
  const ask = async (query: string) =>
    await (await fetch(url, { method: "POST", headers: { "content-type": "application/graphql" }, body: query })).text();
  expect(await ask("{ __schema { types { name } } }")).toContain("Introspection is switched off");
  expect(await ask("{ __typename }")).toContain('"Query"');
});
