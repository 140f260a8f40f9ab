// npx tsx test/bench/auth.ts: the questions of the speed table asked of a kernel, without rules and with rules of several kinds, in
// processor time, so that whoever else works on the machine matters little. `--data` keeps the store for the next run.

import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import { extract, readPackages, schemaText, wholeGraph } from "./graph.ts";
import { finished, runQuern } from "./processes.ts";
import { type Question, questions } from "./questions.ts";
import { printTable, whole } from "./table.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "1.5" }, data: { type: "string" } } });
const seconds = Number(values.seconds);

const secret = "bench";
const line = `\n# Service.Authorization {"Header":"Authorization","Namespace":"app","VerificationKey":"${secret}","Algo":"HS256"}\n`;
const claims = { ROLE: "READER", SECTIONS: ["games", "libs", "python", "doc"], MAIL: "asheesh@asheesh.org" };

const graphRule = (query: string) => `{ rule: ${JSON.stringify(query)} }`;
const rules: Readonly<Record<string, string | undefined>> = {
  "no rules": undefined,
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
const kernel = createKernel({ storage: leveldbStorage({ path: folder }), plugins: standardPlugins() });
await kernel.open();
// The kind that asks by id is one lookup, like the one by key.
const asked = questions(await readPackages(graph)).filter(({ variables }) => variables !== undefined);
const costs = new Map<string, number[]>();
/** The first round only warms up. */
for (const round of [0, 1, 2]) {
  for (const [name, rule] of Object.entries(rules)) {
    await kernel.deploy(ruled(schemaText(graph), rule));
    const found = [];
    for (const question of asked) found.push(await microseconds(kernel, question, round === 0 ? seconds / 3 : seconds));
    const known = round < 2 ? undefined : costs.get(name);
    costs.set(
      name,
      found.map((each, i) => Math.min(each, known?.[i] ?? each)),
    );
  }
}
const [bare = []] = costs.values();
printTable(
  ["microseconds a request", ...costs.keys()],
  asked.map((question, i) => [
    question.name,
    ...[...costs.values()].map((all) => `${whole(all[i] ?? 0)} (${((all[i] ?? 0) / (bare[i] ?? 1)).toFixed(2)}x)`),
  ]),
);
await kernel.close();

function ruled(schema: string, rule: string | undefined): string {
  return rule === undefined ? schema : schema.replace(/type Package\b([^{]*)\{/, `type Package$1@auth(query: ${rule}) {`) + line;
}

function token(): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256" })}.${encode({ app: claims })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** Of the processor, for one request. */
async function microseconds(to: Kernel, { query, variables = [] }: Question, forSeconds: number): Promise<number> {
  const headers = { authorization: token() };
  const ask = (i: number) => to.execute({ query, variables: variables[i % variables.length] ?? {}, headers });
  for (let i = 0; i < 300; i++) await ask(i);
  const start = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  while (performance.now() - start < forSeconds * 1000) await ask(count++);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
