// quern query: tables, JSON and the plan, from the folder of a store.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { explain } from "../../adapters/cli/commands/explain.ts";
import { query } from "../../adapters/cli/commands/query.ts";
import { kernelOf } from "../../adapters/cli/stack/stack.ts";
import { standardStack } from "../../adapters/cli/stack/standard-stack.ts";

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "quern-query-"));
  const kernel = await kernelOf({ ...standardStack({ data }), log: { level: "silent" } });
  await kernel.open({ background: false });
  await kernel.deploy("type Hive { label: String! @id  honey: Float @search }");
  await kernel.execute({ query: 'mutation { addHive(input: [{ label: "North", honey: 3.5 }, { label: "East", honey: 2 }]) { numUids } }' });
  await kernel.close();
});
afterAll(() => rm(data, { recursive: true }));

const text = "query q($min: float) { rich(func: ge(Hive.honey, $min)) { label: Hive.label } size(func: type(Hive)) { count(uid) } }";

/** What the command prints. */
async function printed(options: Parameters<typeof query>[1], dql = text, command = query): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
  const table = vi.spyOn(console, "table").mockImplementation((rows) => void lines.push(JSON.stringify(rows)));
  try {
    await command(dql, { data, ...options });
  } finally {
    log.mockRestore();
    table.mockRestore();
  }
  return lines.join("\n");
}

describe("quern query", () => {
  it("prints a table for each block", async () => {
    expect(await printed({ variables: '{ "min": 3 }' })).toBe('rich: 1 row\n[{"label":"North"}]\nsize: 1 row\n[{"count":2}]');
  });

  it("prints the answer as JSON", async () => {
    expect(JSON.parse(await printed({ variables: '{ "$min": "3" }', json: true }))).toEqual({ rich: [{ label: "North" }], size: [{ count: 2 }] });
  });

  it("prints what is asked of the storage", async () => {
    const plan = await printed({ variables: '{ "min": 3 }', explain: true });
    expect(plan).toContain("find Hive where Hive.honey >= 3 read Hive.label: 1 node in ");
  });

  it("explains DQL as quern explain does GraphQL", async () => {
    expect(await printed({ variables: '{ "min": 3 }' }, text, explain)).toContain("find Hive where Hive.honey >= 3 read Hive.label: 1 node in ");
    expect(await printed({}, "{ queryHive(filter: { honey: { ge: 3 } }) { label } }", explain)).toMatch(/nodes touched, queryHive: 1 rows in /);
  });

  it("says where a mistake is", async () => {
    await expect(printed({}, "{ q(func: nonsense(Hive)) { uid } }")).rejects.toThrow("line 1 column 11: Function name: nonsense is not valid.");
  });

  it("refuses variables that are no object", async () => {
    await expect(printed({ variables: "[1]" })).rejects.toThrow("--variables takes a JSON object");
  });
});
