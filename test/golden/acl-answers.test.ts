// Requests to a server with access control lists, with the answers of another implementation of the same API.

import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { type AclOptions, aclPlugin } from "../../plugins/acl/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play, type Step } from "./answers.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

interface AclFile extends AnswerFile {
  readonly keys?: { readonly acl: string };
}

const folder = goldenPath("answers");
const names = folder === undefined ? [] : readdirSync(folder).filter((each) => /^(acl-.*|auth-acl|dql-write-acl)\.json$/.test(each));
const tally = new Tally();
const known = new Set<string>();
/** With `QUERN_GOLDEN_REPORT=file`: what differed, case by case. */
const report: string[] = [];

afterAll(() => {
  if (folder === undefined) return;
  tally.print("golden answers under access control");
  if (process.env.QUERN_GOLDEN_REPORT) writeFileSync(process.env.QUERN_GOLDEN_REPORT, report.join("\n"));
});

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(names).toEqual([]));

for (const fileName of names) {
  const file = readGolden<AclFile>(join(folder ?? "", fileName));
  const area = basename(fileName, ".json");
  for (const step of file.cases) known.add(`${area}/${step.name}`);
  describe(area, () => play(area, file));
}

it("excepts only cases that are there", () => {
  if (folder !== undefined)
    expect([...unknownExceptions("acl-", known), ...unknownExceptions("auth-acl", known), ...unknownExceptions("dql-write-acl", known)]).toEqual([]);
});

/** Only where a token has to expire does time matter: a changed rule counts at once. */
const waits = new Set(["acl-expiry"]);
const shortLives = { accessTtlMs: 5_000, refreshTtlMs: 12_000 };

function play(area: string, file: AclFile): void {
  let stack: TemporaryKernel;
  let played: Play;
  const options: AclOptions = { secret: file.keys?.acl ?? "a secret of the tests: 0123456789abcdef", ...(waits.has(area) ? shortLives : {}) };

  beforeAll(async () => {
    stack = await compatibleKernel({ plugins: [...standardPlugins(), aclPlugin(options)], admin: {} });
    played = new Play(stack.kernel);
  });
  afterAll(() => stack?.remove());

  const run = async (step: Step & { readonly wait?: number }) => {
    if (waits.has(area) && step.wait !== undefined) await pause(step.wait);
    return await played.run(step);
  };

  it("sets up its schema and its data", async () => {
    const failed: string[] = [];
    for (const step of file.setup) failed.push(...(await run(step)));
    if (failed.length > 0) report.push(`\n## ${area}: SETUP`, ...failed);
    expect(failed).toEqual([]);
  });

  const seen = new Map<string, number>();
  for (const step of file.cases) {
    const before = seen.get(step.name) ?? 0;
    seen.set(step.name, before + 1);
    const name = before === 0 ? step.name : `${step.name} (${before + 1})`;
    it(name, async () => {
      const differences = await run(step);
      if (step.skip !== undefined) return void tally.skipped.push(`${area}/${name}`);
      if (differences.length > 0 && !exceptionOf(`${area}/${name}`))
        report.push(
          `\n## ${area}/${name}`,
          `    ${step.query ?? step.raw ?? step.path}`.slice(0, 600),
          ...differences.map((each) => `- ${each.slice(0, 4000)}`),
        );
      tally.judge(`${area}/${name}`, differences);
    });
  }
}
