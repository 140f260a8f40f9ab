// Users who sign in, from the environment: what quern start needs for it, keeps and refuses, and the commands of an administrator.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, password, schema } from "../plugins/accounts/accounts-server.ts";
import { eventually } from "../support/eventually.ts";
import { hosted, run, served, started, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), schema);
  vi.stubEnv("QUERN_ACCOUNTS", "true");
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

const origin = (url: string) => new URL(url).origin;

/** A server with what it prints to standard error. */
async function printing(...args: readonly string[]) {
  const program = hosted(folder.path, "start", "--port", "0", "--schema", "schema.graphql", ...args);
  await eventually(() => expect(program.output.out).toContain("/graphql"));
  return { url: origin(program.output.out.trim()), program };
}

/** Why a server does not start. */
async function refusal(...args: readonly string[]): Promise<string> {
  const { code, err } = await run(folder.path, "start", "--port", "0", "--schema", "schema.graphql", ...args);
  expect(code).toBe(1);
  return err;
}

describe("quern start with accounts", () => {
  it("prints the links of mails for the person at it, and knows its sessions after a restart by a secret that it keeps", async () => {
    const { url, program } = await printing();
    const ada = new Client(url);
    await ada.post("sign-up/email", { email: "ada@example.org", password, name: "Ada" });
    const link = await eventually(() => /http:\S+verify-email\S+/.exec(program.output.err)?.[0] ?? expect.fail("no link"));
    await ada.send(link);
    expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
    program.kill("SIGINT");
    await program.ended;
    const path = join(folder.path, "data/accounts-secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(program.output.err).not.toContain(readFileSync(path, "utf8").trim());
    const again = new Client(origin((await served(folder.path)).url));
    for (const [name, value] of ada.cookies) again.cookies.set(name, value);
    expect((await again.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
  });

  it("refuses to serve others than this machine without the address of the server and a mailer, and says what is missing", async () => {
    expect(await refusal("--host", "0.0.0.0")).toContain("QUERN_ACCOUNTS_URL");
    vi.stubEnv("QUERN_ACCOUNTS_URL", "https://tasks.example");
    expect(await refusal("--host", "0.0.0.0")).toContain("QUERN_SMTP_URL");
    expect(await refusal()).toContain("QUERN_SMTP_URL");
    vi.stubEnv("QUERN_SMTP_URL", "smtp://127.0.0.1:9");
    expect(await refusal()).toContain("QUERN_SMTP_FROM");
    vi.stubEnv("QUERN_SMTP_FROM", "tasks@example.org");
    await (await served(folder.path, "--host", "0.0.0.0", "--schema", "schema.graphql")).stop();
    vi.stubEnv("QUERN_SMTP_URL", "mail.example:25");
    expect(await refusal()).toContain("smtp://");
  });

  it("refuses half of a provider, a short secret and a switch that is neither on nor off", async () => {
    vi.stubEnv("GITHUB_CLIENT_ID", "id");
    expect(await refusal()).toContain("GITHUB_CLIENT_SECRET");
    vi.stubEnv("GITHUB_CLIENT_SECRET", "secret of a client");
    vi.stubEnv("QUERN_ACCOUNTS_SECRET", "short");
    expect(await refusal()).toContain("at least 32 characters");
    vi.stubEnv("QUERN_ACCOUNTS_SECRET", "");
    vi.stubEnv("QUERN_ACCOUNTS_TWO_FACTOR", "perhaps");
    expect(await refusal()).toContain("QUERN_ACCOUNTS_TWO_FACTOR");
    vi.stubEnv("QUERN_ACCOUNTS_TWO_FACTOR", "on");
    const { url } = await served(folder.path, "--schema", "schema.graphql");
    const answer = await new Client(origin(url)).post("sign-in/social", { provider: "github" });
    expect(String(answer.body.url)).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?.*client_id=id.*state=/);
    expect((await new Client(origin(url)).post("sign-in/social", { provider: "gitlab" })).status).toBe(404);
  });

  it("sends mails by SMTP", async () => {
    const texts: string[] = [];
    const mailbox = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, _session, done) => {
        let text = "";
        stream.on("data", (chunk) => {
          text += chunk;
        });
        stream.on("end", () => {
          texts.push(text);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => mailbox.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => mailbox.close(() => resolve())));
    vi.stubEnv("QUERN_SMTP_URL", `smtp://127.0.0.1:${(mailbox.server.address() as AddressInfo).port}`);
    vi.stubEnv("QUERN_SMTP_FROM", "Tasks <tasks@example.org>");
    const { url, program } = await printing();
    await new Client(url).post("sign-up/email", { email: "ada@example.org", password, name: "Ada" });
    await eventually(() => expect(texts).toHaveLength(1));
    expect(texts[0]).toMatch(/From: Tasks <tasks@example\.org>\r\nTo: ada@example\.org\r\nSubject: Confirm/);
    expect(program.output.err).not.toContain("verify-email");
  });

  it("is off by default: a schema with @account is refused, and nothing answers at /api/auth", async () => {
    vi.stubEnv("QUERN_ACCOUNTS", "false");
    expect(await refusal()).toContain("@account");
    writeFileSync(join(folder.path, "schema.graphql"), "type Note { text: String }");
    const { url } = await served(folder.path, "--schema", "schema.graphql");
    expect((await fetch(new URL("/api/auth/get-session", url))).status).toBe(404);
  });

  it("loads better-auth when the first client signs in, and not before", async () => {
    const loaded = async (work: (client: Client) => Promise<unknown>) => {
      const coverage = mkdtempSync(join(tmpdir(), "quern-loaded-"));
      onTestFinished(() => rmSync(coverage, { recursive: true, force: true }));
      vi.stubEnv("NODE_V8_COVERAGE", coverage);
      const server = await started(folder.path, "--schema", "schema.graphql");
      await work(new Client(origin(server.url)));
      server.child.kill("SIGINT");
      await server.ended;
      return readdirSync(coverage).some((file) => readFileSync(join(coverage, file), "utf8").includes("node_modules/better-auth/"));
    };
    expect(await loaded((client) => client.ask("{ queryUser { email } }"))).toBe(false);
    expect(await loaded((client) => client.post("sign-in/email", { email: "ada@example.org", password }))).toBe(true);
  });
});

describe("quern account", () => {
  const account = async (...args: readonly string[]) => await run(folder.path, "account", ...args);

  it("adds the first administrator, who signs in and has the claims of its fields", async () => {
    const { url } = await printing();
    writeFileSync(join(folder.path, "password.txt"), `${password}\n`);
    const added = await account("add", "Root@example.org", "--set", "role=ADMIN", "name=Root", "--new-password-file", "password.txt", "--url", url);
    expect(added).toMatchObject({ code: 0, out: "The user Root@example.org is added.\n" });
    const root = new Client(url);
    expect((await root.post("sign-in/email", { email: "root@example.org", password })).status).toBe(200);
    expect(await root.session()).toMatchObject({ user: { role: "ADMIN", name: "Root", emailVerified: true } });
    expect((await root.ask('mutation { addUser(input: [{ email: "bob@example.org" }]) { numUids } }')).data).toEqual({ addUser: { numUids: 1 } });
  });

  it("adds a user without a password, who sets one by the link of a mail", async () => {
    const { url, program } = await printing();
    await account("add", "bob@example.org", "--page", "/set-password", "--url", url);
    const link = await eventually(() => /http:\S+reset-password\S+/.exec(program.output.err)?.[0] ?? expect.fail("no link"));
    const bob = new Client(url);
    const target = new URL((await bob.send(link)).headers.get("location") ?? "", url);
    expect(target.pathname).toBe("/set-password");
    expect((await bob.post("reset-password", { token: target.searchParams.get("token"), newPassword: password })).status).toBe(200);
    expect((await account("list", "--url", url)).out).toMatch(/^bob@example\.org\t.*\tcredential\t0 sessions\t/);
  });

  const withAda = async () => {
    const { url } = await printing();
    writeFileSync(join(folder.path, "password.txt"), password);
    const set = (...args: readonly string[]) => account("set", "ada@example.org", ...args, "--url", url);
    await account("add", "ada@example.org", "--new-password-file", "password.txt", "--url", url);
    const signIn = async (text = password) => {
      const client = new Client(url);
      return { client, status: (await client.post("sign-in/email", { email: "ada@example.org", password: text })).status };
    };
    return { url, set, signIn };
  };

  it("ends sessions, and disables a user", async () => {
    const { url, set, signIn } = await withAda();
    const { client } = await signIn();
    expect((await account("sign-out", "ada@example.org", "--url", url)).out).toContain(": 1");
    expect(await client.session()).toBeNull();
    const again = (await signIn()).client;
    await set("--disable");
    expect(await again.session()).toBeNull();
    expect((await signIn()).status).toBe(403);
    expect((await account("list", "--url", url)).out).toContain("disabled");
  });

  it("enables a user again, sets a password, and shows no hash and no token", async () => {
    const { url, set, signIn } = await withAda();
    await set("--disable");
    await set("--enable");
    const { client, status } = await signIn();
    expect(status).toBe(200);
    writeFileSync(join(folder.path, "new.txt"), "another good password");
    await set("--new-password-file", "new.txt");
    expect(await client.session()).toBeNull();
    expect([(await signIn()).status, (await signIn("another good password")).status]).toEqual([401, 200]);
    expect((await account("list", "--url", url)).out).toMatch(/^ada@example\.org\tconfirmed\tcredential\t1 sessions\t\d{4}-[\d-]+T[\d:.]+Z\n$/);
  });

  it("acts as a user by a token that it prints alone, lists that session with who acts, and ends it without the others", async () => {
    const { url, signIn } = await withAda();
    const { client } = await signIn();
    const { out, err } = await account("act-as", "ada@example.org", "--minutes", "5", "--url", url);
    expect(out).toMatch(/^\w{32}\.\S+\n$/);
    const authorization = `Bearer ${out.trim()}`;
    const asks = async () => (await new Client(url).ask("{ queryUser { email } }", { authorization })).data;
    expect(await asks()).toEqual({ queryUser: [{ email: "ada@example.org" }] });
    const listed = (await account("sessions", "ada@example.org", "--url", url)).out;
    expect(listed).toMatch(/^\w{32}\t\S+\t\S+\t127\.0\.0\.1\tacted by admin token\t.*\n\w{32}\t\S+\t\S+\t127\.0\.0\.1\tuser\t.*\n$/);
    expect(listed).not.toContain(out.split(".")[0]);
    const [, session = ""] = /--session (\w+)/.exec(err) ?? [];
    expect((await account("sign-out", "ada@example.org", "--session", session, "--url", url)).out).toContain(": 1");
    expect(await asks()).toEqual({ queryUser: [] });
    expect(await client.session()).not.toBeNull();
    expect((await account("act-as", "ada@example.org", "--minutes", "soon", "--url", url)).code).toBe(1);
  });

  it("refuses a field that is not there, a user who is not there, and a server without accounts", async () => {
    const { url, program } = await printing();
    const refused = async (...args: readonly string[]) => (await account(...args, "--url", url)).err;
    expect(await refused("add", "ada@example.org", "--set", "rolle=ADMIN")).toContain("rolle is no field of User");
    expect(await refused("add", "ada@example.org", "--set", "role")).toContain("--set role=ADMIN");
    expect(await refused("set", "nobody@example.org", "--disable")).toContain("No user has the e-mail nobody@example.org");
    program.kill("SIGINT");
    await program.ended;
    vi.stubEnv("QUERN_ACCOUNTS", "");
    const other = temporaryFolder();
    onTestFinished(() => other.remove());
    writeFileSync(join(other.path, "schema.graphql"), "type Note { text: String }");
    const plain = await served(other.path, "--schema", "schema.graphql");
    expect((await run(other.path, "account", "list", "--url", origin(plain.url))).err).toContain("QUERN_ACCOUNTS=true");
  });
});
