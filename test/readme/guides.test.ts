// Follows the guides of docs/ from top to bottom, each on a store of its own. A block of type definitions is deployed, a block with an operation is
// executed, and a JSON block after an operation is its answer. A first line `# as {"USER": "ada"}` sends a token with these claims. Services under
// `https://NAME.example` are one on loopback.

import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isInputObjectType, Kind, parse } from "graphql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { schemaVocabulary } from "../../adapters/cli/ground/vocabulary.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../core/index.ts";
import type { DirectivePlugin, SettingLine } from "../../core/plugin.ts";
import { accountsPlugin } from "../../plugins/accounts/index.ts";
import { authPlugin, developmentToken } from "../../plugins/auth/index.ts";
import { lambdaPlugin } from "../../plugins/lambda/index.ts";
import { type Receiver, receiver } from "../plugins/lambda/receiver.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const docs = join(import.meta.dirname, "../../docs");
const guides = readdirSync(docs).filter((file) => file.endsWith(".md"));

interface Block {
  readonly text: string;
  readonly line: number;
  /** The JSON block that follows, in its parsed form. */
  readonly answer: { readonly data?: unknown; readonly errors?: readonly unknown[] } | undefined;
}

/** Those of the guide to custom logic. */
const functions = {
  "Product.label": ({ parents }: { readonly parents: readonly Readonly<Record<string, unknown>>[] }) =>
    parents.map(({ name, cents }) => `${name}, ${(Number(cents) / 100).toFixed(2)} €`),
  "Query.dearest": async ({ quern }: { readonly quern: { graphql(query: string): Promise<{ readonly data?: unknown }> } }) => {
    const { data } = await quern.graphql("{ queryProduct(order: { desc: cents }, first: 1) { name } }");
    return JSON.stringify(data);
  },
  "Product.add": () => undefined,
};

const ownPlugins: Readonly<Record<string, DirectivePlugin>> = {
  "accounts.md": accountsPlugin({ secret: "a secret of thirty-two characters" }),
  "first-hour.md": accountsPlugin({ secret: "a secret of thirty-two characters" }),
  "rules.md": authPlugin({ fieldRules: true }),
  "custom-logic.md": lambdaPlugin({ functions }),
};

/** A type with each kind of index. */
const everyIndex = `enum Kind { A B }
type All {
  id: ID!
  hash: String @search(by: [hash])
  exact: String @search(by: [exact])
  words: String @search(by: [term, fulltext, ngram, regexp])
  int: Int @search
  int64: Int64 @search
  float: Float @search
  bool: Boolean @search
  date: DateTime @search(by: [hour])
  kind: Kind @search
  kindText: Kind @search(by: [regexp])
  point: Point @search
  area: MultiPolygon @search
}`;

describe("the guides of docs/", () => {
  it.each(guides.filter((file) => blocksOf(file).length > 0))("%s: what it shows happens", async (file) => {
    const service = await services();
    const reader = new SettingsReader();
    const stack = await temporaryKernel({ plugins: [...pluginsOf(file), reader] });
    onTestFinished(() => stack.remove());
    for (const block of blocksOf(file)) {
      const where = `${file}:${block.line}`;
      if (definesTypes(block.text)) await stack.kernel.deploy(service.text(block.text));
      else expect(await answerTo(stack, reader, block), where).toEqual(block.answer ?? { data: expect.anything() });
    }
    await guideChecks[file]?.(service);
  });

  it("name every directive that a schema may use", () => {
    const all = guides.map((file) => readFileSync(join(docs, file), "utf8")).join("\n");
    const directives = parse(schemaVocabulary(standardPlugins())).definitions.flatMap((each) =>
      each.kind === Kind.DIRECTIVE_DEFINITION ? [each.name.value] : [],
    );
    expect(directives).toContain("search");
    expect(directives.filter((name) => !new RegExp(`@${name}\\b`).test(all))).toEqual([]);
  });

  it("name every operator of filters among the queries", () => {
    const text = readFileSync(join(docs, "queries.md"), "utf8");
    const { schema } = prepareDeployment(everyIndex, standardPlugins()).api;
    const filters = Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type) && /Filter/.test(type.name));
    const operators = new Set(filters.flatMap((type) => (isInputObjectType(type) && type.name !== "AllFilter" ? Object.keys(type.getFields()) : [])));
    expect(operators).toContain("anyoftext");
    expect([...operators].filter((name) => !text.includes(name))).toEqual([]);
  });

  it("are listed in its README", () => {
    const index = readFileSync(join(docs, "README.md"), "utf8");
    for (const file of guides) if (file !== "README.md") expect(index, file).toContain(`](${file})`);
  });
});

interface Services extends Receiver {
  /** `text` with addresses on loopback. */
  text(text: string): string;
}

const answers: Readonly<Record<string, unknown>> = {
  "/weather/at/north": { wind: 12, "sky-state": "clear" },
  "/tides/kiel?days=3": ["04:10", "16:32"],
  "/hooks/orders": null,
};

async function services(): Promise<Services> {
  const service = await receiver();
  service.answer = ({ path }, response) => {
    response.statusCode = path in answers ? 200 : 404;
    response.end(JSON.stringify(answers[path]));
  };
  return Object.assign(service, { text: (text: string) => text.replaceAll(/https:\/\/(\w+)\.example/g, `${service.url}/$1`) });
}

/** What a guide says of requests to services, by its name. */
const guideChecks: Readonly<Record<string, (service: Services) => Promise<void>>> = {
  async "custom-logic.md"({ received }) {
    // The first request of a process loads the HTTP library.
    const post = await vi.waitFor(() => received.find(({ path }) => path === "/hooks/orders") ?? expect.fail("no event"), { timeout: 60_000 });
    expect(received.map(({ path }) => path).sort()).toEqual(Object.keys(answers).sort());
    expect(received.find(({ path }) => path.startsWith("/tides"))?.headers["x-key"]).toBe("a secret of both");
    const [, shown = ""] = /^posts to .*\n\n```json\n([\s\S]*?)^```/m.exec(readFileSync(join(docs, "custom-logic.md"), "utf8")) ?? [];
    const { nodes, ...event } = JSON.parse(shown);
    const text = expect.any(String);
    expect(post.body).toEqual({ ...event, commit: text, at: text, nodes: [{ ...nodes[0], id: text }] });
    const { "webhook-id": id, "webhook-timestamp": timestamp } = post.headers;
    const signature = createHmac("sha256", "another secret of both").update(`${id}.${timestamp}.${post.text}`).digest("base64");
    expect(post.headers["webhook-signature"]).toBe(`v1,${signature}`);
  },
};

/** The standard ones, unless the guide says that it configures others. */
function pluginsOf(file: string): readonly DirectivePlugin[] {
  const own = ownPlugins[file];
  return own === undefined ? standardPlugins() : [...standardPlugins().filter(({ name }) => name !== own.name), own];
}

/** Keeps the lines by which the deployed schema trusts tokens. */
class SettingsReader implements DirectivePlugin {
  readonly name = "guide";
  readonly definitions = "";
  readonly alsoReads = ["Authorization"];
  lines: readonly SettingLine[] = [];

  model(context: Parameters<DirectivePlugin["model"]>[0]): undefined {
    this.lines = context.settings("Authorization");
  }
}

function blocksOf(file: string): readonly Block[] {
  const markdown = readFileSync(join(docs, file), "utf8");
  const found = [...markdown.matchAll(/^```(graphql|json)\n([\s\S]*?)^```/gm)];
  return found.flatMap(({ 1: language, 2: text = "", index }, at) => {
    if (language !== "graphql") return [];
    const next = found[at + 1];
    const answer = next?.[1] === "json" ? JSON.parse(next[2] ?? "") : undefined;
    return [{ text, line: markdown.slice(0, index).split("\n").length, answer }];
  });
}

function definesTypes(text: string): boolean {
  return parse(text).definitions.some(({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION);
}

/** Without extensions, and without the places of errors. */
async function answerTo({ kernel }: TemporaryKernel, { lines }: SettingsReader, { text }: Block): Promise<unknown> {
  const [, claims] = /^# as (\{.*\})$/m.exec(text) ?? [];
  const token = claims === undefined ? undefined : await developmentToken(lines, JSON.parse(claims), "1h");
  const headers = token === undefined ? {} : { [token.header.toLowerCase()]: `Bearer ${token.token}` };
  const { extensions: _extensions, errors, ...answer } = JSON.parse((await kernel.execute({ query: text, headers })).body);
  if (errors === undefined) return answer;
  return { ...answer, errors: errors.map(({ message }: { readonly message: string }) => ({ message })) };
}
