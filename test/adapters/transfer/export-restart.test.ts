// An interrupted export goes on where it was, as long as the store is at the same commit: what comes out is one snapshot, as if nothing had happened.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExportFormat, interruptedExports, writeExport } from "../../../adapters/transfer/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, temporaryFolder } from "./small-exports.ts";

const schema = `
type Person { name: String! @id  friends: [Person] @hasInverse(field: friends) }
type Town { name: String! @id  people: [Person] }
type Note { text: String }
`;
const people = 1_100;

let stack: TemporaryKernel;
let parent: string;
beforeEach(async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy(schema);
  await add(people);
  // More links than one page holds.
  const { body } = await stack.kernel.execute({
    query: 'mutation ($p: [PersonRef!]) { addTown(input: [{ name: "T", people: $p }, { name: "U" }]) { numUids } }',
    variables: { p: Array.from({ length: people }, (_, i) => ({ name: `p${i}` })) },
  });
  expect(JSON.parse(body).errors).toBeUndefined();
  parent = temporaryFolder();
});
afterEach(() => stack.remove());

async function add(count: number, first = 0): Promise<void> {
  const input = Array.from({ length: count }, (_, i) => ({ name: `p${first + i}`, friends: [{ name: `p${first}` }] }));
  const { body } = await stack.kernel.execute({
    query: "mutation ($i: [AddPersonInput!]!) { addPerson(input: $i, upsert: true) { numUids } }",
    variables: { i: input },
  });
  expect(JSON.parse(body).errors).toBeUndefined();
}

interface Asked {
  readonly format?: ExportFormat;
  readonly gzip?: boolean;
  /** Interrupts the export after so many pages. */
  readonly pages?: number;
}

interface Written {
  readonly nodes: Readonly<Record<string, number>>;
  readonly notices: readonly string[];
  /** The nodes that an earlier run had written. */
  readonly before: number;
}

/** Undefined: it was interrupted. */
async function exported({ format = "ndjson", gzip = false, pages }: Asked = {}, folder = join(parent, "out")): Promise<Written | undefined> {
  const { storage, deployment } = stack.kernel;
  if (deployment === undefined) throw new Error("no schema");
  const control = new AbortController();
  const interruption = new Error("interrupted");
  const notices: string[] = [];
  let before = 0;
  let seen = 0;
  try {
    const { nodes } = await writeExport({
      ...{ storage, deployment, folder, format, gzip, signal: control.signal, markEvery: 1 },
      notice: (sentence) => notices.push(sentence),
      progress: (step) => {
        before = step.before;
        seen += 1;
        if (seen === pages) control.abort(interruption);
      },
    });
    return { nodes, notices, before };
  } catch (thrown) {
    if (thrown !== interruption) throw thrown;
    expect(existsSync(folder)).toBe(false);
    return undefined;
  }
}

function textsIn(folder: string): Readonly<Record<string, string>> {
  const textOf = (name: string) => {
    const bytes = readFileSync(join(folder, name));
    return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  };
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, textOf(name)]),
  );
}

const counts = { Person: people, Town: 2, Note: 0 };

const isAlone = () => stack.kernel.storage.supports.shared !== true;

describe("an interrupted export", () => {
  it.each([
    ["ndjson", false],
    ["ndjson", true],
    ["rdf", false],
    ["rdf", true],
    ["json", false],
    ["json", true],
  ] as const)("in the format %s, compressed %s, gives the same files as one that is not, wherever it stops", async (format, gzip) => {
    const whole = join(parent, "whole");
    expect(await exported({ format, gzip }, whole)).toMatchObject({ nodes: counts, notices: [], before: 0 });
    let runs = 0;
    let written: Written | undefined;
    // Each run is interrupted after two steps, wherever that is; the last one finds little left to do.
    for (; written === undefined && runs < 40; runs++) written = await exported({ format, gzip, ...(runs < 5 || isAlone() ? { pages: 3 } : {}) });
    expect(runs).toBeGreaterThan(3);
    expect(written?.nodes).toEqual(counts);
    expect(textsIn(join(parent, "out"))).toEqual(textsIn(whole));
    expect(readdirSync(parent).sort()).toEqual(["out", "whole"]);
    if (isAlone())
      expect(written?.notices).toEqual([expect.stringMatching(/^The export goes on behind the [\d,]+ nodes that an interrupted one wrote\.$/)]);
    else expect(written?.notices).toEqual([expect.stringMatching(/is discarded.*the store may have changed since/)]);
  });

  it("leaves out what was written behind the last mark", async (context) => {
    if (!isAlone()) return context.skip("a database that several servers share begins again");
    await exported({ pages: 8 });
    const draft = join(parent, ".out.partial");
    expect(readdirSync(draft).sort()).toEqual(["Note.ndjson", "Person.ndjson", "Town.ndjson", "export-state.json"]);
    appendFileSync(join(draft, "Person.ndjson"), '\n{"uid":"0x1","na');
    writeFileSync(join(draft, "export.json"), "{");
    const written = await exported();
    expect(written?.before).toBeGreaterThan(0);
    await exported({}, join(parent, "whole"));
    expect(textsIn(join(parent, "out"))).toEqual(textsIn(join(parent, "whole")));
  });

  it("begins again when the store may have changed since, and says so: it holds one snapshot", async () => {
    await exported({ pages: 8 });
    await add(1, 0);
    await ask(stack, 'mutation { addNote(input: [{ text: "new" }]) { numUids } }');
    const written = await exported();
    expect(written).toMatchObject({
      nodes: { ...counts, Note: 1 },
      before: 0,
      notices: [
        "The part that an interrupted export has written is discarded, and the export begins again: the store may have changed since, and an export is one snapshot.",
      ],
    });
    await exported({}, join(parent, "whole"));
    expect(textsIn(join(parent, "out"))).toEqual(textsIn(join(parent, "whole")));
  });

  it("begins again in another format", async () => {
    await exported({ pages: 8 });
    const written = await exported({ format: "rdf" });
    expect(written?.before).toBe(0);
    expect(readdirSync(join(parent, "out")).sort()).toEqual(["g01.gql_schema", "g01.rdf", "g01.schema"]);
  });

  it("is listed until it is finished", async () => {
    await exported({ pages: 8 });
    mkdirSync(join(parent, ".other.partial"));
    expect((await interruptedExports(parent)).map(({ folder }) => folder)).toEqual([join(parent, "out")]);
    await exported();
    expect(await interruptedExports(parent)).toEqual([]);
  });
});

describe("two exports to one folder", () => {
  it("do not run at the same time", async () => {
    const ends = await Promise.allSettled([exported(), exported()]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason.message)] : []));
    expect(refused[0]).toMatch(/^The export .*out is being written\./);
  });

  it("are refused while another process writes the first", async () => {
    await exported({ pages: 8 });
    const note = join(parent, ".out.partial", "export-state.json");
    const state = JSON.parse(readFileSync(note, "utf8"));
    writeFileSync(note, JSON.stringify({ ...state, owner: { host: hostname(), pid: process.ppid } }));
    await expect(exported()).rejects.toThrow(`is being written by the process ${process.ppid}`);
    writeFileSync(note, JSON.stringify({ ...state, owner: { host: hostname(), pid: 2 ** 30 } }));
    expect((await exported())?.nodes).toEqual(counts);
  });
});
