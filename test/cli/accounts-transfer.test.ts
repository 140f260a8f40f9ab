// Users who come from another service or move to another store, by the command line.

import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash } from "bcrypt";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, password, schema } from "../plugins/accounts/accounts-server.ts";
import { run, served, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), schema);
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

const origin = (url: string) => new URL(url).origin;
const serve = (...args: readonly string[]) => served(folder.path, "--accounts", ...args);

async function signIn(url: string, email: string, text = password): Promise<{ readonly client: Client; readonly status: number }> {
  const client = new Client(origin(url));
  return { client, status: (await client.post("sign-in/email", { email, password: text })).status };
}

async function writeUsers(...more: readonly object[]): Promise<string> {
  const passwordHash = await hash(password, 4);
  const lines = [{ email: "ada@example.org", name: "Ada", role: "ADMIN", passwordHash, emailVerified: true }, ...more];
  writeFileSync(join(folder.path, "users.ndjson"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n`);
  return passwordHash;
}

const importUsers = async (...args: readonly string[]) => await run(folder.path, "import", "users.ndjson", "--type", "User", "--accounts", ...args);

describe("quern import --accounts", () => {
  it("takes users of another service into a store, and run again leaves them", async () => {
    const passwordHash = await writeUsers({ email: "bob@example.org", name: "Bob" });
    const first = await importUsers("--data", "data", "--schema", "schema.graphql");
    expect(first).toMatchObject({ code: 0, out: "2 users added, 0 got their password, 0 were there\n" });
    const again = await importUsers("--data", "data");
    expect(again).toMatchObject({ code: 0, out: "0 users added, 0 got their password, 2 were there\n" });
    expect(`${first.err}${again.err}`).not.toContain(passwordHash);
    const { url } = await serve();
    expect((await signIn(url, "ada@example.org", "wrong horse battery")).status).toBe(401);
    const { client, status } = await signIn(url, "ada@example.org");
    expect(status).toBe(200);
    expect((await client.ask("{ queryUser { email role } }")).data).toEqual({ queryUser: [{ email: "ada@example.org", role: "ADMIN" }] });
    expect((await signIn(url, "bob@example.org")).status).toBe(401);
  });

  it("takes them into a running server, stops at a bad line or skips it, and shows no hash of it", async () => {
    const { url } = await serve("--schema", "schema.graphql");
    await writeUsers({ email: "eve@example.org", passwordHash: "5f4dcc3b5aa765d61d8327deb882cf99" }, { email: "bob@example.org" });
    const stopped = await importUsers("--url", origin(url));
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain("users.ndjson:2: passwordHash has no form that is known");
    const skipped = await importUsers("--url", origin(url), "--on-error", "skip");
    expect(skipped).toMatchObject({ code: 0, out: "0 users added, 0 got their password, 2 were there, 1 invalid lines skipped\n" });
    expect(`${stopped.err}${skipped.err}`).not.toContain("5f4dcc3b");
    expect((await signIn(url, "ada@example.org")).status).toBe(200);
  });

  it("refuses a type whose objects do not sign in, and a target that is missing", async () => {
    await writeUsers();
    await run(folder.path, "import", "users.ndjson", "--type", "User", "--accounts", "--data", "data", "--schema", "schema.graphql");
    const task = await run(folder.path, "import", "users.ndjson", "--type", "Task", "--accounts", "--data", "data");
    expect(task).toMatchObject({ code: 1 });
    expect(task.err).toContain("Users are of the type User, not of Task");
    expect((await importUsers()).err).toContain("Name the target");
  });
});

describe("an export", () => {
  const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(path, name)).isFile());
  const textOf = (path: string) =>
    filesIn(path)
      .map((name) => readFileSync(join(path, name), "utf8"))
      .join("");

  /** A store with a user who is signed in. */
  async function store(): Promise<Client> {
    await writeUsers();
    await importUsers("--data", "data", "--schema", "schema.graphql");
    const server = await serve();
    const { client } = await signIn(server.url, "ada@example.org");
    await server.stop();
    return client;
  }

  const move = async (...args: readonly string[]) => await run(folder.path, ...args, "--accounts");

  it("has no hash, no session and no accounts without --accounts", async () => {
    const ada = await store();
    vi.stubEnv("QUERN_ACCOUNTS", "true");
    expect((await run(folder.path, "export", "out", "--data", "data")).code).toBe(0);
    const text = textOf(join(folder.path, "out"));
    expect(text).toContain("ada@example.org");
    const token = decodeURIComponent(ada.cookie).split(/[=.]/)[2] ?? "";
    expect(token).toMatch(/^\w{32}$/);
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/[0-9a-f]{32}:[0-9a-f]{128}|passwordHash|accounts\./);
  });

  it("of a store with users names the variable that every command needs, and so does a server", async () => {
    await store();
    vi.stubEnv("QUERN_ACCOUNTS", "false");
    for (const command of [
      ["export", "out"],
      ["backup", "copies"],
      ["start", "--port", "0"],
    ]) {
      const { code, err } = await run(folder.path, ...command, "--data", "data");
      expect([code, err]).toEqual([1, expect.stringContaining("set QUERN_ACCOUNTS=true for every command that opens it")]);
    }
  });

  it("with --accounts moves passwords and sessions to another store, in files of their owner alone, once", async () => {
    const ada = await store();
    expect((await move("export", "out", "--data", "data")).code).toBe(0);
    const path = join(folder.path, "out/accounts");
    for (const name of filesIn(path)) expect(statSync(join(path, name)).mode & 0o777, name).toBe(0o600);
    const first = await move("import", "out", "--data", "moved");
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toContain("accounts/session.ndjson: 1");
    expect((await move("import", "out", "--data", "moved")).out).toContain("accounts/session.ndjson: 0");
    copyFileSync(join(folder.path, "data/accounts-secret"), join(folder.path, "moved/accounts-secret"));
    const server = await serve("--data", "moved");
    const again = new Client(origin(server.url));
    for (const [name, value] of ada.cookies) again.cookies.set(name, value);
    expect(await again.session()).toMatchObject({ user: { email: "ada@example.org", role: "ADMIN" } });
    expect((await signIn(server.url, "ada@example.org")).status).toBe(200);
  });

  it("with --accounts does not give the sessions of one user to another who has its ID in the other store", async () => {
    await store();
    expect((await move("export", "out", "--data", "data")).code).toBe(0);
    const path = join(folder.path, "out/accounts/users.ndjson");
    writeFileSync(path, readFileSync(path, "utf8").replace("ada@", "eve@"));
    const refused = await move("import", "out", "--data", "moved");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("eve@example.org does not have the ID here");
    expect((await move("export", "again", "--data", "moved")).out).toContain("accounts/session.ndjson: 0");
  });

  /** The session of before counts in the moved store, and the password, too. */
  async function assertMoved(ada: Client, url: string): Promise<void> {
    const again = new Client(origin(url));
    for (const [name, value] of ada.cookies) again.cookies.set(name, value);
    expect(await again.session()).toMatchObject({ user: { email: "ada@example.org", role: "ADMIN" } });
    expect((await signIn(url, "ada@example.org")).status).toBe(200);
  }

  it.each(["rdf", "json"])("with --accounts in the form %s moves them, too", async (format) => {
    const ada = await store();
    expect((await move("export", "out", "--data", "data", "--format", format)).code).toBe(0);
    expect((await run(folder.path, "import", "--from-dgraph", "out", "--data", "moved", "--accounts")).out).toContain("accounts/session.ndjson: 1");
    copyFileSync(join(folder.path, "data/accounts-secret"), join(folder.path, "moved/accounts-secret"));
    await assertMoved(ada, (await serve("--data", "moved")).url);
  });

  it.each(["ndjson", "rdf"])("of a running server moves them into another running one in the form %s, and no answer shows them", async (format) => {
    const ada = await store();
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    onTestFinished(() => [from, to].forEach((each) => void each.remove()));
    const source = await serve();
    const out = join(from.path, "out");
    const exported = await move("export", out, "--url", origin(source.url), "--format", format);
    expect(exported.out).toContain("accounts/session.ndjson: 1");
    for (const name of filesIn(join(out, "accounts"))) expect(statSync(join(out, "accounts", name)).mode & 0o777, name).toBe(0o600);
    expect((await move("export", out, "--url", origin(source.url))).err).toContain("name a new folder");
    vi.stubEnv("QUERN_ACCOUNTS_SECRET", readFileSync(join(folder.path, "data/accounts-secret"), "utf8").trim());
    const target = await served(to.path, "--accounts");
    const import_ = (...args: readonly string[]) =>
      run(folder.path, "import", ...(format === "rdf" ? ["--from-dgraph", out] : [out]), "--url", origin(target.url), "--accounts", ...args);
    expect((await import_()).out).toContain("accounts/session.ndjson: 1");
    expect((await import_()).out).toContain("accounts/session.ndjson: 0");
    await assertMoved(ada, target.url);
    const token = decodeURIComponent(ada.cookie).split(/[=.]/)[2] ?? "none";
    expect(`${exported.out}${exported.err}`).not.toContain(token);
  });

  it("with --accounts leaves out users whom the server had lost before it wrote them", async () => {
    await store();
    expect((await move("export", "out", "--data", "data")).code).toBe(0);
    const path = (name: string) => join(folder.path, "out/accounts", name);
    writeFileSync(path("users.ndjson"), `${readFileSync(path("users.ndjson"), "utf8")}{"id":"0xffff","email":"gone@example.org"}\n`);
    const row = { id: "another", userId: "0xffff", token: "x".repeat(32), expiresAt: "2100-01-01T00:00:00Z" };
    writeFileSync(path("session.ndjson"), `${readFileSync(path("session.ndjson"), "utf8")}${JSON.stringify(row)}\n`);
    expect((await move("import", "out", "--data", "moved")).out).toContain("accounts/session.ndjson: 1");
    writeFileSync(path("users.ndjson"), '{"id":"0xffff","email":"gone@example.org"}\n');
    expect((await move("import", "out", "--data", "moved")).err).toContain("No user of the export is here");
  });

  it("refuses --accounts with new uids, and of an export without", async () => {
    await store();
    const refusal = async (...args: readonly string[]) => (await move(...args)).err;
    vi.stubEnv("QUERN_ACCOUNTS", "true");
    await run(folder.path, "export", "plain", "--data", "data");
    expect(await refusal("import", "plain", "--data", "moved", "--new-uids")).toContain("leave out --new-uids");
    expect(await refusal("import", "plain", "--data", "moved")).toContain("has no accounts. Export again with --accounts");
    const notes = temporaryFolder();
    onTestFinished(() => notes.remove());
    writeFileSync(join(notes.path, "schema.graphql"), "type Note { text: String }");
    await (await served(notes.path, "--schema", "schema.graphql")).stop();
    expect((await run(notes.path, "export", "out", "--data", "data", "--accounts")).err).toContain("no type of the schema has @account");
  });
});
