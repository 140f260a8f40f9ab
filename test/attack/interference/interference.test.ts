// Two stores that differ in nothing but what a caller may not read answer all requests of that caller alike, its writes included: data, errors, counts, the
// number of the commit. What callers can still learn (KNOWN_DIFFERENCES.md) is the same in both: names of hidden objects, links to them, taken keys.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { authPlugin } from "../../../plugins/auth/index.ts";
import { aclServer, prepared } from "../../plugins/acl/server.ts";
import { line, token } from "../../plugins/auth/token.ts";
import { temporaryKernel } from "../../support/kernel.ts";
import { examples, testSeed } from "../../support/properties.ts";
import { hidden, names, pick, type Random, randomOf, request } from "./requests.ts";

/** @param rule what hides objects @param field what hides a field */
const schemaWith = (rule: string, field: string) => `
  type Item @unique(fields: ["kind", "grade"]) ${rule} {
    name: String! @id  open: Boolean @search  n: Int @search @increment @range(min: -50, max: 9)  kind: String
    sec: Int @search @increment @range(min: 0) ${field}  note: String @search(by: [exact]) ${field}
    tags: [String] @length(max: 3) ${field}  grade: Int ${field}  code: String @id ${field}  pal: Item ${field}
    boss: Item @hasInverse(field: staff)  staff: [Item] @nested  rev: Int @version
  }`;

const plugins = (): readonly DirectivePlugin[] =>
  standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin({ fieldRules: true, updateAfter: true }) : plugin));

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: { readonly commit?: string; readonly touched_uids?: number };
}

/** One of the two stores. */
interface Store {
  readonly hidesObjects: boolean;
  /** Commits are numbered, and no other server makes any. */
  readonly isNumbered: boolean;
  asOwner(query: string): Promise<Answer>;
  asCaller(query: string): Promise<Answer>;
}

async function underRules(): Promise<Store> {
  const stack = await temporaryKernel({ plugins: plugins() });
  onTestFinished(() => stack.remove());
  const isChief = '{ rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }';
  const isOpen = `{ or: [{ rule: "query { queryItem(filter: {open: true}) { name } }" }, ${isChief}] }`;
  await stack.kernel.deploy(`${schemaWith(`@auth(query: ${isOpen})`, `@auth(query: ${isChief})`)}\n${line}`);
  const ask = async (query: string, headers = {}) => JSON.parse((await stack.kernel.execute({ query, headers })).body) as Answer;
  return {
    hidesObjects: true,
    isNumbered: stack.kernel.storage.name === "level",
    asOwner: (query) => ask(query, { "x-harbour": token({ ROLE: "CHIEF" }) }),
    asCaller: (query) => ask(query),
  };
}

const readable = ["name", "open", "n", "kind", "boss", "staff", "rev"];
const writable = [...readable, "sec", "note", "tags", "grade", "pal"];

async function underAccessControl(): Promise<Store> {
  const server = await aclServer({}, {});
  onTestFinished(() => server.remove());
  const rights = Object.fromEntries(writable.map((field) => [`Item.${field}`, readable.includes(field) ? 6 : 2]));
  const tokens = await prepared(server, schemaWith("", ""), { clerk: { ...rights, "dgraph.type": 6 } });
  return {
    hidesObjects: false,
    isNumbered: server.kernel.storage.name === "level",
    asOwner: (query) => server.graphql(query, tokens.groot) as Promise<Answer>,
    asCaller: (query) => server.graphql(query, tokens.clerk) as Promise<Answer>,
  };
}

/** What the caller may read is the same for the same `random`; what it may not read is made by `secret`. */
function setup(random: Random, secret: Random, { hidesObjects }: Store): string {
  const items = names.slice(0, 5).map((name, i) => {
    const codes = `code: "k${i + 5 * secret(2)}"`;
    const n = i < 3 || !hidesObjects ? random(9) : secret(9);
    const own = `name: "${name}", open: ${i < 3}, n: ${n}, kind: "${name}"`;
    const values = `sec: ${hidden.sec(secret)}, note: "${hidden.note(secret)}", tags: ${JSON.stringify(hidden.tags(secret))}, grade: ${hidden.grade(secret)}`;
    return `{ ${own}, ${codes}, ${values}, pal: { name: "${pick(secret, names.slice(0, 5))}" }, boss: { name: "${pick(random, names.slice(0, 5))}" } }`;
  });
  return `mutation { addItem(input: [${items.join(", ")}]) { numUids } }`;
}

/** Without what differs from request to request anyway. @param before the commit of the setup */
function comparable({ data, errors, extensions = {} }: Answer, { isNumbered }: Store, before: string | undefined) {
  const { commit, touched_uids } = extensions;
  return { data, errors, touched: touched_uids, commit: isNumbered && commit !== undefined ? Number(commit) - Number(before) : commit !== undefined };
}

describe.each([
  ["rules of @auth", underRules],
  ["access control lists", underAccessControl],
] as const)("a caller under %s", (_, open) => {
  it(`gets the same answers from stores that differ in what is hidden from it, ${examples(60)} times`, async () => {
    const stores = [await open(), await open()] as const;
    for (let seed = testSeed; seed < testSeed + examples(60); seed++) {
      const begun: (string | undefined)[] = [];
      for (const [i, store] of stores.entries()) {
        await store.asOwner("mutation { deleteItem(filter: {}) { numUids } }");
        const { errors, extensions } = await store.asOwner(setup(randomOf(seed), randomOf(seed * 1000 + i), store));
        expect(errors).toBeUndefined();
        begun.push(extensions?.commit);
      }
      const random = randomOf(seed + 7);
      for (let i = 0; i < 25; i++) {
        const query = request(random);
        const [first, second] = [await stores[0].asCaller(query), await stores[1].asCaller(query)];
        expect(comparable(first, stores[0], begun[0]), `seed ${seed}, request ${i}: ${query}`).toEqual(comparable(second, stores[1], begun[1]));
      }
    }
  }, 300_000);
});
