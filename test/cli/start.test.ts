// quern start: prints where it answers, keeps data, ends quickly and cleanly, and says in one sentence why it cannot start.

import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, quern, run, served, started, temporaryFolder } from "./quern.ts";

/** In a process of its own, where how it ends belongs to what is stated. */
const runAlone = (cwd: string, ...args: readonly string[]) => quern(cwd, ...args).ended;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), "type Boat {\n  name: String! @id\n  seats: Int @search\n}\n");
});
afterEach(() => folder.remove());

describe("quern start", () => {
  it("prints the address of the API, keeps data across a restart, and exits with code 0 at Ctrl-C", async () => {
    const first = await started(folder.path, "--schema", "schema.graphql");
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql$/);
    expect(await ask(first.url, 'mutation { addBoat(input: [{ name: "Heron", seats: 4 }]) { numUids } }')).toMatchObject({
      data: { addBoat: { numUids: 1 } },
    });
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(0);

    const second = await started(folder.path);
    expect(await ask(second.url, "{ queryBoat { name seats } }")).toMatchObject({ data: { queryBoat: [{ name: "Heron", seats: 4 }] } });
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
  });

  it("answers an administrator's shutdown request, and then exits with code 0", async () => {
    const server = await started(folder.path, "--schema", "schema.graphql", "--admin-open");
    const response = await fetch(new URL("/admin/shutdown", server.url));
    expect(await response.json()).toEqual({ code: "Success", message: "Server is shutting down" });
    expect((await server.ended).code).toBe(0);
  });

  it("collects its garbage when it waits after a burst", async () => {
    const server = await started(folder.path, "--schema", "schema.graphql", "--admin-open");
    const collections = async () => {
      const text = await (await fetch(new URL("/metrics", server.url))).text();
      return Number(/^nodejs_gc_duration_seconds_count\{kind="major"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    // The least that the server holds is known.
    await setTimeout(2_000);
    const names = Array.from({ length: 90_000 }, (_, i) => `a name that no boat has ${i}`);
    const burst = async () => {
      for (let i = 0; i < 12; i++)
        await ask(server.url, "query ($names: [String]) { queryBoat(filter: { name: { in: $names } }) { name } }", { names });
      return collections();
    };
    // V8 may have collected at the end of a burst: then another one leaves more. Each question is work, too: few of them leave it waiting.
    let before: number;
    do {
      before = await burst();
      await setTimeout(4_000);
    } while ((await collections()) === before);
    server.child.kill("SIGINT");
    expect((await server.ended).code).toBe(0);
  });

  it("serves with the transport of --transport", async () => {
    for (const transport of ["yoga", "ws"]) {
      const server = await served(folder.path, "--schema", "schema.graphql", "--transport", transport);
      expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
      expect((await server.stop()).code).toBe(0);
    }
    const { code, err } = await run(folder.path, "start", "--transport", "smoke");
    expect(code).toBe(2);
    expect(err).toContain("Allowed choices are ws, yoga.");
  });

  it("runs trusted documents, and no others with --trusted-only", async () => {
    writeFileSync(join(folder.path, "documents.json"), JSON.stringify({ boats: "{ queryBoat { name } }" }));
    const server = await served(folder.path, "--schema", "schema.graphql", "--trusted-documents", "documents.json", "--trusted-only");
    const byId = await fetch(`${server.url}?documentId=boats`);
    expect(await byId.json()).toMatchObject({ data: { queryBoat: [] } });
    expect(await ask(server.url, "{ queryBoat { seats } }")).toMatchObject({ errors: [{ extensions: { code: "DOCUMENT_NOT_TRUSTED" } }] });
    writeFileSync(join(folder.path, "next.graphql"), "type Boat {\n  title: String! @id\n}\n");
    const { code, out } = await run(folder.path, "diff", "next.graphql", "--url", new URL(server.url).origin);
    expect(code).toBe(1);
    expect(out).toContain('Trusted documents that the API would refuse\n  boats: Cannot query field "name" on type "Boat".');
    expect((await server.stop()).code).toBe(0);
  });

  it("reports a missing file of trusted documents, and --trusted-only without a file", async () => {
    const missing = await run(folder.path, "start", "--port", "0", "--trusted-documents", "none.json");
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("the file none.json cannot be used: it is not there")]);
    const without = await run(folder.path, "start", "--port", "0", "--trusted-only");
    expect([without.code, without.err]).toEqual([1, expect.stringContaining("--trusted-only needs a file of documents")]);
  });

  it("does not start with an invalid schema, and shows the location of its errors", async () => {
    writeFileSync(join(folder.path, "bad.graphql"), "type Boat {\n  name: Strin @id\n}\n");
    const { code, out, err } = await runAlone(folder.path, "start", "--port", "0", "--schema", "bad.graphql");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("Strin");
    expect(err).toContain("bad.graphql:2:");
    expect(err).toMatch(/2 \| {3}name: Strin @id\n {2}\| +\^/);
  });

  it("names a port that is in use", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const { port } = holder.address() as AddressInfo;
    const { code, err } = await runAlone(folder.path, "start", "--port", String(port));
    holder.close();
    expect(code).toBe(1);
    expect(err).toContain(String(port));
    expect(err).not.toMatch(/\n +at /);
  });

  it("names a store that another server has open", async () => {
    const first = await served(folder.path);
    const { code, err } = await runAlone(folder.path, "start", "--port", "0");
    await first.stop();
    expect(code).toBe(1);
    expect(err).toBe("the data folder ./data is in use by another process\nStop that process, or give this one another folder.\n");
  });

  it.each([
    [["start", "--prot", "1"], 2, /unknown option '--prot'[\s\S]*--port/],
    [["start", "--port", "65536"], 2, /A port is a whole number from 0 to 65535\./],
    [["strat"], 2, /unknown command 'strat'[\s\S]*start[\s\S]*run quern --help to see the available commands/],
    [["start", "--schema", "none.graphql"], 1, /^The schema file none\.graphql does not exist; check the path\.\n$/],
    [["start", "--config", "none.ts"], 1, /^The configuration file none\.ts does not exist; check the path after --config\.\n$/],
    [["check", "--data", "none"], 1, /^The data folder none does not exist; check the path\.\n$/],
    [["import", "none.ndjson", "--type", "Boat", "--data", "data"], 1, /^The file none\.ndjson does not exist; check the path\.\n$/],
    [
      ["import", "schema.graphql", "--type", "Boat"],
      1,
      /^Name the target: --data <dir> for a LevelDB store, --config <file> for a configured storage, or --url <url> for a running server\.\n$/,
    ],
    [["deploy", "schema.graphql", "--url", "http://127.0.0.1:2"], 1, /^No server answers at http:\/\/127\.0\.0\.1:2; start one/],
    [["deploy", "schema.graphql", "--url", "here"], 1, /^--url here is not an HTTP address; use one such as http:\/\/127\.0\.0\.1:8080\.\n$/],
  ])("%j exits with code %i and a readable error", async (args, code, sentence) => {
    const ended = await run(folder.path, ...args);
    expect(ended.err).toMatch(sentence);
    expect(ended.code).toBe(code);
  });

  it("lists every command in --help", async () => {
    const { code, out } = await run(folder.path, "--help");
    expect(code).toBe(0);
    for (const command of ["init", "dev", "start", "print", "origins", "validate", "diff", "deploy", "import", "check", "explain"])
      expect(out).toContain(`  ${command} `);
  });
});

describe("a configuration file", () => {
  const project = new URL("../..", import.meta.url).pathname;

  it("in TypeScript is loaded", async () => {
    writeFileSync(
      join(folder.path, "quern.config.ts"),
      `import { defineConfig, type QuernConfig } from "${project}dist/adapters/server/index.js";
       import { leveldbStorage } from "${project}dist/adapters/level/index.js";
       import { wsTransport } from "${project}dist/adapters/ws/index.js";
       const config: QuernConfig = defineConfig({ storage: leveldbStorage({ path: "./boats" }), transports: [wsTransport()], plugins: [], schema: "type Boat { name: String! }" });
       export default config;`,
    );
    const server = await served(folder.path);
    expect(await ask(server.url, "{ queryBoat { name } }")).toMatchObject({ data: { queryBoat: [] } });
    expect((await server.stop()).code).toBe(0);
  });

  it("with an unknown option is refused with a suggestion", async () => {
    writeFileSync(join(folder.path, "quern.config.mjs"), "export default { storge: 1 };");
    const { code, err } = await run(folder.path, "start");
    expect(code).toBe(1);
    expect(err).toContain('quern.config.mjs: The configuration has an unknown option "storge"; did you mean "storage"?');
  });

  it("that cannot be loaded is an error with the reason", async () => {
    writeFileSync(join(folder.path, "quern.config.mjs"), "export default {");
    const { code, err } = await run(folder.path, "start");
    expect(code).toBe(1);
    expect(err).toMatch(/^The configuration file quern\.config\.mjs cannot be loaded: /);
  });
});
