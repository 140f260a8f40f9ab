// DQL, asked at `/query` and in fields of `Query`, with the answers of another implementation, one file after the other on an emptied store.

import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

/** They need access control: `acl-answers.test.ts` plays them. */
const played = new Set(["dql-write-acl.json"]);

const folder = goldenPath("answers");
const names = folder === undefined ? [] : readdirSync(folder).filter((each) => /^(custom-)?dql.*\.json$/.test(each) && !played.has(each));
const tally = new Tally();
const known = new Set<string>();
/** With `QUERN_GOLDEN_REPORT=file`: what differed, case by case. */
const report: string[] = [];

afterAll(() => {
  if (folder === undefined) return;
  tally.print("golden answers of DQL");
  if (process.env.QUERN_GOLDEN_REPORT) writeFileSync(process.env.QUERN_GOLDEN_REPORT, report.join("\n"));
});

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(names).toEqual([]));

for (const fileName of names) {
  const file = readGolden<AnswerFile>(join(folder ?? "", fileName));
  const area = basename(fileName, ".json");
  known.add(area);
  for (const step of file.cases) known.add(`${area}/${step.name}`);
  describe(area, () => (exceptionOf(area) ? waits(area) : play(area, file)));
}

it("excepts only cases that are there", () => {
  if (folder !== undefined)
    expect([
      ...unknownExceptions("dql-", known).filter((each) => !each.startsWith("dql-write-acl")),
      ...unknownExceptions("custom-dql", known),
    ]).toEqual([]);
});

function waits(area: string): void {
  it("waits for its issue", () => void tally.excepted.push(...[exceptionOf(area)].filter((each) => each !== undefined)));
}

function play(area: string, file: AnswerFile): void {
  let stack: TemporaryKernel;
  let played: Play;

  beforeAll(async () => {
    stack = await compatibleKernel();
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

  const seen = new Map<string, number>();
  for (const step of file.cases) {
    const before = seen.get(step.name) ?? 0;
    seen.set(step.name, before + 1);
    const name = before === 0 ? step.name : `${step.name} (${before + 1})`;
    it(name, async () => {
      const differences = await played.run(step);
      if (step.skip !== undefined) return void tally.skipped.push(`${area}/${name}`);
      if (differences.length > 0 && !exceptionOf(`${area}/${name}`))
        report.push(
          `\n## ${area}/${name}`,
          `    ${step.query ?? step.raw ?? step.path}`.slice(0, 900),
          ...(step.variables ? [`    variables ${JSON.stringify(step.variables).slice(0, 300)}`] : []),
          ...differences.map((each) => `- ${each.slice(0, 1200)}`),
        );
      tally.judge(`${area}/${name}`, differences);
    });
  }
}
