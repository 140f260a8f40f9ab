// Each example directive before the directive kit, on the storage of this run; beside LevelDB also in memory and on LMDB.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { auditPlugin } from "../../examples/audit-plugin/audit-plugin.ts";
import { boundsPlugin } from "../../examples/bounds-plugin/bounds-plugin.ts";
import { encryptedPlugin } from "../../examples/encrypted-plugin/encrypted-plugin.ts";
import { lmdbStorage } from "../../examples/lmdb-store/lmdb-store.ts";
import { lowercasePlugin } from "../../examples/lowercase-plugin/lowercase-plugin.ts";
import { memoryStorage } from "../../examples/memory-store/memory-store.ts";
import { rankingPlugin } from "../../examples/ranking-plugin/ranking-plugin.ts";
import { slugPlugin } from "../../examples/slug-plugin/slug-plugin.ts";
import { softDeletePlugin } from "../../examples/soft-delete-plugin/soft-delete-plugin.ts";
import { tenantPlugin } from "../../examples/tenant-plugin/tenant-plugin.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { type DirectiveConformanceOptions, directiveConformance } from "../conformance/index.ts";
import { newStorage, storageName } from "../support/storage.ts";

const folders = mkdtempSync(join(tmpdir(), "quern-directives-"));
afterAll(() => rmSync(folders, { recursive: true, force: true }));

const common = {
  test: it,
  before: () => [identityPlugin(), searchPlugin()],
  storages: {
    [storageName]: () => newStorage(),
    ...(storageName === "level" && {
      memory: async () => memoryStorage(),
      lmdb: async () => lmdbStorage({ path: mkdtempSync(join(folders, "store-")) }),
    }),
  },
} as const satisfies Partial<DirectiveConformanceOptions>;

describe("@slug", () => {
  const schema = 'type Article {\n  id: ID!\n  title: String!\n  path: String! @slug(from: "title")\n}';
  directiveConformance({
    ...common,
    plugin: slugPlugin,
    schema,
    plain: schema.replace(' @slug(from: "title")', ""),
    api: {
      adds: [
        'path: String! @slug(from: "title")',
        "path: String",
        "getArticle(id: ID, path: String): Article",
        "addArticle(input: [AddArticleInput!]!, upsert: Boolean): AddArticlePayload",
      ],
      removes: ["path: String!", "path: String!", "getArticle(id: ID!): Article", "addArticle(input: [AddArticleInput!]!): AddArticlePayload"],
    },
    refusals: [
      { schema: 'type A { id: ID!\n name: String\n size: Int @slug(from: "name") }', message: "@slug is for String fields", line: 3 },
      { schema: 'type A { id: ID!\n name: String @slug(from: "nme") }', message: "@slug is made from another String field", line: 2 },
    ],
    steps: [
      {
        ask: 'mutation { addArticle(input: [{ title: "One & two" }]) { article { path } } }',
        answer: { addArticle: { article: [{ path: "one-two" }] } },
      },
      { ask: 'mutation { addArticle(input: [{ title: "one, two" }]) { numUids } }', refuses: "already" },
      { ask: '{ getArticle(path: "one-two") { title } }', answer: { getArticle: { title: "One & two" } } },
      { ask: "{ queryArticle { path } }", answer: { queryArticle: [{ path: "one-two" }] } },
    ],
    live: "queryArticle { title path }",
  });
});

describe("@lowercase", () => {
  const schema = "type User {\n  email: String! @id @lowercase\n  name: String\n}";
  directiveConformance({
    ...common,
    plugin: lowercasePlugin,
    schema,
    plain: schema.replace(" @lowercase", ""),
    api: { adds: ["email: String! @id @lowercase"], removes: ["email: String! @id"] },
    refusals: [{ schema: "type A { id: ID!\n size: Int @lowercase }", message: "@lowercase is for String fields", line: 2 }],
    steps: [
      { ask: 'mutation { addUser(input: [{ email: "Ada@X.org", name: "Ada" }]) { numUids } }', answer: { addUser: { numUids: 1 } } },
      { ask: 'mutation { addUser(input: [{ email: "ADA@x.org" }]) { numUids } }', refuses: "already" },
      { ask: '{ getUser(email: "aDA@x.ORG") { email name } }', answer: { getUser: { email: "ada@x.org", name: "Ada" } } },
    ],
    live: "queryUser { email name }",
  });
});

describe("@softDelete", () => {
  const schema = "type Note @softDelete {\n  id: ID!\n  text: String! @search(by: [hash])\n}";
  directiveConformance({
    ...common,
    plugin: softDeletePlugin,
    schema,
    plain: schema.replace(" @softDelete", ""),
    api: { adds: ["type Note @softDelete {"], removes: ["type Note {"] },
    refusals: [],
    steps: [
      { ask: 'mutation { addNote(input: [{ text: "a" }, { text: "b" }]) { numUids } }', answer: { addNote: { numUids: 2 } } },
      { ask: 'mutation { deleteNote(filter: { text: { eq: "a" } }) { numUids } }', answer: { deleteNote: { numUids: 1 } } },
      { ask: "{ queryNote { text } aggregateNote { count } }", answer: { queryNote: [{ text: "b" }], aggregateNote: { count: 1 } } },
    ],
    live: "queryNote { text }",
  });
});

describe("@audit", () => {
  const schema = "type Account @audit {\n  id: ID!\n  owner: String!\n}";
  directiveConformance({
    ...common,
    plugin: () => auditPlugin({ who: ({ headers }) => headers["x-user"] }),
    schema,
    plain: schema.replace(" @audit", ""),
    api: {
      adds: [
        "type Account @audit {",
        '"""One change of one object: `what` is create, set, link, unlink or remove."""',
        "type AuditEntry {",
        "node: ID!",
        "type: String!",
        "what: String!",
        "fields: [String!]!",
        "who: String",
        "at: DateTime!",
        "auditLog(node: ID, last: Int): [AuditEntry!]!",
        "}",
      ],
      removes: ["type Account {"],
    },
    refusals: [],
    steps: [
      { ask: 'mutation { addAccount(input: [{ owner: "ada" }]) { numUids } }', headers: { "x-user": "ada" }, answer: { addAccount: { numUids: 1 } } },
      { ask: "mutation { deleteAccount(filter: {}) { numUids } }", answer: { deleteAccount: { numUids: 1 } } },
      {
        ask: "{ auditLog { type what fields who } }",
        answer: {
          auditLog: [
            { type: "Account", what: "create", fields: ["Account.owner"], who: "ada" },
            { type: "Account", what: "remove", fields: [], who: null },
          ],
        },
      },
    ],
    live: "queryAccount { owner }",
    unruled: ["auditLog"],
  });
});

describe("@bounds", () => {
  const schema = "type Review {\n  id: ID!\n  stars: Int! @bounds(min: 1, max: 5)\n}";
  const add = (stars: number) => `mutation { addReview(input: [{ stars: ${stars} }]) { numUids } }`;
  directiveConformance({
    ...common,
    plugin: boundsPlugin,
    schema,
    plain: schema.replace(" @bounds(min: 1, max: 5)", ""),
    api: { adds: ["stars: Int! @bounds(min: 1, max: 5)"], removes: ["stars: Int!"] },
    refusals: [
      { schema: "type A { id: ID!\n name: String @bounds(min: 1) }", message: "@bounds is for Int, Int64 and Float fields", line: 2 },
      { schema: "type A { id: ID!\n\n size: Int @bounds(min: 2, max: 1) }", message: "min of 2 above its max of 1", line: 3 },
    ],
    steps: [
      { ask: add(0), refuses: "Review.stars is 0, and must lie between 1 and 5." },
      { ask: add(6), refuses: "must lie between 1 and 5" },
      { ask: add(1), answer: { addReview: { numUids: 1 } } },
      { ask: add(5), answer: { addReview: { numUids: 1 } } },
      { ask: "{ queryReview { stars } }", answer: { queryReview: [{ stars: 1 }, { stars: 5 }] } },
    ],
    live: "queryReview { stars }",
  });
});

describe("@encrypted", () => {
  const schema = "type Patient {\n  name: String! @id\n  diagnosis: String @encrypted\n}";
  const key = { id: "one", bytes: randomBytes(32) };
  directiveConformance({
    ...common,
    plugin: () => encryptedPlugin({ current: key }),
    schema,
    plain: schema.replace(" @encrypted", ""),
    api: {
      adds: ["diagnosis: String @encrypted"],
      removes: ["diagnosisMin: String", "diagnosisMax: String", "diagnosis", "diagnosis: String"],
    },
    refusals: [{ schema: "type A { id: ID!\n size: Int @encrypted }", message: "@encrypted is for String fields", line: 2 }],
    steps: [
      {
        ask: 'mutation { addPatient(input: [{ name: "Ada", diagnosis: "flu" }, { name: "Bea" }]) { patient { diagnosis } } }',
        answer: { addPatient: { patient: [{ diagnosis: "flu" }, { diagnosis: null }] } },
      },
      { ask: "{ queryPatient(filter: { has: diagnosis }) { name diagnosis } }", answer: { queryPatient: [{ name: "Ada", diagnosis: "flu" }] } },
    ],
    live: "queryPatient { diagnosis }",
  });
});

describe("@tenant", () => {
  const schema = "type Invoice @tenant {\n  number: String! @id\n}";
  directiveConformance({
    ...common,
    plugin: () => tenantPlugin({ tenantOf: () => "one" }),
    schema,
    plain: schema.replace(" @tenant", ""),
    api: { adds: ["type Invoice @tenant {"], removes: ["type Invoice {"] },
    refusals: [],
    steps: [
      { ask: 'mutation { addInvoice(input: [{ number: "1" }]) { invoice { number } } }', answer: { addInvoice: { invoice: [{ number: "1" }] } } },
      { ask: "{ aggregateInvoice { count } }", answer: { aggregateInvoice: { count: 1 } } },
    ],
    live: "queryInvoice { number }",
  });
});

describe("@ranked", () => {
  const schema = "type Article {\n  title: String! @id\n  text: String @ranked\n}";
  directiveConformance({
    ...common,
    plugin: rankingPlugin,
    schema,
    plain: schema.replace(" @ranked", ""),
    api: {
      adds: [
        "text: String @ranked",
        '"""An object and how well it fits."""',
        "type ArticleHit {",
        "score: Float!",
        "node: Article",
        '"""Objects, those whose text fits best first."""',
        "type ArticleRanking {",
        '"""How many fit at all."""',
        "total: Int!",
        "hits: [ArticleHit!]!",
        "rankArticle(matching: String!, filter: ArticleFilter, first: Int = 10, offset: Int = 0): ArticleRanking!",
        "}",
        "}",
      ],
      removes: ["text: String"],
    },
    refusals: [{ schema: "type A { id: ID!\n size: Int @ranked }", message: "@ranked is for String fields", line: 2 }],
    steps: [
      {
        ask: 'mutation { addArticle(input: [{ title: "a", text: "rain" }, { title: "b", text: "Rain, rain" }, { title: "c" }]) { numUids } }',
        answer: { addArticle: { numUids: 3 } },
      },
      {
        ask: '{ rankArticle(matching: "rain") { total hits { node { title } } } }',
        answer: { rankArticle: { total: 2, hits: [{ node: { title: "b" } }, { node: { title: "a" } }] } },
      },
    ],
    live: "queryArticle { text }",
  });
});
