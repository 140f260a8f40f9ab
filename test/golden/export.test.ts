// A recorded export, imported: the same questions have the same answers. And what is exported again states the same facts.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/standard-stack.ts";
import { importExport, openExport } from "../../adapters/transfer/index.ts";
import { prepareDeployment } from "../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

const folder = goldenPath("export");
/** Until a plugin reads `@embedding`, vectors are lists of numbers, and what asks for them is left out. */
const hasVectors = standardPlugins().some(({ name }) => name === "embedding");
const withoutVectors = (schema: string) => schema.replace(/ @embedding( @search\(by: \["hnsw.*?"\]\))?/g, "");
const ofVectors = ["vectors", "similar by id", "has"];
const forms = ["rdf", "json", "rdf, gzip", "json, gzip"];

describe.runIf(folder !== undefined).each(forms)("the recorded export as %s", (form) => {
  const file = folder === undefined ? { name: "", setup: [], cases: [] } : readGolden<AnswerFile>(join(folder, "readback.json"));
  const scratch = mkdtempSync(join(tmpdir(), "quern-golden-"));
  let stack: TemporaryKernel;
  let played: Play;

  beforeAll(async () => {
    stack = await temporaryKernel();
    const copy = join(scratch, "export");
    copyExport(join(folder ?? "", form.split(",")[0] ?? ""), copy, { gzip: form.includes("gzip") });
    const source = await openExport(copy, undefined);
    const schema = source.schemas.get(0) ?? "";
    const prepared = prepareDeployment(hasVectors ? schema : withoutVectors(schema), standardPlugins());
    await importExport({
      source,
      prepared,
      kernel: stack.kernel,
      folder: scratch,
      namespace: 0,
      newUids: false,
      deploy: (text) => stack.kernel.deploy(text),
      judge: ({ faults }) => expect(faults).toBe(hasVectors ? 0 : 3),
      progress: () => undefined,
    });
    played = new Play(stack.kernel);
  });
  afterAll(async () => {
    await stack?.remove();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each(file.cases.map((step) => [step.name, step] as const))("%s", async (name, step) => {
    if (!hasVectors && ofVectors.includes(name)) return;
    const differences = await played.run(step);
    if (step.skip === undefined && exceptionOf(`export-readback/${name}`) === undefined) expect(differences).toEqual([]);
  });

  it("keeps the store sound", async () => {
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });
});

function copyExport(from: string, to: string, { gzip }: { readonly gzip: boolean }): void {
  cpSync(from, to, { recursive: true });
  if (!gzip) return;
  for (const name of readdirSync(to)) {
    const path = join(to, name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
    rmSync(path, { force: true });
  }
}
