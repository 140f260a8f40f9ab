// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs.
// `quern types --functions`: the compiler checks functions against the schema.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { prepareDeployment } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { functionTypes, lambdaPlugin } from "../../../plugins/lambda/index.ts";

const project = resolve(import.meta.dirname, "../../..");
const compiler = resolve(project, "node_modules/typescript/bin/tsc");
const language = [
  "--target",
  "es2022",
  "--module",
  "nodenext",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--skipLibCheck",
  "--allowImportingTsExtensions",
];
const places = ["--types", "node", "--typeRoots", resolve(project, "node_modules/@types")];

const schema = `
  type Keeper @lambdaOnMutate(add: true, delete: true) {
    handle: String! @id
    name: String
    age: Int
    big: Int64
    rank: Rank
    greeting(loud: Boolean!, to: [String!]): String! @lambda
    best: Keeper @lambda
  }
  enum Rank { NEW OLD }
  interface Asset { id: ID!  price: Int  info: String @lambda }
  type Tool implements Asset { weight: Int }
  type Query { nearest(at: Int = 7, rank: Rank): [Keeper!] @lambda }
`;

const types = () => functionTypes(prepareDeployment(schema, [identityPlugin(), lambdaPlugin({ url: "http://127.0.0.1/" })]), "schema.graphql");

/** The compiler's errors, by the name of the module. Each module gets an import of the types. */
async function compile(bodies: Readonly<Record<string, string>>): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = await mkdtemp(join(tmpdir(), "quern-types-"));
  const plugin = join(project, "plugins/lambda/index.ts");
  await writeFile(join(folder, "lambda-functions.ts"), types().replace("quern/plugins/lambda", plugin));
  const head = `import { lambdaPlugin } from ${JSON.stringify(plugin)};\nimport type { LambdaFunctions } from "./lambda-functions.ts";\n`;
  const names = ["lambda-functions", ...Object.keys(bodies)];
  for (const [name, body] of Object.entries(bodies)) await writeFile(join(folder, `${name}.ts`), head + body);
  const files = names.map((name) => join(folder, `${name}.ts`));
  const run = promisify(execFile)(process.execPath, [compiler, "--ignoreConfig", "--noEmit", ...language, ...places, ...files]);
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  await rm(folder, { recursive: true });
  return Object.fromEntries(names.map((name) => [name, stdout.split(/\n(?! )/).filter((line) => line.includes(`/${name}.ts(`))]));
}

const functions = (changed: Readonly<Record<string, string>> = {}) => {
  const all = {
    "Keeper.greeting": "({ parents, args }) => parents.map(({ handle, name }) => `${handle} ${name?.length ?? 0} ${args.loud} ${args.to?.join()}`)",
    "Keeper.best": "async ({ parents }) => parents.map((parent) => (parent.age === 1 ? null : { handle: parent.handle, big: parent.big ?? 1n }))",
    "Asset.info": "({ parents }) => parents.map(({ id, price }) => `${id} ${price ?? 0}`)",
    "Tool.info": "({ parents }) => parents.map(async ({ weight }) => String(weight))",
    "Query.nearest":
      'async ({ args, quern }) => ((args.at ?? 0) > 1 && args.rank === "OLD" ? [{ handle: String((await quern.graphql("{ a }")).data) }] : null)',
    "Keeper.add": "({ event }) => event.add.input.map(({ handle, rank }) => [handle.length, rank])",
    "Keeper.delete": "({ event }) => event.delete.rootUIDs.length",
    ...changed,
  };
  const members = Object.entries(all).map(([name, text]) => `  "${name}": ${text},`);
  return `const functions: LambdaFunctions = {\n${members.join("\n")}\n};\nlambdaPlugin({ functions });\n`;
};

const wrong = [
  [
    "a parent has no such field",
    { "Asset.info": "({ parents }) => parents.map(({ weight }) => String(weight))" },
    "Property 'weight' does not exist",
  ],
  ["a result has another type", { "Keeper.greeting": "({ parents }) => parents.map(() => null)" }, "is not assignable"],
  ["an argument is misspelt", { "Query.nearest": "({ args }) => (args.ta ? [] : null)" }, "Property 'ta' does not exist"],
  ["an enum has no such value", { "Query.nearest": '({ args }) => (args.rank === "ANCIENT" ? [] : null)' }, "have no overlap"],
] as const;

describe("types of functions", () => {
  let errors: Awaited<ReturnType<typeof compile>>;
  beforeAll(async () => {
    const right = functions();
    errors = await compile({
      right,
      missing: right.replace(/ {2}"Keeper.delete".*\n/, ""),
      unasked: right.replace('"Keeper.delete"', '"Keeper.update": () => 1,\n  "Keeper.delete"'),
      ...Object.fromEntries(wrong.map(([, changed], i) => [`wrong-${i}`, functions(changed)])),
    });
  }, 120_000);

  it("accept functions that fit the schema, and lambdaPlugin accepts these", () => {
    expect([...(errors["lambda-functions"] ?? []), ...(errors.right ?? [])]).toEqual([]);
  });

  it.each(wrong.map(([title, , error], i) => [title, `wrong-${i}`, error] as const))("report when %s", (_, name, error) => {
    expect(errors[name]?.join("\n")).toContain(error);
  });

  it("report a function that is missing, and one that the schema does not ask for", () => {
    expect(errors.missing?.join("\n")).toContain("Property '\"Keeper.delete\"' is missing");
    expect(errors.unasked?.join("\n")).toContain("'\"Keeper.update\"' does not exist in type");
  });
});
