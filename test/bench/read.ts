// npx tsx test/bench/read.ts: what reading costs inside the kernel, without HTTP: planning, running, and writing the answer's text.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OperationDefinitionNode, parse } from "graphql";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { isPromise } from "../../core/ground/maybe-promise.ts";
import { runAtOnce, run as runWork } from "../../core/ground/work.ts";
import { defaultLimits } from "../../core/index.ts";
import type { OperationContext } from "../../core/query/operation-context.ts";
import { planOperation } from "../../core/query/plan/plan-operation.ts";
import { bindLevel } from "../../core/query/read/bind.ts";
import { Completion } from "../../core/query/read/complete.ts";
import { readContext } from "../../core/query/read/read-context.ts";
import { findRows } from "../../core/query/read/read-level.ts";
import { runQueryRoot } from "../../core/query/read/run-root.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";
import { openLog } from "../../core/telemetry/log.ts";
import { deployOn, type Seed } from "../query/test-api.ts";
import { printTable } from "./table.ts";

const schema = `
  type Section { name: String! @id  packages: [Package] @hasInverse(field: section) }
  type Package { id: ID!  name: String! @id  summary: String  size: Int @search  section: Section  maintainer: Maintainer }
  type Maintainer { email: String! @id  name: String }
`;
const questions = [
  ["one by key", `{ getPackage(name: "package-500") { name size } }`],
  ["one by key, two links deep", `{ getPackage(name: "package-500") { name section { name } maintainer { name email } } }`],
  ["ten with a nested object", "{ queryPackage(first: 10) { id name summary size maintainer { name email } } }"],
  ["ten by size of a section", `{ getSection(name: "section-3") { packages(order: {desc: size}, first: 10) { name size } } }`],
  ["ten filtered", "{ queryPackage(filter: {size: {ge: 500}}, order: {asc: size}, first: 10) { name maintainer { name } } }"],
  ["all 1,000 with a nested object", "{ queryPackage { name size maintainer { name } } }"],
  ["count and mean", "{ aggregatePackage(filter: {size: {ge: 500}}) { count sizeAvg } }"],
] as const;

const folder = mkdtempSync(join(tmpdir(), "quern-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const storage = leveldbStorage({ path: join(folder, "store") });
await storage.open();
const api = await deployOn(storage, schema, {});
await api.seed(graph());

const rows: string[][] = [];
for (const [label, text] of questions) rows.push([label, ...(await measure(text))]);
printTable(["microseconds of processor time", "plan", "run", "of it text", "at once"], rows);
await storage.close();

function graph(): Readonly<Record<string, Seed>> {
  const nodes: Record<string, Seed> = {};
  for (let i = 0; i < 10; i++) nodes[`s${i}`] = ["Section", { name: `section-${i}` }];
  for (let i = 0; i < 100; i++) nodes[`m${i}`] = ["Maintainer", { name: `Maintainer ${i}`, email: `m${i}@example.org` }];
  for (let i = 0; i < 1000; i++) {
    const values = { name: `package-${i}`, summary: `the summary of package ${i}`, size: (i * 7919) % 1000 };
    nodes[`p${i}`] = ["Package", { ...values, section: `s${i % 10}`, maintainer: `m${i % 100}` }];
  }
  return nodes;
}

async function measure(text: string): Promise<readonly string[]> {
  const document = parse(text);
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === "OperationDefinition");
  const [root] = api.plan(text).roots;
  if (!operation || !root) throw new TypeError("no operation");
  // A new budget for each run, as each request has one: the clock of an old one says that its turn is over.
  const fresh = (): OperationContext => ({
    deployment: api.deployment,
    storage,
    request: { id: "", now: "", headers: {}, facts: {} },
    budget: new RequestBudget({ limits: { ...defaultLimits, maxTimeMs: 600_000 } }),
    log: openLog(),
    variables: {},
    given: {},
  });
  const plan = await microseconds(() => runAtOnce(planOperation(api.deployment.api, document, operation)).roots[0]?.selection.select({}));
  const run = await microseconds(() => runQueryRoot(root, fresh()));
  const atOnce = isPromise(runQueryRoot(root, fresh())) ? "no" : "yes";
  return [plan, run, await textTime(text, fresh()), atOnce].map((each) => (typeof each === "number" ? each.toFixed(1) : each));
}

/** Writing alone, from rows that are there. */
async function textTime(text: string, context: OperationContext): Promise<number | string> {
  const shape = api.plan(text).roots[0]?.selection.select({});
  if (shape?.kind !== "nodes") return "";
  const snapshot = storage.snapshot({ version: api.deployment.version });
  const bound = await bindLevel(shape.level, { context, purpose: "query" });
  const found = await runWork(
    findRows(text.includes("get") ? bound.with({ page: { first: 1 } }) : bound, readContext({ key: "q" }, context, snapshot)),
  );
  const spent = await microseconds(() => new Completion("q", context.budget).root(found, shape));
  snapshot.close();
  return spent;
}

/** The mean over half a second of processor time, after as much to warm up: other work on the machine disturbs it little. */
async function microseconds(work: () => unknown): Promise<number> {
  await repeat(work, 250_000);
  const { count, spent } = await repeat(work, 500_000);
  return spent / count;
}

async function repeat(work: () => unknown, wanted: number): Promise<{ count: number; spent: number }> {
  const start = process.cpuUsage();
  for (let count = 0; ; ) {
    for (let i = 0; i < 16; i++) {
      const result = work();
      if (isPromise(result)) await result;
    }
    count += 16;
    const { user, system } = process.cpuUsage(start);
    if (user + system >= wanted) return { count, spent: user + system };
  }
}
