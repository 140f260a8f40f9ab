// Requests of callers with and without tokens, with the answers of another implementation of the same API.

import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { authPlugin } from "../../plugins/auth/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

interface AuthFile extends AnswerFile {
  readonly about: string;
  /** Key sets by path, served on loopback. */
  readonly jwks?: Readonly<Record<string, unknown>>;
}

/** Where the recorded schemas look for key sets. */
const recordedKeySets = "127.0.0.1:8391";
const folder = goldenPath("answers");
const names = folder === undefined ? [] : readdirSync(folder).filter((each) => /^auth-(?!acl).*\.json$/.test(each));
const tally = new Tally();
const known = new Set<string>();
/** With `QUERN_GOLDEN_REPORT=file`: what differed, case by case. */
const report: string[] = [];

afterAll(() => {
  if (folder === undefined) return;
  tally.print("golden answers about access");
  if (process.env.QUERN_GOLDEN_REPORT) writeFileSync(process.env.QUERN_GOLDEN_REPORT, report.join("\n"));
});

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(names).toEqual([]));

for (const fileName of names) {
  const file = readGolden<AuthFile>(join(folder ?? "", fileName));
  const area = basename(fileName, ".json");
  known.add(area);
  for (const step of file.cases) known.add(`${area}/${step.name}`);
  describe(area, () => (exceptionOf(area) ? laterIssue(area) : play(area, file)));
}

it("excepts only cases that are there", () => {
  if (folder !== undefined) expect(unknownExceptions("auth-", known)).toEqual([]);
});

function laterIssue(area: string): void {
  it("waits for its issue", () => void tally.excepted.push(...[exceptionOf(area)].filter((each) => each !== undefined)));
}

/** A recorded thing with the address at which this run serves key sets. */
function locally<T>(recorded: T, keySets: Server | undefined): T {
  const address = keySets?.address();
  if (!address || typeof address === "string") return recorded;
  return JSON.parse(JSON.stringify(recorded).replaceAll(recordedKeySets, `127.0.0.1:${address.port}`));
}

function play(area: string, file: AuthFile): void {
  let stack: TemporaryKernel;
  let played: Play;
  let keySets: Server | undefined;

  const settings = (closedByDefault: "types" | "token"): TemporaryConfig => ({
    plugins: standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin({ closedByDefault, writesHidden: true }) : plugin)),
    debug: area === "auth-debug",
  });

  beforeAll(async () => {
    if (file.jwks) keySets = await serveKeySets(file.jwks);
    stack = await compatibleKernel(settings(openWithToken.has(area) ? "token" : "types"));
    played = new Play(stack.kernel);
  });
  afterAll(async () => {
    await stack?.remove();
    keySets?.closeAllConnections();
    keySets?.close();
  });

  it("sets up its schema and its data", async () => {
    const failed: string[] = [];
    if (file.schema) failed.push(...(await played.deploy(locally(file.schema, keySets))));
    for (const step of file.setup) failed.push(...(await played.run(locally(step, keySets))));
    if (failed.length > 0) report.push(`\n## ${area}: SETUP`, ...failed);
    expect(failed).toEqual([]);
    if (area === "auth-closed") {
      stack = await stack.restart(settings("types"));
      played = new Play(stack.kernel);
    }
  });

  const seen = new Map<string, number>();
  for (const step of file.cases) {
    const before = seen.get(step.name) ?? 0;
    seen.set(step.name, before + 1);
    const name = before === 0 ? step.name : `${step.name} (${before + 1})`;
    it(name, async () => {
      const differences = await played.run(locally(step, keySets));
      if (step.skip !== undefined) return void tally.skipped.push(`${area}/${name}`);
      if (differences.length > 0 && !exceptionOf(`${area}/${name}`))
        report.push(
          `\n## ${area}/${name}`,
          `    ${step.query ?? step.raw ?? step.path}`.slice(0, 600),
          ...differences.map((each) => `- ${each.slice(0, 1200)}`),
        );
      tally.judge(`${area}/${name}`, differences);
    });
  }
}

/** Their types without rules are open to every caller with a token; the answers of `auth-closed` are those of either reading, its setup is not. */
const openWithToken = new Set(["auth-closed-open-types", "auth-closed"]);

function serveKeySets(sets: Readonly<Record<string, unknown>>): Promise<Server> {
  const server = createServer((request, response) => {
    const set = sets[request.url ?? ""];
    if (set === undefined) return void response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    response.writeHead(200, { "content-type": "application/json" }).end(typeof set === "string" ? set : JSON.stringify(set));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
