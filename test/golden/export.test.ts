// A recorded export, imported: the same questions have the same answers. And what is exported again states the same facts.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { type ExportSource, importExport, kernelDestination, openDgraphExport, writeExport } from "../../adapters/transfer/index.ts";
import { prepareDeployment } from "../../core/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

const folder = goldenPath("export");
const forms = ["rdf", "json", "rdf, gzip", "json, gzip"];

describe.runIf(folder !== undefined).each(forms)("the recorded export as %s", (form) => {
  const file = folder === undefined ? { name: "", setup: [], cases: [] } : readGolden<AnswerFile>(join(folder, "readback.json"));
  const scratch = mkdtempSync(join(tmpdir(), "quern-golden-"));
  let stack: TemporaryKernel;
  let played: Play;

  beforeAll(async () => {
    stack = await compatibleKernel();
    const copy = join(scratch, "export");
    copyExport(join(folder ?? "", form.split(",")[0] ?? ""), copy, { gzip: form.includes("gzip") });
    const source = await openDgraphExport(copy, undefined);
    await load(stack, source, scratch);
    played = new Play(stack.kernel);
  });
  afterAll(async () => {
    await stack?.remove();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each(file.cases.map((step) => [step.name, step] as const))("%s", async (name, step) => {
    const differences = await played.run(step);
    if (step.skip === undefined && exceptionOf(`export-readback/${name}`) === undefined) expect(differences).toEqual([]);
  });

  it("states the same facts when it is exported again, and again after another import", async () => {
    const gzip = form.includes("gzip");
    const first = await exported(stack, { format: "rdf", gzip }, join(scratch, "first"));
    expect(first.facts).toEqual(first.golden);
    const second = await exported(stack, { format: "json", gzip }, join(scratch, "second"));
    expect(second.facts).toEqual(second.golden);
    const other = await compatibleKernel();
    try {
      await load(other, await openDgraphExport(join(scratch, "second"), undefined), join(scratch, "other"));
      expect((await exported(other, { format: "rdf", gzip }, join(scratch, "third"))).facts).toEqual(first.facts);
    } finally {
      await other.remove();
    }
  });

  it("keeps the store sound", async () => {
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });
});

async function load({ kernel }: TemporaryKernel, source: ExportSource, scratch: string): Promise<void> {
  const schema = source.schemas.get(0) ?? "";
  const prepared = prepareDeployment(schema, standardPlugins());
  mkdirSync(scratch, { recursive: true });
  await importExport({
    source,
    prepared,
    destination: kernelDestination(kernel, (text, how) => kernel.deploy(text, how)),
    folder: scratch,
    namespace: 0,
    newUids: false,
    judge: ({ faults }) => expect(faults).toBe(0),
    progress: () => undefined,
  });
}

/** The lines of a new export, sorted, and those of the recorded one that a GraphQL schema covers, without facets. */
async function exported({ kernel }: TemporaryKernel, { format, gzip }: { readonly format: "rdf" | "json"; readonly gzip: boolean }, to: string) {
  const { storage, deployment } = kernel;
  if (deployment === undefined) throw new Error("no schema is deployed");
  await writeExport({ storage, deployment, folder: to, format, gzip });
  const linesOf = (path: string) =>
    textOf(path)
      .split("\n")
      .map((line) => line.replace(/,$/, ""))
      .filter((line) => /uid|<0x/.test(line));
  const facts = linesOf(join(to, `g01.${format}${gzip ? ".gz" : ""}`)).sort();
  const golden = linesOf(join(folder ?? "", format, `g01.${format}`))
    .filter((line) => !/loose|Loose|persisted_query/.test(line))
    .map((line) => line.replace(/ \((?!.*<0x).*\) \.$/, " .").replace(/,"[^"]+\|.*?(\}\]\}|\})$/, "$1"));
  return { facts, golden: golden.sort() };
}

function textOf(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

function copyExport(from: string, to: string, { gzip }: { readonly gzip: boolean }): void {
  cpSync(from, to, { recursive: true });
  if (!gzip) return;
  for (const name of readdirSync(to)) {
    const path = join(to, name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
    rmSync(path, { force: true });
  }
}
