// Requests with the answers of another implementation of the same API, one file after the other on an emptied store.

import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, isSdl, Play } from "./answers.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { recordedStack } from "./recorded-stack.ts";

const folder = goldenPath("answers");
const names = folder === undefined ? [] : readdirSync(folder).filter((each) => /^(query-|write-|vector|federation-|persisted).*\.json$/.test(each));
const tally = new Tally();
const known = new Set<string>();
/** With `QUERN_GOLDEN_REPORT=file`: what differed, case by case. */
const report: string[] = [];

afterAll(() => {
  if (folder === undefined) return;
  tally.print("golden answers");
  if (process.env.QUERN_GOLDEN_REPORT) writeFileSync(process.env.QUERN_GOLDEN_REPORT, report.join("\n"));
});

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(names).toEqual([]));

for (const fileName of folder === undefined ? [] : names) {
  const file = readGolden<AnswerFile>(join(folder ?? "", fileName));
  const area = basename(fileName, ".json");
  known.add(area);
  for (const step of file.cases) known.add(`${area}/${step.name}`);
  describe(area, () => (exceptionOf(area) ? laterIssue(area, file) : play(area, file)));
}

it("excepts only cases that are there", () => {
  if (folder !== undefined)
    expect(["query-", "write-", "vector", "federation-", "persisted"].flatMap((each) => unknownExceptions(each, known))).toEqual([]);
});

function laterIssue(area: string, file: AnswerFile): void {
  it("refuses the schema until its issue is done", async () => {
    const { kernel, remove } = await compatibleKernel();
    try {
      tally.judge(area, await new Play(kernel).deploy(file.schema ?? ""));
    } finally {
      await remove();
    }
  });
}

function play(area: string, file: AnswerFile): void {
  let stack: TemporaryKernel;
  let played: Play;

  beforeAll(async () => {
    stack = await compatibleKernel({ plugins: recordedStack() });
    played = new Play(stack.kernel);
  });
  afterAll(() => stack?.remove());

  it("sets up its schema and its data", async () => {
    const failed: string[] = [];
    if (file.schema) failed.push(...(await played.deploy(file.schema)));
    for (const step of file.setup) failed.push(...(await played.run(step)));
    if (failed.length > 0) report.push(`\n## ${area}: SETUP`, ...failed);
    expect(failed).toEqual([]);
  });

  const names = new Set<string>();
  for (const step of file.cases) {
    const name = names.has(step.name) ? `${step.name} (again)` : step.name;
    names.add(name);
    it(name, async () => {
      const differences = await played.run(step);
      if (step.skip !== undefined && !isSdl(step)) return void tally.skipped.push(`${area}/${name}`);
      if (differences.length > 0 && !exceptionOf(`${area}/${name}`))
        report.push(
          `\n## ${area}/${name}`,
          `    ${step.query ?? step.raw ?? step.path}`.slice(0, 600),
          ...(step.variables ? [`    variables ${JSON.stringify(step.variables).slice(0, 300)}`] : []),
          ...differences.map((each) => `- ${each.slice(0, 1200)}`),
        );
      tally.judge(`${area}/${name}`, differences);
    });
  }
}
