// Recorded requests whose fields and events a lambda server handles, with the answers and with what the server received.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import type { RemoteFile } from "./remote-play.ts";
import { RemoteStacks } from "./remote-stacks.ts";

const names = ["lambda", "lambda-noauth", "events", "events-auth"].map((name) => `custom-${name}`);
const folder = goldenPath("custom");
const tally = new Tally();
const known = new Set<string>();
/** With `QUERN_GOLDEN_REPORT=file`: what differed, case by case. */
const report: string[] = [];

afterAll(() => {
  if (folder === undefined) return;
  tally.print("golden answers with a lambda server");
  if (process.env.QUERN_GOLDEN_REPORT) writeFileSync(process.env.QUERN_GOLDEN_REPORT, report.join("\n"));
});

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(folder).toBeUndefined());

for (const area of folder === undefined ? [] : names) {
  const file = readGolden<RemoteFile>(join(folder ?? "", `${area}.json`));
  for (const step of file.cases) known.add(`${area}/${step.name}`);
  describe(area, () => play(area, file));
}

it("excepts only cases that are there", () => {
  if (folder !== undefined) expect(names.flatMap((name) => unknownExceptions(`${name}/`, known))).toEqual([]);
});

function play(area: string, file: RemoteFile): void {
  let played: RemoteStacks;

  beforeAll(async () => {
    played = await RemoteStacks.open(file, ({ port }) => standardPlugins({ lambdaUrl: `http://127.0.0.1:${port}/graphql-worker` }));
  });
  afterAll(() => played?.close());

  it("sets up its schema and its data", async () => {
    const failed = await played.setUp();
    if (failed.length > 0) report.push(`\n## ${area}: SETUP`, ...failed);
    expect(failed).toEqual([]);
  });

  file.cases.forEach((step, index) => {
    const name = `${area}/${step.name}`;
    it.skipIf(step.slow && process.env.QUERN_GOLDEN_SLOW === undefined)(
      step.name,
      async () => {
        const differences = await played.run(index);
        if (step.skip !== undefined) return void tally.skipped.push(name);
        if (differences.length > 0 && !exceptionOf(name))
          report.push(`\n## ${name}`, `    ${step.query ?? step.raw ?? ""}`.slice(0, 900), ...differences.map((each) => `- ${each.slice(0, 1500)}`));
        tally.judge(name, differences);
      },
      step.slow ? 120_000 : 20_000,
    );
  });
}
