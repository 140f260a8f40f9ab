// The recorded administration of exports and backups.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf, Tally } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

const area = "export-admin";
const path = goldenPath("answers", `${area}.json`);

describe.runIf(path !== undefined)("the recorded administration of exports", () => {
  const file = path === undefined ? { name: "", setup: [], cases: [] } : readGolden<AnswerFile>(path);
  const scratch = mkdtempSync(join(tmpdir(), "quern-exports-"));
  const tally = new Tally();
  let stack: TemporaryKernel;
  let played: Play;

  beforeAll(async () => {
    mkdirSync(join(scratch, "backup"));
    stack = await compatibleKernel({ admin: { open: "loopback", exports: join(scratch, "export") } });
    played = new Play(stack.kernel, { scratch });
    if (file.schema !== undefined) expect(await played.deploy(file.schema)).toEqual([]);
    for (const step of file.setup) expect(await played.run(step)).toEqual([]);
  });
  afterAll(async () => {
    await stack?.remove();
    rmSync(scratch, { recursive: true, force: true });
    tally.print("golden administration of exports");
  });

  it.each(file.cases.map((step) => [step.name, step] as const))("%s", async (name, step) => {
    const differences = await played.run(step);
    if (step.skip !== undefined) return void tally.skipped.push(`${area}/${name}`);
    tally.judge(`${area}/${name}`, differences);
  });

  it("has no exception for the whole file", () => expect(exceptionOf(area)).toBeUndefined());
});
