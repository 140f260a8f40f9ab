// An import whose process is killed in each of its steps: the same command goes on, and the store holds every fact of the export once.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { writeExport } from "../../../adapters/transfer/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { builtProgram } from "../../support/built-program.ts";
import { newPlace, type Place, storageName } from "../../support/storage.ts";
import type { KillPoint } from "./import-program.ts";
import { temporaryFolder } from "./small-exports.ts";

const program = new URL("./import-program.ts", import.meta.url);
const schema = `
  type Boat { name: String! @id  text: String @search(by: [term, trigram])  seats: Int @search  harbor: Harbor @hasInverse(field: boats)  near: [Boat] }
  type Harbor { name: String @search(by: [hash])  boats: [Boat] }`;
const boats = 20_000;
const harbors = 50;
const firstBoat = 0x1000;
const hex = (n: number) => `0x${n.toString(16)}`;

/** As an export spells it. A harbor and its boats state each other; boats state ten thousands of links more. */
function facts(): readonly string[] {
  const line = (subject: number, predicate: string, object: string) => `<${hex(subject)}> <${predicate}> ${object} <0x0> .`;
  const node = (uid: number) => `<${hex(uid)}>`;
  const text = (value: string) => `"${value}"^^<xs:string>`;
  const lines: string[] = [];
  for (let n = 1; n <= harbors; n++) lines.push(line(n, "dgraph.type", text("Harbor")), line(n, "Harbor.name", text(`harbor ${n}`)));
  for (let n = 0; n < boats; n++) {
    const [uid, harbor] = [firstBoat + n, 1 + (n % harbors)];
    lines.push(
      line(uid, "dgraph.type", text("Boat")),
      line(uid, "Boat.name", text(`boat ${n}`)),
      line(uid, "Boat.text", text(`sails with ${n % 7} others`)),
      line(uid, "Boat.seats", `"${n % 100}"^^<xs:int>`),
      line(uid, "Boat.harbor", node(harbor)),
      line(harbor, "Harbor.boats", node(uid)),
      line(uid, "Boat.near", node(firstBoat + ((n * 13 + 1) % boats))),
    );
  }
  return lines;
}

function exportOf(lines: readonly string[]): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "g01.rdf"), `${lines.join("\n")}\n`);
  writeFileSync(join(folder, "g01.schema"), "");
  writeFileSync(join(folder, "g01.gql_schema"), JSON.stringify([{ Namespace: 0, Schema: schema }]));
  return folder;
}

/** @returns the signal that ended the process, or its exit code */
async function importing(args: readonly string[], point?: KillPoint): Promise<string | number | null> {
  const more = point === undefined ? [] : [JSON.stringify(point)];
  const child = spawn(process.execPath, [builtProgram(program), ...args, ...more], { stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

async function withKernel<T>(place: Place, deferIndexes: boolean, work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const kernel = createKernel({ storage: place.storage(), plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open({ background: false, deferIndexes });
  try {
    return await work(kernel);
  } finally {
    await kernel.close();
  }
}

async function exported({ storage, deployment }: Kernel): Promise<readonly string[]> {
  if (deployment === undefined) throw new Error("no schema is deployed");
  const folder = join(temporaryFolder(), "again");
  await writeExport({ storage, deployment, folder, format: "rdf", gzip: false });
  return readFileSync(join(folder, "g01.rdf"), "utf8").trimEnd().split("\n");
}

it("goes on after kills amid reading, nodes, links and the build of indexes", { timeout: 600_000 }, async () => {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  const lines = facts();
  const args = [place.address, exportOf(lines), join(temporaryFolder(), "scratch")];
  // In the order of an import, which does not return to a step. Before the first write storages are alike; and where each check reads 20,000 nodes from a
  // server it takes seconds.
  const onLevel = (...more: readonly KillPoint[]) => (storageName === "level" ? more : []);
  const points: KillPoint[] = [
    ...onLevel({ step: "reading", report: 2, afterMs: 0 }, { step: "gathering nodes", report: 3, afterMs: 0 }),
    { step: "nodes", report: 1, afterMs: 0 },
    ...onLevel({ step: "nodes", report: 4, afterMs: 7 }),
    { step: "nodes", report: 5, afterMs: 2 },
    { step: "links", report: 1, afterMs: 0 },
    ...onLevel({ step: "links", report: 5, afterMs: 5 }),
    { step: "links", report: 6, afterMs: 3 },
  ];
  if (place.storage().loadLinks !== undefined) {
    points.push({ step: "links of", report: 1, afterMs: 0 }, { step: "links of", report: 3, afterMs: 1 });
  }
  if (place.storage().supports.deferredIndexes === true) {
    points.push(
      { step: "4 indexes", report: 1, afterMs: 0 },
      { step: "4 indexes", report: 2, afterMs: 0 },
      { step: "entries of index", report: 3, afterMs: 0 },
    );
  }
  for (const point of points) {
    expect(await importing(args, point), JSON.stringify(point)).toBe("SIGKILL");
    const faults = await withKernel(place, true, async ({ storage }) => (await storage.verify()).faults);
    expect(faults, JSON.stringify(point)).toEqual([]);
  }
  expect(await importing(args)).toBe(0);
  await withKernel(place, false, async (kernel) => {
    const found = await exported(kernel);
    expect(found).toHaveLength(lines.length);
    expect([...found].sort()).toEqual([...lines].sort());
    expect((await kernel.storage.verify()).faults).toEqual([]);
    const query = '{ queryBoat(filter: { text: { allofterms: "3 sails" }, seats: { eq: 17 } }, first: 2, order: { asc: name }) { name } }';
    expect(JSON.parse((await kernel.execute({ query })).body).data).toEqual({ queryBoat: [{ name: "boat 10517" }, { name: "boat 11217" }] });
    const { body } = await kernel.execute({ query: 'mutation { addBoat(input: [{ name: "boat 10017" }]) { numUids } }' });
    expect(JSON.parse(body).errors).toHaveLength(1);
  });
});
