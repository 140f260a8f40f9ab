// `@search` that comes, changes or goes over data that are there, on a LevelDB: the same answers, from an index built anew.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/standard-stack.ts";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel, type DirectivePlugin, type Kernel, type MigrationStep } from "../../../core/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";

const count = 1_500;
const words = ["stone", "mill", "Häuser", "日本", "running", ""];
const titleOf = (n: number) => (n === 0 ? "" : `${words[n % 6]} ${words[(n >> 2) % 6]} n${n}`);

describe("@search over data that are there", () => {
  let path: string;
  let kernel: Kernel;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "quern-"));
    kernel = await opened();
    await kernel.deploy(schemaOf(""));
    const input = Array.from({ length: count }, (_, n) => ({ n, title: titleOf(n), at: { longitude: (n % 360) - 180, latitude: (n % 179) - 89 } }));
    await ask("mutation ($input: [AddFilmInput!]!) { addFilm(input: $input) { numUids } }", { input });
  });
  afterEach(async () => {
    await kernel.close();
    await rm(path, { recursive: true, force: true });
  });

  async function opened(plugins: readonly DirectivePlugin[] = standardPlugins()): Promise<Kernel> {
    const next = createKernel({ storage: leveldbStorage({ path }), plugins });
    await next.open();
    return next;
  }

  function schemaOf(title: string, at = ""): string {
    return `type Film { n: Int! @search  title: String ${title}  at: Point ${at} }`;
  }

  async function ask(query: string, variables = {}): Promise<Readonly<Record<string, unknown>>> {
    const { data, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  async function found(filter: string): Promise<readonly number[]> {
    const { queryFilm } = await ask(`{ queryFilm(filter: ${filter}) { n } }`);
    return (queryFilm as readonly { readonly n: number }[]).map(({ n }) => n);
  }

  function numbers(holds: (title: string) => boolean): readonly number[] {
    return Array.from({ length: count }, (_, n) => n).filter((n) => holds(titleOf(n)));
  }

  async function deploy(schema: string): Promise<readonly string[]> {
    const steps: MigrationStep[] = [];
    await kernel.deploy(schema, { progress: (step) => steps.push(step) });
    return [...new Set(steps.map(({ what }) => what))];
  }

  it.each([
    ["term", '{ title: { allofterms: "MILL stone" } }', (title: string) => /stone/.test(title) && /mill/.test(title)],
    ["fulltext", '{ title: { alloftext: "run" } }', (title: string) => /running/.test(title)],
    ["regexp", '{ title: { regexp: "/ST[no]ne n1.*5$/i" } }', (title: string) => /stone n1.*5$/.test(title)],
    ["trigram", '{ title: { regexp: "/Häu.er/" } }', (title: string) => /Häuser/.test(title)],
    ["ngram", '{ title: { ngram: "stone mill" } }', (title: string) => /stone mill/.test(title)],
  ])("comes: %s is built with progress and finds what is there", async (word, filter, holds) => {
    expect(await deploy(schemaOf(`@search(by: [${word}])`))).toEqual([expect.stringContaining(`Film.title/${word}`)]);
    const expected = numbers(holds);
    expect(expected.length).toBeGreaterThan(5);
    expect(await found(filter)).toEqual(expected);
    expect((await kernel.storage.verify()).faults).toEqual([]);
  });

  it("changes: one kind for another, and back", async () => {
    await kernel.deploy(schemaOf("@search(by: [term])"));
    const before = await found('{ title: { anyofterms: "stone" } }');
    await kernel.deploy(schemaOf("@search(by: [fulltext])"));
    expect(await found('{ title: { anyoftext: "stone" } }')).toEqual(before);
    await ask('mutation { updateFilm(input: { filter: { n: { eq: 3 } }, set: { title: "stone again" } }) { numUids } }');
    await ask("mutation { deleteFilm(filter: { n: { eq: 6 } }) { numUids } }");
    await kernel.deploy(schemaOf("@search(by: [term])"));
    const after = numbers((title) => /stone/.test(title)).filter((n) => n !== 6);
    expect(await found('{ title: { anyofterms: "stone" } }')).toEqual([...new Set([...after, 3])].sort((a, b) => a - b));
  });

  it("comes beside another kind: the one that is there is not built again", async () => {
    await kernel.deploy(schemaOf("@search(by: [term])"));
    expect(await deploy(schemaOf("@search(by: [term, regexp])"))).toEqual([expect.not.stringContaining("term")]);
    expect(await found('{ title: { allofterms: "stone", regexp: "/mill n1/" } }')).toEqual(numbers((title) => /^stone mill n1/.test(title)));
  });

  it("comes to places", async () => {
    const near = "{ at: { near: { coordinate: { longitude: -180, latitude: -89 }, distance: 300000 } } }";
    await kernel.deploy(schemaOf("", "@search"));
    const nearBy = await found(near);
    expect(nearBy).toContain(0);
    expect(nearBy).not.toContain(90);
    expect(await found(`{ not: ${near} }`)).toEqual(numbers(() => true).filter((n) => !nearBy.includes(n)));
  });

  it("means another language: built anew at the start with the option, and only then", async () => {
    await kernel.deploy(schemaOf("@search(by: [fulltext])"));
    expect(await found('{ title: { alloftext: "haus" } }')).toEqual([]);
    await kernel.close();
    kernel = await opened([...standardPlugins().filter(({ name }) => name !== "search"), searchPlugin({ language: "de" })]);
    expect(await found('{ title: { alloftext: "haus" } }')).toEqual(numbers((title) => /Häuser/.test(title)));
  });
});
