// Runs the first code block of each plugin's README in a folder of its own.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const answers: Readonly<Record<string, unknown>> = {
  identity: { getBerth: { harbor: { code: "KIL", berths: [{ number: 7 }] } } },
  "storage-names": { queryFilm: [{ shown: "M – Eine Stadt", directors: [{ name: "Lang" }] }] },
  secret: { checkClerkPassword: { login: "ada" } },
  default: { queryNote: [{ text: "Oil the mill", state: "open", changed: expect.stringMatching(/^\d{4}-.*Z$/) }] },
  auth: { queryNote: [{ text: "mine" }] },
  was: { queryAuthor: [{ fullName: "Ada", years: 36 }] },
  generate: { queryRate: [{ name: "grain", percent: 4.5 }] },
  dql: { rich: [{ label: "North", honey: 3.5 }] },
  federation: { _entities: [{ name: "Flour" }, null] },
  subscription: { queryTram: [{ code: "T1", late: 3 }] },
};
const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

describe("the first block of the README", () => {
  for (const [plugin, data] of Object.entries(answers)) {
    it(`of plugins/${plugin} runs`, async () => {
      const readme = await readFile(join(project, "plugins", plugin, "README.md"), "utf8");
      const block = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
      const answer = await run(block);
      expect(JSON.parse(answer).data).toEqual(data);
    });
  }
});

/** The block as a module beside the sources, since `quern` itself is only there once it is built. */
async function run(block: string): Promise<string> {
  await mkdir(join(project, "node_modules/.cache"), { recursive: true });
  const folder = await mkdtemp(join(project, "node_modules/.cache/readme-"));
  folders.push(folder);
  const code = block
    .replaceAll('"quern"', `"${project}/core/index.ts"`)
    .replaceAll('"quern/plugin"', `"${project}/plugins/index.ts"`)
    .replace(/"quern\/((?:adapters|plugins)\/[\w-]+)"/g, (_, path) => `"${project}/${path}/index.ts"`)
    .replace("./data", join(folder, "data"));
  const file = join(folder, "block.ts");
  await writeFile(file, `${code}\nexport default answer.body;\n`);
  const module: { readonly default: string } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  return module.default;
}
