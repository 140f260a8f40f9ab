// `@search` that comes, changes or goes over data that are there: the same answers, from an index built anew.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const count = 1_500;
const words = ["stone", "mill", "Häuser", "日本", "running", ""];
const titleOf = (n: number) => (n === 0 ? "" : `${words[n % 6]} ${words[(n >> 2) % 6]} n${n}`);

describe("@search on existing data", () => {
  let stack: TemporaryKernel;
  beforeEach(async () => {
    stack = await temporaryKernel();
    await stack.kernel.deploy(schemaOf(""));
    const input = Array.from({ length: count }, (_, n) => ({ n, title: titleOf(n), at: { longitude: (n % 360) - 180, latitude: (n % 179) - 89 } }));
    await ask("mutation ($input: [AddFilmInput!]!) { addFilm(input: $input) { numUids } }", { input });
  });
  afterEach(() => stack.remove());

  function schemaOf(title: string, at = ""): string {
    return `type Film { n: Int! @search  title: String ${title}  at: Point ${at} }`;
  }

  async function ask(query: string, variables = {}): Promise<Readonly<Record<string, unknown>>> {
    const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
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
    await stack.kernel.deploy(schema, { progress: (step) => steps.push(step) });
    return [...new Set(steps.map(({ what }) => what))];
  }

  it.each([
    ["term", '{ title: { allofterms: "MILL stone" } }', (title: string) => /stone/.test(title) && /mill/.test(title)],
    ["fulltext", '{ title: { alloftext: "run" } }', (title: string) => /running/.test(title)],
    ["regexp", '{ title: { regexp: "/ST[no]ne n1.*5$/i" } }', (title: string) => /stone n1.*5$/.test(title)],
    ["trigram", '{ title: { regexp: "/Häu.er/" } }', (title: string) => /Häuser/.test(title)],
    ["ngram", '{ title: { ngram: "stone mill" } }', (title: string) => /stone mill/.test(title)],
  ])("comes: %s is built with progress and finds what is there", async (word, filter, holds) => {
    expect(await deploy(schemaOf(`@search(by: [${word}])`))).toContainEqual(expect.stringContaining(`Film.title/${word}`));
    const expected = numbers(holds);
    expect(expected.length).toBeGreaterThan(5);
    expect(await found(filter)).toEqual(expected);
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });

  it("can change from one kind to another and back", async () => {
    await stack.kernel.deploy(schemaOf("@search(by: [term])"));
    const before = await found('{ title: { anyofterms: "stone" } }');
    await stack.kernel.deploy(schemaOf("@search(by: [fulltext])"));
    expect(await found('{ title: { anyoftext: "stone" } }')).toEqual(before);
    await ask('mutation { updateFilm(input: { filter: { n: { eq: 3 } }, set: { title: "stone again" } }) { numUids } }');
    await ask("mutation { deleteFilm(filter: { n: { eq: 6 } }) { numUids } }");
    await stack.kernel.deploy(schemaOf("@search(by: [term])"));
    const after = numbers((title) => /stone/.test(title)).filter((n) => n !== 6);
    expect(await found('{ title: { anyofterms: "stone" } }')).toEqual([...new Set([...after, 3])].sort((a, b) => a - b));
  });

  it("can add a kind without rebuilding the existing one", async () => {
    await stack.kernel.deploy(schemaOf("@search(by: [term])"));
    const built = await deploy(schemaOf("@search(by: [term, regexp])"));
    expect(built).toContainEqual(expect.stringContaining("regexp"));
    expect(built).not.toContainEqual(expect.stringContaining("term"));
    expect(await found('{ title: { allofterms: "stone", regexp: "/mill n1/" } }')).toEqual(numbers((title) => /^stone mill n1/.test(title)));
  });

  it("can be added to geo fields", async () => {
    const near = "{ at: { near: { coordinate: { longitude: -180, latitude: -89 }, distance: 300000 } } }";
    await stack.kernel.deploy(schemaOf("", "@search"));
    const nearBy = await found(near);
    expect(nearBy).toContain(0);
    expect(nearBy).not.toContain(90);
    expect(await found(`{ not: ${near} }`)).toEqual(numbers(() => true).filter((n) => !nearBy.includes(n)));
  });

  it("is rebuilt once, at the first start with another language", async () => {
    await stack.kernel.deploy(schemaOf("@search(by: [fulltext])"));
    expect(await found('{ title: { alloftext: "haus" } }')).toEqual([]);
    stack = await stack.restart({ plugins: [...standardPlugins().filter(({ name }) => name !== "search"), searchPlugin({ language: "de" })] });
    expect(await found('{ title: { alloftext: "haus" } }')).toEqual(numbers((title) => /Häuser/.test(title)));
  });
});
