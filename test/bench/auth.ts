// npx tsx test/bench/auth.ts: the questions of the speed table asked of kernels side by side, without rules and with rules of several
// kinds, in processor time and in turns, so that other work on the machine matters little. `--data` keeps the store for the next run.

import { createHmac } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { extract, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { finished, runQuern } from "./processes.ts";
import { type Question, questions } from "./questions.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "30" }, data: { type: "string" } } });
const rounds = Number(values.rounds);
/** So few that all have their turn in a moment. */
const requestsInTurn = 60;

const secret = "bench";
const line = `\n# Service.Authorization {"Header":"Authorization","Namespace":"app","VerificationKey":"${secret}","Algo":"HS256"}\n`;
const claims = { ROLE: "READER", SECTIONS: ["games", "libs", "python", "doc"], MAIL: "asheesh@asheesh.org" };

const graphRule = (query: string) => `{ rule: ${JSON.stringify(query)} }`;
const rules: Readonly<Record<string, string | undefined>> = {
  "no rules": undefined,
  "no rules, a token": "",
  "a claim": '{ rule: "{$ROLE: {eq: \\"READER\\"}}" }',
  "field, most pass": graphRule("query($SECTIONS: [String!]) { queryPackage(filter: {not: {section: {in: $SECTIONS}}}) { name } }"),
  "field, few pass": graphRule('query { queryPackage(filter: {section: {eq: "fonts"}}) { name } }'),
  "3 levels, most pass": graphRule("query { queryPackage { maintainer { packages { maintainer { email } } } } }"),
  "3 levels, few pass": graphRule(
    "query($MAIL: String!) { queryPackage { requiredBy { requiredBy { maintainer(filter: {email: {eq: $MAIL}}) { email } } } } }",
  ),
};

const graph = wholeGraph() ?? extract();
const folder = values.data ?? mkdtempSync(join(tmpdir(), "quern-bench-auth-"));
if (values.data === undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
if (values.data === undefined || !existsSync(folder)) {
  await finished(runQuern(["import", graph.file, "--type", "Package", "--data", folder, "--schema", graph.schema]));
}
const copies = mkdtempSync(join(tmpdir(), "quern-bench-auth-"));
process.on("exit", () => rmSync(copies, { recursive: true, force: true }));
const kernels: Kernel[] = [];
for (const [i, rule] of Object.values(rules).entries()) {
  const path = join(copies, String(i));
  cpSync(folder, path, { recursive: true });
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: standardPlugins() });
  await kernel.open();
  await kernel.deploy(ruled(schemaText(graph), rule));
  kernels.push(kernel);
}
// The kind that asks by id is one lookup, like the one by key.
const asked = questions(await readPackages(graph)).filter(({ variables }) => variables !== undefined);
const rows: string[][] = [];
for (const question of asked) {
  const costs = kernels.map((): number[] => []);
  for (let round = -warmUp(question); round < rounds; round++) {
    for (const [i, kernel] of kernels.entries()) {
      const cost = await microseconds(kernel, question, round);
      if (round >= 0) costs[i]?.push(cost);
    }
  }
  const typical = costs.map(lowerQuartile);
  rows.push([question.name, ...typical.map((cost) => `${whole(cost)} (${(cost / (typical[0] ?? 1)).toFixed(2)}x)`)]);
}
printTable(["microseconds a request", ...Object.keys(rules)], rows);
for (const kernel of kernels) await kernel.close();

/** Rounds until everything that is asked was asked once, and the code is compiled. */
function warmUp({ variables = [] }: Question): number {
  return Math.max(10, Math.ceil(Math.min(variables.length, 600) / requestsInTurn));
}

/** What others do on the machine only adds. */
function lowerQuartile(costs: readonly number[]): number {
  return [...costs].sort((a, b) => a - b)[Math.floor(costs.length / 4)] ?? 0;
}

function ruled(schema: string, rule: string | undefined): string {
  if (rule === undefined) return schema;
  return rule === "" ? schema + line : schema.replace(/type Package\b([^{]*)\{/, `type Package$1@auth(query: ${rule}) {`) + line;
}

function token(): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256" })}.${encode({ app: claims })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** Of the processor, for one request of a turn; each round goes on with the variables where the one before stopped. */
async function microseconds(to: Kernel, { query, variables = [] }: Question, round: number): Promise<number> {
  const headers = { authorization: token() };
  const count = Math.min(variables.length, 600);
  const before = process.cpuUsage();
  for (let i = 0; i < requestsInTurn; i++) {
    await to.execute({ query, variables: variables[(((round * requestsInTurn + i) % count) + count) % count] ?? {}, headers });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requestsInTurn;
}
