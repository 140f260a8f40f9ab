// The LevelDB storage alone, in process, on the real package graph. Run: npx tsx test/bench/storage-level.ts
// The graph is read from QUERN_GRAPH, by default the folder `shared/data` beside the project.

import { createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { leveldbStorage } from "../../adapters/level/index.ts";
import type { Change, Layout, Order, Predicate, Snapshot, Uid } from "../../core/plugin.ts";

const file = resolve(process.env.QUERN_GRAPH ?? "../shared/data", "debian-packages.ndjson.gz");

interface Package {
  readonly name: string;
  readonly version: string;
  readonly section?: string;
  readonly priority?: string;
  readonly installedSizeKiB?: number;
  readonly downloadSize?: number;
  readonly summary?: string;
  readonly homepage?: string;
  readonly source?: string;
  readonly tags?: readonly string[];
  readonly maintainer?: { readonly email: string; readonly name?: string };
  readonly dependsOn: readonly string[];
  readonly recommends: readonly string[];
}

const texts = ["name", "version", "section", "priority", "summary", "homepage", "source"];

const layout: Layout = {
  types: [
    { name: "Package", fields: [...texts, "installedSizeKiB", "downloadSize", "tags"].map((name) => `Package.${name}`) },
    { name: "Maintainer", fields: ["Maintainer.email", "Maintainer.name"] },
  ],
  fields: [
    ...texts.map((name) => ({ name: `Package.${name}`, kind: "string" as const, list: false })),
    { name: "Package.installedSizeKiB", kind: "int", list: false },
    { name: "Package.downloadSize", kind: "int", list: false },
    { name: "Package.tags", kind: "string", list: true },
    { name: "Maintainer.email", kind: "string", list: false },
    { name: "Maintainer.name", kind: "string", list: false },
  ],
  edges: [
    {
      name: "Maintainer.packages|Package.maintainer",
      sides: [
        { ends: [{ name: "Package.maintainer", types: ["Package"], partners: ["Maintainer"], many: false }] },
        { ends: [{ name: "Maintainer.packages", types: ["Maintainer"], partners: ["Package"], many: true }] },
      ],
    },
    {
      name: "Package.dependsOn|Package.requiredBy",
      sides: [
        { ends: [{ name: "Package.dependsOn", types: ["Package"], partners: ["Package"], many: true }] },
        { ends: [{ name: "Package.requiredBy", types: ["Package"], partners: ["Package"], many: true }] },
      ],
    },
    {
      name: "Package.recommends",
      sides: [
        { ends: [{ name: "Package.recommends", types: ["Package"], partners: ["Package"], many: true }] },
        { ends: [{ name: "~Package.recommends", types: ["Package"], partners: ["Package"], many: true }] },
      ],
    },
  ],
  indexes: [
    { name: "Package.section/hash", field: "Package.section", by: "value", ordered: false },
    { name: "Package.priority/hash", field: "Package.priority", by: "value", ordered: false },
    { name: "Package.installedSizeKiB/int", field: "Package.installedSizeKiB", by: "value", ordered: true },
    { name: "Package.downloadSize/int", field: "Package.downloadSize", by: "value", ordered: true },
    { name: "Package.source/exact", field: "Package.source", by: "value", ordered: true },
    { name: "Package.tags/hash", field: "Package.tags", by: "value", ordered: false },
    { name: "Maintainer.name/exact", field: "Maintainer.name", by: "value", ordered: true },
  ],
  keys: [
    { name: "Package.name", fields: ["Package.name"], types: ["Package"] },
    { name: "Maintainer.email", fields: ["Maintainer.email"], types: ["Maintainer"] },
  ],
};

/** Line by line: the file is not part of what is measured. */
async function* readPackages(): AsyncGenerator<Package> {
  for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) yield JSON.parse(line);
}

function fieldsOf(each: Package): Record<string, string | number | readonly string[]> {
  const fields: Record<string, string | number | readonly string[]> = {};
  for (const [name, value] of Object.entries(each)) {
    if (name === "dependsOn" || name === "recommends" || name === "maintainer") continue;
    if (typeof value === "string" || typeof value === "number" || (Array.isArray(value) && value.length > 0)) fields[`Package.${name}`] = value;
  }
  return fields;
}

/** Turns packages into changes: nodes at once, links as soon as both their nodes are there. */
class Loader {
  readonly uids = new Map<string, Uid>();
  readonly #maintainers = new Map<string, Uid>();
  readonly #waiting = new Map<string, { readonly end: string; readonly from: Uid }[]>();

  changes(packages: readonly Package[], take: () => Uid): Change[] {
    const changes: Change[] = [];
    for (const each of packages) {
      const uid = take();
      changes.push({ kind: "create", uid, type: "Package", fields: fieldsOf(each) });
      this.uids.set(each.name, uid);
      for (const { end, from } of this.#waiting.get(each.name) ?? []) changes.push(link(end, from, uid));
      this.#waiting.delete(each.name);
      for (const name of each.dependsOn) this.#link(changes, { end: "Package.dependsOn", from: uid, name });
      for (const name of each.recommends) this.#link(changes, { end: "Package.recommends", from: uid, name });
      if (each.maintainer !== undefined) changes.push(...this.#maintainer(each.maintainer, uid, take));
    }
    return changes;
  }

  #link(changes: Change[], { end, from, name }: { readonly end: string; readonly from: Uid; readonly name: string }): void {
    const to = this.uids.get(name);
    if (to !== undefined) {
      changes.push(link(end, from, to));
      return;
    }
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, waiting);
    waiting.push({ end, from });
  }

  *#maintainer({ email, name }: NonNullable<Package["maintainer"]>, from: Uid, take: () => Uid): Generator<Change> {
    let to = this.#maintainers.get(email);
    if (to === undefined) {
      to = take();
      this.#maintainers.set(email, to);
      yield { kind: "create", uid: to, type: "Maintainer", fields: { "Maintainer.email": email, ...(name && { "Maintainer.name": name }) } };
    }
    yield { kind: "link", end: "Package.maintainer", from, fromType: "Package", to, toType: "Maintainer" };
  }
}

function link(end: string, from: Uid, to: Uid): Change {
  return { kind: "link", end, from, fromType: "Package", to, toType: "Package" };
}

function print(what: string, figure: string): void {
  console.log(what.padEnd(64), figure);
}

const only = process.argv.find((each) => each.startsWith("--only="))?.slice("--only=".length);

/** Wall time is what a client waits; CPU time is what the work costs, whatever else the machine does. */
async function time(what: string, work: (i: number) => unknown, rounds = 2_000): Promise<void> {
  if (only !== undefined && !what.includes(only)) return;
  for (let i = 0; i < rounds; i++) await work(i);
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let i = 0; i < rounds; i++) {
    const answer = work(i);
    if (answer instanceof Promise) await answer;
  }
  const each = (performance.now() - started) / rounds;
  const spent = process.cpuUsage(cpu);
  const cpuEach = (spent.user + spent.system) / 1000 / rounds;
  print(what, `${each.toFixed(4)} ms wall  ${cpuEach.toFixed(4)} ms CPU  ${Math.round(1000 / each).toLocaleString("en")} /s`);
}

const eq = (field: string, value: string): Predicate => ({ kind: "compare", field, op: "eq", operands: [value] });
const bySize: Order = [{ field: "Package.installedSizeKiB", direction: "desc" }];

async function questions(snapshot: Snapshot, names: readonly string[], sections: readonly string[], tags: readonly string[]): Promise<void> {
  const types = ["Package"];
  const shown = ["Package.name", "Package.installedSizeKiB"];
  const nameAt = (i: number) => names[(i * 7919) % names.length] ?? "";
  const sectionAt = (i: number) => eq("Package.section", sections[i % sections.length] ?? "");
  await time("get by key", (i) => snapshot.find({ types, where: eq("Package.name", nameAt(i % 400)), fields: shown }), 20_000);
  await time("first ten", () => snapshot.find({ types, page: { first: 10 }, fields: shown }), 5_000);
  await time("one section, by size descending, first ten", (i) =>
    snapshot.find({ types, where: sectionAt(i), order: bySize, page: { first: 10 }, fields: shown }),
  );
  await time("whole graph, by size descending, first ten", () => snapshot.find({ types, order: bySize, page: { first: 10 }, fields: shown }));
  await time("count, max, avg of a section", (i) =>
    snapshot.aggregate({
      over: { types, where: sectionAt(i) },
      measures: [{ kind: "count" }, { kind: "max", field: "Package.installedSizeKiB" }, { kind: "avg", field: "Package.installedSizeKiB" }],
    }),
  );
  const large: Predicate = { kind: "compare", field: "Package.installedSizeKiB", op: "gt", operands: [10_240] };
  await time("one tag, size over 10 MB, first ten", (i) =>
    snapshot.find({
      types,
      where: { kind: "and", of: [eq("Package.tags", tags[i % tags.length] ?? ""), large] },
      page: { first: 10 },
      fields: shown,
    }),
  );
  await time("one tag, size over 10 MB, by size, first ten", (i) =>
    snapshot.find({
      types,
      where: { kind: "and", of: [eq("Package.tags", tags[i % tags.length] ?? ""), large] },
      order: bySize,
      page: { first: 10 },
      fields: shown,
    }),
  );
  const rich = await snapshot.find({
    types,
    where: { kind: "linked", end: "Package.dependsOn", where: { kind: "all" }, atLeast: 8 },
    page: { first: 200 },
    fields: [],
  });
  await time("follow 10 x 5 links", (i) =>
    snapshot.follow({ from: rich.uids.slice(i % 150, (i % 150) + 10), end: "Package.dependsOn", page: { first: 5 }, fields: ["Package.name"] }),
  );
  await time("three levels of dependsOn", (i) => threeLevels(snapshot, rich.uids[i % 150] ?? 0), 200);
  await time("linked: packages of maintainers named like one", (i) =>
    snapshot.find({
      types,
      where: { kind: "linked", end: "Package.maintainer", where: eq("Maintainer.name", "Debian Games Team"), atLeast: 1 },
      page: { first: 10, offset: i % 5 },
      fields: shown,
    }),
  );
  const everywhere: Predicate = {
    kind: "check",
    field: "Package.summary",
    test: { id: "has zzz", holds: (values) => String(values[0]).includes("zzz") },
  };
  await time("check over every record, hot", () => snapshot.find({ types, where: everywhere, fields: shown }), 5);
}

async function threeLevels(snapshot: Snapshot, uid: Uid): Promise<void> {
  let from: readonly Uid[] = [uid];
  for (let level = 0; level < 3; level++) from = (await snapshot.follow({ from, end: "Package.dependsOn", fields: ["Package.name"] })).nodes.uids;
}

async function main(): Promise<void> {
  if (!existsSync(file)) {
    console.log(`no graph at ${file}: set QUERN_GRAPH`);
    return;
  }
  const path = mkdtempSync(join(tmpdir(), "quern-bench-"));
  const storage = leveldbStorage({ path });
  await storage.open();
  const { version } = await storage.migrate(layout, "");
  const loader = new Loader();
  const names: string[] = [];
  const sizes = new Map<string, number>();
  const pending: Promise<unknown>[] = [];
  const cpu = process.cpuUsage();
  const started = performance.now();
  const load = async (batch: readonly Package[]): Promise<void> => {
    pending.push(
      storage.transact(
        async (transaction) => {
          const uids = [...(await transaction.uids(1200))];
          await transaction.write(loader.changes(batch, () => uids.shift() ?? 0));
        },
        { version },
      ),
    );
    if (pending.length >= 2) await pending.shift();
  };
  let batch: Package[] = [];
  for await (const each of readPackages()) {
    names.push(each.name);
    sizes.set(each.section ?? "", (sizes.get(each.section ?? "") ?? 0) + 1);
    batch.push(each);
    if (batch.length < 1_000) continue;
    await load(batch);
    batch = [];
  }
  await load(batch);
  await Promise.all(pending);
  const seconds = (performance.now() - started) / 1000;
  const spent = process.cpuUsage(cpu);
  const rate = `${Math.round(names.length / seconds).toLocaleString("en")} nodes/s`;
  print(
    `bulk load of ${names.length.toLocaleString("en")} packages with links, reading the file`,
    `${seconds.toFixed(1)} s wall  ${((spent.user + spent.system) / 1e6).toFixed(1)} s CPU  ${rate}`,
  );
  print("resident after the load", `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  if (process.argv.includes("--reopen")) {
    await storage.close();
    await storage.open();
    await storage.migrate(layout, "");
  }
  const snapshot = storage.snapshot({ version });
  const sections = [...sizes].filter(([, size]) => size >= 1_100 && size <= 6_710).map(([section]) => section);
  await questions(snapshot, names, sections, ["interface::x11", "role::program", "implemented-in::c++", "uitoolkit::gtk", "devel::lang:python"]);
  snapshot.close();
  if (only === undefined) await writes(storage, version);
  print("resident at the end", `${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  if (process.argv.includes("--verify")) {
    const report = await storage.verify();
    print("verify", JSON.stringify({ ...report, faults: report.faults.slice(0, 3) }));
  }
  console.log(await storage.statistics());
  await storage.close();
  rmSync(path, { recursive: true });
}

async function writes(storage: ReturnType<typeof leveldbStorage>, version: number): Promise<void> {
  let next = 0;
  const add = () =>
    storage.transact(
      async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        const name = `new-package-${next++}`;
        await transaction.write([
          {
            kind: "create",
            uid,
            type: "Package",
            fields: {
              "Package.name": name,
              "Package.version": "1",
              "Package.section": "games",
              "Package.installedSizeKiB": next,
              "Package.downloadSize": next * 3,
              "Package.source": name,
            },
          },
          { kind: "link", end: "Package.dependsOn", from: uid, fromType: "Package", to: 1, toType: "Package" },
        ]);
      },
      { version },
    );
  await time("durable add, one client", add, 500);
  for (const clients of [32]) {
    const started = performance.now();
    const each = 200;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        for (let i = 0; i < each; i++) await add();
      }),
    );
    print(`durable add, ${clients} clients`, `${Math.round((clients * each * 1000) / (performance.now() - started)).toLocaleString("en")} /s`);
  }
}

await main();
