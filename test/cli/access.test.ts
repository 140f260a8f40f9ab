// quern user, group and rule against a server with access control.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { quernProgram } from "../../adapters/cli/program.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import type { Listening } from "../../core/transport.ts";
import { type AclServer, aclServer } from "../plugins/acl/server.ts";
import { temporaryKernel } from "../support/kernel.ts";

let server: AclServer;
let listening: Listening;
let printed: string[];

beforeEach(async () => {
  server = await aclServer();
  listening = await wsTransport().listen(server.kernel, { host: "127.0.0.1", port: 0 });
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line) => void printed.push(String(line)));
  vi.stubEnv("QUERN_PASSWORD", "password");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await listening.close(0);
  await server.remove();
});

async function quern(...args: readonly string[]): Promise<readonly string[]> {
  printed = [];
  await quernProgram().parseAsync([...args, "--url", listening.url], { from: "user" });
  return printed;
}

describe("the commands of access control", () => {
  it("add, list, change and delete users, groups and rules", async () => {
    vi.stubEnv("QUERN_NEW_PASSWORD", "analytical");
    expect(await quern("user", "add", "ines", "clerks")).toEqual(["The user ines is added."]);
    await quern("group", "add", "readers");
    expect(await quern("user", "join", "ines", "readers")).toEqual(["The user ines is in readers, from the next login on."]);
    expect(await quern("user", "list")).toEqual(["groot\tguardians", "ines\tclerks, readers"]);
    await quern("user", "leave", "ines", "clerks");
    expect(await quern("group", "list")).toEqual(["clerks\t", "guardians\tgroot", "readers\tines"]);
    expect(await quern("rule", "set", "readers", "Tool.name", "rw")).toEqual(["The group readers has the rights rw- on Tool.name."]);
    await quern("rule", "set", "readers", "service.all", "4");
    expect(await quern("rule", "list", "readers")).toEqual(["rw-\tTool.name", "r--\tservice.all"]);
    await quern("rule", "delete", "readers", "Tool.name");
    expect(await quern("rule", "list", "readers")).toEqual(["r--\tservice.all"]);
    vi.stubEnv("QUERN_NEW_PASSWORD", "difference");
    await quern("user", "password", "ines");
    expect((await server.admin('mutation { login(userId: "ines", password: "difference") { response { __typename } } }')).errors).toBeUndefined();
    await quern("group", "delete", "clerks");
    await quern("user", "delete", "ines");
    expect(await quern("user", "list")).toEqual(["groot\tguardians"]);
  });

  it("log in for commands that move data through the server, which refuses them without", async () => {
    await server.kernel.deploy("type Tool { name: String! @id }");
    const folder = await mkdtemp(join(tmpdir(), "quern-moving-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "tools.ndjson");
    await writeFile(file, '{"name":"saw"}\n{"name":"säge"}\n');
    expect((await quern("import", file, "--type", "Tool")).join()).toContain("2 added");
    const groot = await server.token("groot");
    expect((await server.graphql("{ queryTool(order: { asc: name }) { name } }", groot)).data).toEqual({
      queryTool: [{ name: "saw" }, { name: "säge" }],
    });
    vi.stubEnv("QUERN_PASSWORD", "");
    await expect(quern("import", file, "--type", "Tool")).rejects.toThrow("no accessJwt available");
    await expect(quern("backup", join(folder, "backups"))).rejects.toThrow("no accessJwt available");
    await expect(quern("export", join(folder, "export"))).rejects.toThrow("no accessJwt available");
    vi.stubEnv("QUERN_ACCESS_TOKEN", groot);
    await quern("import", file, "--type", "Tool");
    expect((await server.graphql("{ aggregateTool { count } }", groot)).data).toEqual({ aggregateTool: { count: 2 } });
  });

  it("say what is missing: a login, a user, a group, a permission", async () => {
    await expect(quern("user", "delete", "nobody")).rejects.toThrow("There is no user nobody.");
    await expect(quern("rule", "list", "nothing")).rejects.toThrow("There is no group nothing.");
    await expect(quern("rule", "set", "guardians", "Tool.name", "9")).rejects.toThrow("9 is no permission");
    await expect(quern("user", "add", "ines")).rejects.toThrow("QUERN_NEW_PASSWORD");
    vi.stubEnv("QUERN_PASSWORD", "");
    await expect(quern("user", "list")).rejects.toThrow("no accessJwt available");
    vi.stubEnv("QUERN_PASSWORD", "wrong-password");
    await expect(quern("user", "list")).rejects.toThrow("invalid username or password");
  });

  it("say that access control is off", async () => {
    const open = await temporaryKernel({ plugins: standardPlugins(), admin: { token: "an admin token of the specs" } });
    const { url, close } = await wsTransport().listen(open.kernel, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => {
      await close(0);
      await open.remove();
    });
    vi.stubEnv("QUERN_PASSWORD", undefined);
    vi.stubEnv("QUERN_ADMIN_TOKEN", "an admin token of the specs");
    const ask = (...args: readonly string[]) => quernProgram().parseAsync([...args, "--url", url], { from: "user" });
    await expect(ask("user", "list")).rejects.toThrow("The server has no users: access control is off.");
    await expect(ask("group", "list")).rejects.toThrow("The server has no groups: access control is off.");
  });
});
