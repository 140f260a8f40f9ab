// The examples, started as their READMEs say, against the built package.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, temporaryFolder } from "./quern.ts";

const cli = fileURLToPath(new URL("../../dist/adapters/cli/main.js", import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Starts an example on a free port, asks it through `work`, and ends it with Ctrl-C. */
async function withExample(name: string, work: (url: string) => Promise<void>, program = "start.mjs"): Promise<number | null> {
  const folderOf = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const own = join(folderOf, program);
  const config = ["quern.config.ts", "quern.config.mjs"].map((file) => join(folderOf, file)).find((file) => existsSync(file)) ?? "";
  const args = existsSync(own) ? [own] : [cli, "start", "--config", config, "--port", "0"];
  const child = spawn(process.execPath, args, {
    cwd: existsSync(own) ? undefined : folder.path,
    env: { ...process.env, QUERN_PORT: "0", QUERN_DATA: folder.path },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exit = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("http://")) continue;
    await work(line);
    break;
  }
  child.kill("SIGINT");
  const [code] = await exit;
  return code;
}

describe("the example", () => {
  it("debian-packages loads its data once and answers queries", async () => {
    const query = '{ getPackage(name: "git") { name dependsOn(first: 2) { name } } aggregatePackage { count } }';
    for (const start of ["first", "second"]) {
      const code = await withExample("debian-packages", async (url) => {
        expect(await ask(url, query), start).toMatchObject({
          data: { getPackage: { name: "git", dependsOn: [expect.anything(), expect.anything()] }, aggregatePackage: { count: 1_000 } },
        });
      });
      expect(code).toBe(0);
    }
  });

  it.each(["express.mjs", "fastify.mjs"])("yoga mounts the API in an application with routes of its own: %s", async (program) => {
    const code = await withExample(
      "yoga",
      async (url) => {
        const added = await ask(url, 'mutation { addBook(input: [{ isbn: "1", title: "Herons", author: { name: "Ada" } }]) { numUids } }');
        expect(added).toMatchObject({ data: { addBook: { numUids: 2 } } });
        const { origin } = new URL(url);
        expect(await (await fetch(`${origin}/books/1`)).json()).toEqual({ title: "Herons" });
        expect((await fetch(`${origin}/books/2`)).status).toBe(404);
        const deep = await ask(url, "{ queryBook { author { books { author { books { author { books { title } } } } } } } }");
        expect(deep).toMatchObject({ errors: [{ message: expect.stringContaining("depth of 6") }] });
      },
      program,
    );
    expect(code).toBe(0);
  });

  it("semantic-search finds packages with related summaries", async () => {
    const query = '{ querySimilarPackageById(name: "vim", by: topic, topK: 3) { name vector_distance } }';
    const code = await withExample("semantic-search", async (url) => {
      const answer = await ask(url, query);
      expect(answer).toMatchObject({ data: { querySimilarPackageById: [{ name: "vim" }, expect.anything(), expect.anything()] } });
    });
    expect(code).toBe(0);
  });

  it("bounds-plugin refuses values out of range, and stores values in range", async () => {
    const add = (stars: number) => `mutation { addReview(input: [{ about: "Quern", stars: ${stars} }]) { review { stars } } }`;
    const code = await withExample("bounds-plugin", async (url) => {
      for (const stars of [0, 6]) {
        expect(await ask(url, add(stars))).toMatchObject({
          data: { addReview: null },
          errors: [{ message: expect.stringContaining(`Review.stars is ${stars}, and must lie between 1 and 5.`) }],
        });
      }
      for (const stars of [1, 5]) expect(await ask(url, add(stars))).toMatchObject({ data: { addReview: { review: [{ stars }] } } });
      expect(await ask(url, "{ queryReview { stars } }")).toMatchObject({ data: { queryReview: [{ stars: 1 }, { stars: 5 }] } });
    });
    expect(code).toBe(0);
  });

  it("soundex-kind finds names that sound alike", async () => {
    const code = await withExample("soundex-kind", async (url) => {
      await ask(url, 'mutation { addPerson(input: [{ name: "Robert Smith" }, { name: "Rupert Smyth" }, { name: "Rubin Smith" }]) { numUids } }');
      expect(await ask(url, '{ queryPerson(filter: { name: { soundsLike: "rupert smith" } }) { name } }')).toMatchObject({
        data: { queryPerson: [{ name: "Robert Smith" }, { name: "Rupert Smyth" }] },
      });
    });
    expect(code).toBe(0);
  });
});
