// A damaged store on the command line: every command refuses it with exit code 1, names the file and the next step, and leaves it as it is.

import { execFile } from "node:child_process";
import { chmodSync, cpSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { contentsOf, flipBit, zero } from "../adapters/level/store-folder.ts";
import { main, run, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  // No index names `note`: nothing but a checksum knows what it was.
  writeFileSync(join(folder.path, "schema.graphql"), "type Boat {\n  name: String! @id\n  note: String\n  seats: Int @search\n}\n");
  const boats = Array.from({ length: 3_000 }, (_, i) => JSON.stringify({ name: `boat ${i}`, note: `note ${i * 7919}`, seats: i % 50 }));
  writeFileSync(join(folder.path, "boats.ndjson"), `${boats.join("\n")}\n`);
  const { code, err } = await run(folder.path, "import", "boats.ndjson", "--type", "Boat", "--data", "whole", "--schema", "schema.graphql");
  if (code !== 0) throw new Error(err);
  // Opening it again turns the log into a table.
  expect(await run(folder.path, "check", "--data", "whole")).toMatchObject({ code: 0 });
});
afterAll(() => folder.remove());

function fileOf(data: string, pattern: RegExp): string {
  const name = readdirSync(data).find((each) => pattern.test(each));
  if (name === undefined) throw new Error(`no file of ${data} fits ${pattern}`);
  return join(data, name);
}

interface Case {
  readonly name: string;
  damage(data: string): Promise<unknown> | unknown;
  readonly found: RegExp;
}

const cases: readonly Case[] = [
  { name: "CURRENT is missing", damage: (data) => unlinkSync(join(data, "CURRENT")), found: /CURRENT is missing/ },
  {
    name: "a bit of a table flips",
    damage: (data) => flipBit(fileOf(data, /ldb$/), 8 * 30_000),
    found: /\d+\.ldb has a block .* that does not match its checksum/,
  },
  {
    name: "a table has 4 KiB of zeros",
    damage: (data) => zero(fileOf(data, /ldb$/), 20_480, 4_096),
    found: /\d+\.ldb has a block .* that does not match its checksum/,
  },
];

const commands: readonly (readonly [string, ...string[]])[] = [
  ["start", "--port", "0"],
  ["import", "boats.ndjson", "--type", "Boat"],
  ["deploy", "schema.graphql"],
  ["check"],
  ["check", "--repair"],
];

describe.each(cases)("when $name", ({ damage, found }) => {
  it("every command refuses the store, names the file, and changes nothing", async () => {
    const data = join(folder.path, "data");
    rmSync(data, { recursive: true, force: true });
    cpSync(join(folder.path, "whole"), data, { recursive: true });
    await damage(data);
    const before = await contentsOf(data);
    for (const command of commands) {
      const { code, out, err } = await run(folder.path, ...command, "--data", "data");
      expect({ command, code }).toEqual({ command, code: 1 });
      const [said, silent] = command[0] === "check" ? [out, err] : [err, out];
      expect(said).toMatch(found);
      expect(said).toContain("Nothing was changed.");
      expect(said).toMatch(/restore a backup/i);
      // A check shows how far it is.
      expect(silent).toMatch(/^(bytes of files \d+% [\d,]+ of [\d,]+\n)*$/);
      expect(await contentsOf(data)).toEqual(before);
    }
  });
});

describe("quern check of a folder that can only be read", () => {
  const nobody = 65_534;

  it("verifies files and contents, leaves no copy, and refuses a repair", async () => {
    const data = join(folder.path, "read-only");
    cpSync(join(folder.path, "whole"), data, { recursive: true });
    const entries = readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name));
    for (const entry of [data, ...entries]) chmodSync(entry, statSync(entry).isDirectory() ? 0o555 : 0o444);
    chmodSync(folder.path, 0o755);
    onTestFinished(() => {
      for (const entry of [data, ...entries]) chmodSync(entry, 0o755);
    });
    const before = await contentsOf(data);
    const temporary = temporaryFolder();
    onTestFinished(() => temporary.remove());
    chmodSync(temporary.path, 0o777);
    const check = (...more: readonly string[]) =>
      promisify(execFile)(process.execPath, [main, "check", "--data", data, ...more], {
        cwd: folder.path,
        env: { ...process.env, TMPDIR: temporary.path, HOME: temporary.path },
        // The superuser may write everywhere.
        ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
      });
    expect((await check()).stdout).toContain("3,000 nodes, 0 links, 6,000 index entries; no faults.");
    await expect(check("--repair")).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("can only be read") });
    expect(readdirSync(temporary.path).filter((name) => name.startsWith("quern-read-only-"))).toEqual([]);
    expect(await contentsOf(data)).toEqual(before);
  });
});

describe("quern check --json", () => {
  it("lists damaged files as faults of kind file", async () => {
    const data = join(folder.path, "json");
    cpSync(join(folder.path, "whole"), data, { recursive: true });
    await flipBit(fileOf(data, /ldb$/), 8 * 30_000);
    const { code, out } = await run(folder.path, "check", "--data", "json", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      faultCount: 1,
      repaired: 0,
      faults: [{ kind: "file", message: expect.stringMatching(/^\d+\.ldb has a block/) }],
    });
  });
});
