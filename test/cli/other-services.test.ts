// Users who come from other services, by the commands of the guide: what these services export, and how its people sign in afterwards.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { hash as bcrypt } from "bcrypt";
import { expect, it, onTestFinished } from "vitest";
import { Client, password, schema } from "../plugins/accounts/accounts-server.ts";
import { noPostgres, postgresPrograms, startPostgres } from "../support/postgres.ts";
import { run, served, temporaryFolder } from "./quern.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/accounts.md"), "utf8");

/** The line of the guide about a service that writes users.ndjson. */
function commandOf(service: string): string {
  const [, section = ""] = guide.split(`**${service}**`);
  return /^.+ > users\.ndjson$/m.exec(section)?.[0] ?? expect.fail(`the guide has no command for ${service}`);
}

interface Export {
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the service has written, by name of the file. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the command where the files of the service are, and loads what it writes into a server. @returns a client that tries to sign in there */
async function moved({ command, env = {}, files = {} }: Export) {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeFileSync(join(folder.path, "schema.graphql"), schema);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const path = [postgresPrograms, process.env.PATH].filter((each) => each !== undefined).join(delimiter);
  const shell = spawnSync("bash", ["-euo", "pipefail", "-c", command], {
    cwd: folder.path,
    env: { ...process.env, ...env, PATH: path },
    encoding: "utf8",
  });
  expect(shell.status, shell.stderr).toBe(0);
  const { url } = await served(folder.path, "--accounts", "--schema", "schema.graphql");
  const { origin } = new URL(url);
  const loaded = await run(folder.path, "import", "users.ndjson", "--type", "User", "--accounts", "--url", origin);
  const signIn = async (email: string, text: string) => {
    const client = new Client(origin);
    const { status } = await client.post("sign-in/email", { email, password: text });
    return { status, user: status === 200 ? (await client.session())?.user : undefined };
  };
  return { loaded, signIn };
}

/** Of `auth.users`, what the guide reads, and what stands beside it. */
const supabaseTable = `
  create schema auth;
  create table auth.users (
    instance_id uuid, id uuid primary key default gen_random_uuid(), aud varchar(255), role varchar(255), email varchar(255),
    encrypted_password varchar(255), email_confirmed_at timestamptz, last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
    is_super_admin bool, phone text unique default null, banned_until timestamptz, is_sso_user boolean not null default false, deleted_at timestamptz,
    is_anonymous boolean not null default false
  );`;

if (postgresPrograms === undefined) console.info(`THE GUIDE FROM SUPABASE IS LEFT OUT: ${noPostgres}`);

it.runIf(postgresPrograms !== undefined)(
  "who had a password at Supabase signs in with it, by the command of the guide on a real PostgreSQL",
  async () => {
    const database = await startPostgres(postgresPrograms ?? "");
    onTestFinished(() => database.stop());
    const hash = await bcrypt(password, 10);
    const row = (
      email: string,
      values: string,
    ) => `insert into auth.users (email, encrypted_password, email_confirmed_at, raw_user_meta_data, banned_until, deleted_at)
    values (${email === "" ? "null" : `'${email}'`}, ${values});`;
    database.run(
      [
        supabaseTable,
        row("ada@example.org", `'${hash}', now(), '{"name": "Ada \\"the\\" O''Countess\\nLovelace", "avatar_url": "x"}', null, null`),
        row("bob@example.org", `'${hash}', null, '{}', null, null`),
        row("eve@example.org", `'${hash}', now(), null, now() + interval '1 day', null`),
        row("was-banned@example.org", `'${hash}', now(), null, now() - interval '1 day', null`),
        row("gone@example.org", `'${hash}', now(), null, null, now()`),
        row("github@example.org", `'', now(), '{"name": "By GitHub"}', null, null`),
        row("", `'${hash}', null, null, null, null`),
      ].join("\n"),
    );
    const { loaded, signIn } = await moved({ command: commandOf("Supabase"), env: { DATABASE_URL: database.url } });
    expect(loaded).toMatchObject({ code: 0, out: "5 users added, 0 got their password, 0 were there\n" });
    expect(await signIn("ada@example.org", password)).toMatchObject({
      status: 200,
      user: { name: 'Ada "the" O\'Countess\nLovelace', emailVerified: true },
    });
    expect((await signIn("was-banned@example.org", password)).status).toBe(200);
    // Three tries in ten seconds are counted as few.
    expect((await signIn("eve@example.org", password)).status).toBe(403);
  },
);

const hasJq = spawnSync("jq", ["--version"]).status === 0;
if (!hasJq) console.info("THE GUIDES FROM AUTH0 AND FIREBASE ARE LEFT OUT: they need jq.");

it.runIf(hasJq)("who had a password at Auth0 signs in with it, by the command of the guide", async () => {
  const user = async (email: string, more: object) => ({
    _id: { $oid: "60425dc43519d90068f82973" },
    email_verified: true,
    email,
    passwordHash: await bcrypt(password, 10),
    password_set_date: { $date: "2021-03-05T16:32:52.560Z" },
    tenant: "tasks",
    connection: "Username-Password-Authentication",
    _tmp_is_unique: true,
    ...more,
  });
  const users = [await user("ada@example.org", { name: "Ada" }), await user("bob@example.org", { email_verified: false })];
  const files = { "export.ndjson": `${users.map((each) => JSON.stringify(each)).join("\n")}\n` };
  const { loaded, signIn } = await moved({ command: commandOf("Auth0"), files });
  expect(loaded).toMatchObject({ code: 0, out: "2 users added, 0 got their password, 0 were there\n" });
  expect(await signIn("ada@example.org", password)).toMatchObject({ status: 200, user: { name: "Ada", emailVerified: true } });
  expect([(await signIn("ada@example.org", `${password}!`)).status, (await signIn("bob@example.org", password)).status]).toEqual([401, 401]);
});

it.runIf(hasJq)("who had a password at Firebase signs in with it, by the command of the guide", async () => {
  // The example of https://github.com/firebase/scrypt, as `firebase auth:export` writes it.
  const hashed = {
    passwordHash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
    salt: "42xEC+ixf3L2lw==",
  };
  const dates = { createdAt: "1614961972560", lastSignedInAt: "1614961972560" };
  const users = [
    { localId: "a", email: "ada@example.org", emailVerified: true, displayName: "Ada", disabled: false, ...hashed, ...dates, providerUserInfo: [] },
    { localId: "b", email: "bob@example.org", emailVerified: true, disabled: true, ...hashed, ...dates },
    { localId: "c", email: "github@example.org", emailVerified: true, ...dates, providerUserInfo: [{ providerId: "github.com", rawId: "7" }] },
    { localId: "d", phoneNumber: "+3725555555", ...dates },
  ];
  const env = { BASE64_SIGNER_KEY: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==" };
  const { loaded, signIn } = await moved({ command: commandOf("Firebase"), env, files: { "users.json": JSON.stringify({ users }) } });
  expect(loaded).toMatchObject({ code: 0, out: "2 users added, 0 got their password, 0 were there\n" });
  expect(await signIn("ada@example.org", "user1password")).toMatchObject({ status: 200, user: { name: "Ada", emailVerified: true } });
  expect([(await signIn("ada@example.org", "user2password")).status, (await signIn("bob@example.org", "user1password")).status]).toEqual([401, 403]);
});
