// quern import: lines become nodes, keys become references wherever they point, bad lines are reported by number, and nothing is added twice.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { killedWhileItWrites } from "../support/killed-while-it-writes.ts";
import { ask, quern, run, served, temporaryFolder } from "./quern.ts";

const schema = `
type Package {
  name: String! @id
  size: Int @search
  maintainer: Maintainer
  dependsOn: [Package] @hasInverse(field: requiredBy)
  requiredBy: [Package]
}
type Maintainer {
  email: String! @id
  packages: [Package] @hasInverse(field: maintainer)
}
type Review {
  id: ID!
  stars: Int
  of: Package!
}
`;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "schema.graphql"), schema);
});
afterEach(() => folder.remove());

const lines = (...values: readonly unknown[]) => values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder.path, name), content);
const load = (file: string, ...more: readonly string[]) =>
  run(folder.path, "import", file, "--type", "Package", "--data", "data", "--schema", "schema.graphql", ...more);

/** What a query on the store answers. */
async function answer(query: string): Promise<unknown> {
  const server = await served(folder.path);
  const result = await ask(server.url, query);
  await server.stop();
  return result;
}
const all = "{ queryPackage { name size maintainer { email } dependsOn { name } requiredBy { name } } }";

describe("quern import", () => {
  it("links lines of a gzip file by key: forward, backward and to itself", async () => {
    const content = lines(
      { name: "a", size: 1, dependsOn: ["b", "c", "a"], maintainer: { email: "m@x" } },
      "",
      { name: "b", dependsOn: ["a"], maintainer: "m@x" },
      { name: "c", dependsOn: [] },
    );
    write("packages.ndjson.gz", gzipSync(content));
    const { code, out, err } = await load("packages.ndjson.gz");
    expect({ code, out: out.replace(/[\d.]+ s/, "N s") }).toEqual({ code: 0, out: "3 added, references of 2 linked in N s\n" });
    expect(err).toContain("packages.ndjson.gz: nodes");
    expect(await answer(all)).toMatchObject({
      data: {
        queryPackage: [
          {
            name: "a",
            size: 1,
            maintainer: { email: "m@x" },
            dependsOn: [{ name: "a" }, { name: "b" }, { name: "c" }],
            requiredBy: [{ name: "a" }, { name: "b" }],
          },
          { name: "b", size: null, maintainer: { email: "m@x" }, dependsOn: [{ name: "a" }], requiredBy: [{ name: "a" }] },
          { name: "c", size: null, maintainer: null, dependsOn: [], requiredBy: [{ name: "a" }] },
        ],
      },
    });
  });

  it("skips a finished file under any name, and loads lines appended to it", async () => {
    write("one.ndjson", lines({ name: "a", dependsOn: ["b"] }, { name: "b" }));
    expect((await load("one.ndjson")).code).toBe(0);
    write("two.ndjson", lines({ name: "a", dependsOn: ["b"] }, { name: "b" }));
    expect((await load("two.ndjson")).out).toMatch(/^0 added, 2 lines done by an earlier run in /);
    write("two.ndjson", lines({ name: "a", dependsOn: ["b"] }, { name: "b" }, { name: "c", dependsOn: ["a"] }));
    expect((await load("two.ndjson")).out).toMatch(/^1 added, references of 1 linked, 2 lines done by an earlier run in /);
    expect(await answer("{ queryPackage { name dependsOn { name } } }")).toMatchObject({
      data: {
        queryPackage: [
          { name: "a", dependsOn: [{ name: "b" }] },
          { name: "b", dependsOn: [] },
          { name: "c", dependsOn: [{ name: "a" }] },
        ],
      },
    });
  });

  it("stops at an invalid line, keeps earlier lines, and continues after the line is corrected", async () => {
    write("bad.ndjson", lines({ name: "a" }, { name: "b", size: "big" }, { name: "c" }));
    const stopped = await load("bad.ndjson");
    expect(stopped.code).toBe(1);
    expect(stopped.err).toMatch(/^bad\.ndjson:2: .*big/m);
    expect(stopped.err).not.toMatch(/\n +at /);
    write("bad.ndjson", lines({ name: "a" }, { name: "b", size: 2 }, { name: "c" }));
    expect((await load("bad.ndjson")).out).toMatch(/^2 added, 1 line done by an earlier run in /);
    expect(await answer("{ queryPackage { name size } }")).toMatchObject({
      data: { queryPackage: [{ name: "a" }, { name: "b", size: 2 }, { name: "c" }] },
    });
  });

  it("skips invalid lines with --on-error skip: reports their numbers, keeps other lines and valid references", async () => {
    write(
      "bad.ndjson",
      lines({ name: "a", dependsOn: ["c"] }, "{", { size: 3 }, { name: "b", dependsOn: ["a", 7] }, { name: "c", dependsOn: ["b"] }, { name: "a" }),
    );
    const { code, out, err } = await load("bad.ndjson", "--on-error", "skip");
    expect(code).toBe(0);
    expect(out).toMatch(/^3 added, references of 2 linked, 4 invalid lines skipped in /);
    for (const number of [2, 3, 4, 6]) expect(err).toMatch(new RegExp(`^bad\\.ndjson:${number}: `, "m"));
    expect(await answer("{ queryPackage { name dependsOn { name } } }")).toMatchObject({
      data: {
        queryPackage: [
          { name: "a", dependsOn: [{ name: "c" }] },
          { name: "b", dependsOn: [{ name: "a" }] },
          { name: "c", dependsOn: [{ name: "b" }] },
        ],
      },
    });
  });

  it("continues after SIGKILL without losses or duplicates, also for a type without a key", async () => {
    const count = 12_000;
    write("packages.ndjson", lines({ name: "p" }));
    await load("packages.ndjson");
    write("reviews.ndjson", lines(...Array.from({ length: count }, (_, stars) => ({ stars, of: "p" }))));
    const args = ["import", "reviews.ndjson", "--type", "Review", "--data", "data"];
    for (const grownBytes of [1, 50_000, 120_000]) {
      const { child } = quern(folder.path, ...args);
      expect(await killedWhileItWrites(child, join(folder.path, "data"), grownBytes)).toBe(true);
    }
    expect((await run(folder.path, ...args)).code).toBe(0);
    expect(await answer('{ aggregateReview { count starsSum } getPackage(name: "p") { name } }')).toMatchObject({
      data: { aggregateReview: { count, starsSum: (count * (count - 1)) / 2 } },
    });
    expect(await run(folder.path, "check", "--data", "data")).toMatchObject({ code: 0 });
  });

  it("builds the indexes of a long import in another thread, and after a SIGKILL amid it the next import builds them", async () => {
    const count = 9_000;
    write(
      "packages.ndjson",
      lines(...Array.from({ length: count }, (_, size) => ({ name: `p${size}`, size, dependsOn: [`p${(size + 1) % count}`] }))),
    );
    const whole = await load("packages.ndjson");
    expect(whole.err).toContain("index Package.size/int, built beside the load 100% 1 of 1");
    expect(await run(folder.path, "check", "--data", "data")).toMatchObject({ code: 0 });
    const args = ["import", "packages.ndjson", "--type", "Package", "--data", "killed", "--schema", "schema.graphql"];
    const { child } = quern(folder.path, ...args);
    expect(await killedWhileItWrites(child, join(folder.path, "killed"), 900_000)).toBe(true);
    expect(await run(folder.path, ...args)).toMatchObject({ code: 0 });
    expect(await run(folder.path, "check", "--data", "killed")).toMatchObject({ code: 0 });
    const { out } = await run(folder.path, "query", "{ q(func: ge(Package.size, 8990)) { count(uid) } }", "--data", "killed");
    expect(out).toMatch(/\b10\b/);
  });

  it("loads into a running server, and creates no duplicates in a second run", async () => {
    const server = await served(folder.path, "--schema", "schema.graphql");
    write("packages.ndjson", lines({ name: "a", dependsOn: ["b"] }, { name: "b" }));
    const args = ["import", "packages.ndjson", "--type", "Package", "--url", server.url];
    expect((await run(folder.path, ...args)).out).toMatch(/^2 added, references of 1 linked in /);
    expect((await run(folder.path, ...args)).out).toMatch(/^0 added, .*2 already existed in /);
    expect(await ask(server.url, "{ queryPackage { name dependsOn { name } } }")).toMatchObject({
      data: {
        queryPackage: [
          { name: "a", dependsOn: [{ name: "b" }] },
          { name: "b", dependsOn: [] },
        ],
      },
    });
    await server.stop();
  });

  it("suggests the type for a misspelt --type", async () => {
    write("packages.ndjson", lines({ name: "a" }));
    const { code, err } = await run(folder.path, "import", "packages.ndjson", "--type", "Pakage", "--data", "data", "--schema", "schema.graphql");
    expect(code).toBe(1);
    expect(err).toContain('--type Pakage: the schema has no mutation addPakage; did you mean "Package"?');
  });
});
