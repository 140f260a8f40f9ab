// A configuration is validated before anything is opened; each problem is one sentence that includes the fix.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkServerConfig } from "../../adapters/server/index.ts";
import { checkKernelConfig } from "../../core/config/check-config.ts";
import { resolveLimits } from "../../core/index.ts";
import { assertNoProblems, type DirectivePlugin } from "../../core/plugin.ts";

const storage = { open() {}, close() {}, snapshot() {}, transact() {}, migrate() {} };
const transport = { name: "ws", listen() {} };
const plugin = (name: string, needs: Partial<Pick<DirectivePlugin, "after" | "follows">> = {}) => ({
  name,
  definitions: "",
  model: () => undefined,
  ...needs,
});
const messages = (config: unknown) => checkServerConfig(config).map((each) => `${each.code}: ${each.message}`);

describe("a configuration", () => {
  it("is valid with a storage and a transport, even if other options are undefined", () => {
    expect(messages({ storage, transports: [transport], plugins: [], debug: undefined, port: 0 })).toEqual([]);
    expect(checkKernelConfig({ storage })).toEqual([]);
  });

  it.each([
    ["0.0.0.0", false],
    ["::", false],
    ["10.0.0.7", false],
    ["quern.example", false],
    ["localhost.example", false],
    [undefined, true],
    ["127.0.0.1", true],
    ["127.3.2.1", true],
    ["::1", true],
    ["localhost", true],
  ])("with an admin token of fewer than 32 characters may listen at %s: %s", (host, fits) => {
    const of = (token: unknown) => messages({ storage, transports: [transport], host, admin: { token } });
    const [short, long] = ["s".repeat(31), "s".repeat(32)];
    const problem = `CONFIG_INVALID: An admin token has 31 characters and can be guessed: it needs at least 32. Make one with: openssl rand -base64 32 (host ${host})`;
    for (const token of [short, [short], [long, short]]) expect(of(token)).toEqual(fits ? [] : [problem]);
    for (const token of [long, [long, long], [], undefined]) expect(of(token)).toEqual([]);
  });

  it("has no API key whose hash is that of an empty text, which anybody could send", () => {
    const of = (text: string) => {
      const hash = createHash("sha256").update(text).digest("hex").toUpperCase();
      return messages({ storage, transports: [transport], apiKeys: [{ name: "a", kind: "admin", hash }] });
    };
    for (const text of ["", "\n"])
      expect(of(text)).toEqual([expect.stringMatching(/^CONFIG_INVALID: apiKeys\[0\] has a wrong hash: .*not that of an empty text\.$/)]);
    expect(of(" ")).toEqual([]);
  });

  it("suggests the most similar option", () => {
    expect(messages({ storage, transports: [transport], plugin: [] })).toEqual([
      'CONFIG_INVALID: The configuration has an unknown option "plugin"; did you mean "plugins"?',
    ]);
  });

  it("lists all options if none is similar", () => {
    expect(messages({ storage, transports: [transport], limits: { zzz: 1 } })[0]).toMatch(
      /^CONFIG_INVALID: limits has an unknown option "zzz"; it takes maxBodyBytes, /,
    );
  });

  it.each([
    ["maxLiveClients", 0, "a number above 0"],
    ["maxMessageBytes", -1, "a number above 0"],
    ["maxOperationsPerSocket", "9", "a number above 0"],
    ["socketInitMs", 0, "a number above 0, up to 2147483647"],
    ["socketInitMs", Number.POSITIVE_INFINITY, "a number above 0, up to 2147483647"],
    ["socketPingMs", -1, "a number from 0 to 2147483647"],
    ["liveKeepAliveMs", 2 ** 31, "a number from 0 to 2147483647"],
  ])("refuses the limit %s: %j", (name, value, expected) => {
    expect(messages({ storage, transports: [transport], limits: { [name]: value } })).toEqual([
      `CONFIG_INVALID: limits has a wrong ${name}: it must be ${expected}.`,
    ]);
    expect(
      messages({ storage, transports: [transport], limits: { socketPingMs: 0, liveKeepAliveMs: 0, maxLiveClients: 1, socketInitMs: 1 } }),
    ).toEqual([]);
  });

  it("reports all missing options", () => {
    expect(messages({})).toEqual([
      'CONFIG_INVALID: The configuration has no storage; it must be a storage such as leveldbStorage({ path: "./data" }).',
      "CONFIG_INVALID: The configuration has no transports; it must be a list of at least one transport, such as [wsTransport()].",
    ]);
    expect(messages(undefined)).toEqual(["CONFIG_INVALID: The configuration is not an object; export what defineConfig({...}) returns."]);
  });

  it.each([
    ["port", 65536, "a whole number from 0 to 65535"],
    ["port", "8080", "a whole number from 0 to 65535"],
    ["collectWhenIdle", "no", "true or false"],
    ["transports", [], "a list of at least one transport, such as [wsTransport()]"],
    ["debug", 1, "true or false"],
    ["trustedDocuments", "", 'a file name such as "persisted-documents.json", or { file, only }'],
    ["trustedDocuments", true, 'a file name such as "persisted-documents.json", or { file, only }'],
  ])("refuses %s: %j", (name, value, expected) => {
    expect(messages({ storage, transports: [transport], [name]: value })).toEqual([
      `CONFIG_INVALID: The configuration has a wrong ${name}: it must be ${expected}.`,
    ]);
  });

  it.each([
    [["10.0.0.0/8", "::1", "fd00::/8"], true],
    [["10.0.0.0/33"], false],
    [["10.0.0.1:10.0.0.9", "[fd00::1]:[fd00::9]", "office.example"], true],
    [["10.0.0.9:10.0.0.1"], false],
    [["10.0.0.1:fd00::9"], false],
    [["10.0.0.256"], false],
    [["10.0.0.1:office"], false],
    [["10.0.0.0/"], false],
  ])("takes %j as admin addresses: %s", (allow, fits) => {
    expect(messages({ storage, transports: [transport], admin: { allow } }).length === 0).toBe(fits);
  });
});

it("validates limits of persisted queries and trusted documents", () => {
  const problemsOf = (options: object) => checkServerConfig({ storage, transports: [transport], ...options }).map(({ message }) => message);
  expect(problemsOf({ limits: { persistedQueries: { maxDocuments: 0, maxBytes: 1 } }, trustedDocuments: { file: "a.json", only: true } })).toEqual(
    [],
  );
  expect(problemsOf({ limits: { persistedQueries: 5 } })).toEqual(["limits has a wrong persistedQueries: it must be an object."]);
  expect(problemsOf({ limits: { persistedQueries: { maxByte: 1, maxDocuments: -1 } } })).toEqual([
    'limits.persistedQueries has an unknown option "maxByte"; did you mean "maxBytes"?',
    "limits.persistedQueries has a wrong maxDocuments: it must be a number, 0 or above.",
  ]);
  expect(problemsOf({ trustedDocuments: { only: 1 } })).toEqual([
    "trustedDocuments has a wrong only: it must be true or false.",
    'trustedDocuments has no file; it must be a file name such as "persisted-documents.json".',
  ]);
});

describe("a list of plugins", () => {
  const problemsOf = (...plugins: unknown[]) => checkKernelConfig({ storage, plugins }).map((each) => `${each.code}: ${each.message}`);

  it("must not repeat a name", () => {
    expect(problemsOf(plugin("search"), plugin("search"))).toEqual([
      'PLUGIN_CLASH: Two plugins are named "search"; remove one of them from plugins.',
    ]);
  });

  it("must contain the plugins that a plugin needs, before it", () => {
    expect(problemsOf(plugin("auth", { after: ["search"] }))).toEqual([
      'PLUGIN_MISSING: Plugin "auth" needs plugin "search"; add it to plugins, before "auth".',
    ]);
    expect(problemsOf(plugin("auth", { after: ["search"] }), plugin("search"))).toEqual([
      'CONFIG_INVALID: Plugin "auth" is listed before plugin "search", on which it depends; move "search" before it in plugins.',
    ]);
    expect(problemsOf(plugin("search"), plugin("auth", { after: ["search"] }))).toEqual([]);
  });

  it("applies `follows` only to installed plugins", () => {
    expect(problemsOf(plugin("slug", { follows: ["identity"] }))).toEqual([]);
    expect(problemsOf(plugin("slug", { follows: ["identity"] }), plugin("identity"))).toEqual([
      'CONFIG_INVALID: Plugin "slug" is listed before plugin "identity", on which it depends; move "identity" before it in plugins.',
    ]);
  });

  it("must contain plugins, not their factories", () => {
    expect(problemsOf(() => plugin("search"))).toEqual([
      "CONFIG_INVALID: Entry 1 of plugins is not a plugin: an object with name, definitions and model; call its factory, as in plugins: [searchPlugin()].",
    ]);
  });
});

it("throws a single problem unchanged, and several as one error that lists them", () => {
  expect(() => assertNoProblems(checkServerConfig({ storage }))).toThrow(/^The configuration has no transports/);
  expect(() => assertNoProblems(checkServerConfig({}))).toThrow(/no storage.*\n.*no transports/);
  expect(() => assertNoProblems([])).not.toThrow();
});

it("keeps the default of a limit that is undefined", () => {
  expect(resolveLimits({ maxTimeMs: 5 }).maxTimeMs).toBe(5);
  expect(resolveLimits(Object.fromEntries([["maxTimeMs", undefined]])).maxTimeMs).toBe(60_000);
});
