// `@ranked` of the examples: places and scores, filters, pages and rules, and what hidden objects must not change.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { rankingPlugin } from "../../examples/ranking-plugin/ranking-plugin.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const open: TemporaryKernel[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

const schema = `
  type Article @auth(query: { or: [{ rule: "query { queryArticle(filter: { open: true }) { title } }" }, { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" }] }) @withSubscription {
    title: String! @id
    text: String @ranked
    open: Boolean @search
    author: Author
  }
  type Author { name: String! @id  articles: [Article] @hasInverse(field: author) }
  # Service.Authorization {"Header":"Authorization","Namespace":"x","VerificationKey":"secret","Algo":"HS256"}`;

interface Article {
  readonly title: string;
  readonly text?: string;
  readonly open?: boolean;
  readonly author?: { readonly name: string };
}

async function start(articles: readonly Article[], text = schema) {
  const stack = await temporaryKernel({ plugins: [...standardPlugins(), rankingPlugin()] });
  open.push(stack);
  await stack.kernel.deploy(text);
  const run = async (query: string, variables = {}) => {
    const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
    return errors ? errors.map(({ message }: { message: string }) => message).join() : data;
  };
  const input = articles.map((each) => ({ open: true, ...each }));
  if (input.length > 0) await run("mutation M($input: [AddArticleInput!]!) { addArticle(input: $input) { numUids } }", { input });
  return { stack, run };
}

interface Ranked {
  readonly rankArticle: { readonly hits: readonly { readonly node: { readonly title: string } | null }[] };
}

const titles = (answer: Ranked | undefined) => answer?.rankArticle.hits.map(({ node }) => node?.title) ?? [];

const mills: readonly Article[] = [
  { title: "rain", text: "Rain on a mill, and on a long road through many fields of the county of Kent" },
  { title: "stones", text: "Stone mill, stone bridge: STONE" },
  { title: "millstone", text: "Millstone" },
  { title: "bridge", text: "A bridge of stone" },
  { title: "none" },
];

describe("@ranked", () => {
  it("puts texts first that have more of the words, and rarer ones, in any letter case; a part of a word is none", async () => {
    const { run } = await start(mills);
    const answer = await run('{ rankArticle(matching: "stone mill") { total hits { score node { title } __typename } __typename } }');
    expect(titles(answer)).toEqual(["stones", "bridge", "rain"]);
    expect(answer.rankArticle).toMatchObject({ total: 3, __typename: "ArticleRanking", hits: [{ __typename: "ArticleHit" }, {}, {}] });
    const scores: readonly number[] = answer.rankArticle.hits.map(({ score }: { score: number }) => score);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    expect(scores.every((score) => score > 0)).toBe(true);
    expect(await run('{ rankArticle(matching: "kentish ...") { total hits { score } } }')).toEqual({ rankArticle: { total: 0, hits: [] } });
    expect(await run('{ rankArticle(matching: "") { total } }')).toEqual({ rankArticle: { total: 0 } });
  });

  it("takes filters and pages, and shows what is selected of the objects", async () => {
    const { run } = await start(mills);
    await run(
      'mutation { addAuthor(input: [{ name: "Ada", articles: [{ title: "stones" }, { title: "rain" }, { title: "millstone" }] }]) { numUids } }',
    );
    const page = '{ rankArticle(matching: "stone mill", first: 1, offset: 1) { total hits { node { title author { name } } } } }';
    expect(await run(page)).toEqual({ rankArticle: { total: 3, hits: [{ node: { title: "bridge", author: null } }] } });
    const filtered = '{ rankArticle(matching: "stone mill", filter: { title: { in: ["rain", "millstone"] } }) { total hits { node { title } } } }';
    expect(await run(filtered)).toEqual({ rankArticle: { total: 1, hits: [{ node: { title: "rain" } }] } });
    expect(await run('{ queryAuthor { articlesRanked(matching: "mill") { total hits { node { title } } } } }')).toEqual({
      queryAuthor: [{ articlesRanked: { total: 2, hits: [{ node: { title: "stones" } }, { node: { title: "rain" } }] } }],
    });
    expect(await run(`{ rankArticle(matching: "${Array.from({ length: 33 }, (_, i) => `w${i}`).join(" ")}") { total } }`)).toContain("at most 32");
  });

  it("answers as if hidden objects did not exist: the same scores, places and totals", async () => {
    const hidden = Array.from({ length: 20 }, (_, i) => ({
      title: `hidden ${i}`,
      text: i % 2 ? "mill mill mill" : "stone of a very very long text of stone",
      open: false,
    }));
    const with20 = await start([...mills, ...hidden]);
    const without = await start(mills);
    const queries = [
      '{ rankArticle(matching: "stone mill") { total hits { score node { title } } } }',
      '{ rankArticle(matching: "mill", first: 1, offset: 1) { total hits { score node { title } } } }',
      '{ rankArticle(matching: "very") { total hits { score } } }',
    ];
    for (const query of queries) expect(await with20.run(query)).toEqual(await without.run(query));
    // The nearest wrong neighbour: as many objects that are not hidden do change the scores.
    const shown = await start([...mills, ...hidden.map((each) => ({ ...each, open: true }))]);
    expect(await shown.run(queries[0] ?? "")).not.toEqual(await without.run(queries[0] ?? ""));
  });

  it("follows commits, and is there after a restart and for what was stored before", async () => {
    const { stack, run } = await start(mills, schema.replace("@ranked", ""));
    await stack.kernel.deploy(schema);
    const stone = '{ rankArticle(matching: "stone") { hits { node { title } } } }';
    expect(titles(await run(stone))).toEqual(["stones", "bridge"]);
    await run('mutation { updateArticle(input: { filter: { title: { eq: "rain" } }, set: { text: "stone" } }) { numUids } }');
    await run('mutation { deleteArticle(filter: { title: { eq: "bridge" } }) { numUids } }');
    expect(titles(await run(stone)).sort()).toEqual(["rain", "stones"]);
    const again = await stack.restart();
    open.splice(open.indexOf(stack), 1, again);
    const { body } = await again.kernel.execute({ query: stone });
    expect(titles(JSON.parse(body).data).sort()).toEqual(["rain", "stones"]);
  });

  it("is live", async () => {
    const { stack, run } = await start(mills);
    const live = stack.kernel.live<Ranked>({ query: 'subscription { rankArticle(matching: "rain") { hits { node { title } } } }' });
    const next = async () => titles((await live.next()).value?.data);
    expect(await next()).toEqual(["rain"]);
    await run('mutation { addArticle(input: [{ title: "new", text: "rain rain", open: true }]) { numUids } }');
    expect(await next()).toEqual(["new", "rain"]);
  });

  it("is for texts", async () => {
    const { stack } = await start([]);
    await expect(stack.kernel.deploy("type A { n: Int @ranked }")).rejects.toThrow("Type A; Field n: @ranked is for String fields.");
  });
});
