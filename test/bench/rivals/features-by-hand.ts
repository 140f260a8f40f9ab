// What somebody writes by hand for the questions of `peer-features.ts`: Mercurius with graphql-jit over prepared statements of SQLite, on the packages and
// the database of a peer. Arguments: the peer's folder, its database, a file of vectors, a port, the secret of tokens.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [peer = "", database = "", shadesFile = "", port = "0", secret = ""] = process.argv.slice(2);
const load = createRequire(join(peer, "package.json"));

type Row = Readonly<Record<string, unknown>>;
interface Statement {
  all(...values: readonly unknown[]): readonly Row[];
  get(...values: readonly unknown[]): Row | undefined;
}
interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
}
interface App {
  register(plugin: unknown, options: object): unknown;
  listen(options: object): Promise<unknown>;
}
interface Asker {
  readonly sections: readonly string[];
}

const Sqlite: new (file: string) => Database = load("better-sqlite3");
const fastify: () => App = load("fastify");
const mercurius: unknown = load("mercurius");

const db = new Sqlite(database);
db.pragma("journal_mode=WAL");
db.pragma("cache_size=-131072");
db.pragma("mmap_size=268435456");

const schema = `
  scalar _Any
  union _Entity = Package
  type Package { name: String!  version: String!  section: String  priority: String  installedSizeKiB: Int  summary: String }
  type Maintainer { email: String!  name: String }
  type Group { section: String  priority: String  count: Int!  installedSizeKiBAvg: Float }
  type PageInfo { hasNextPage: Boolean!  endCursor: String }
  type Edge { cursor: String!  node: Package! }
  type Connection { edges: [Edge!]!  pageInfo: PageInfo! }
  type Shade { name: String!  vector_distance: Float }
  type Query {
    largest(section: String!): [Package!]!
    maintained(email: String!): [Package!]!
    maintainersOver(n: Int!): [Maintainer!]!
    priorities(section: String!): [Group!]!
    sections: [Group!]!
    page(after: String): Connection!
    nearest(vector: [Float!]!): [Shade!]!
    allowedPackage(name: String!): Package
    allowedBySize(offset: Int): [Package!]!
    _entities(representations: [_Any!]!): [_Entity]!
  }
`;

const largest = db.prepare("select * from package where section = ? order by installedSizeKiB desc limit 10");
const maintained = db.prepare(
  "select p.* from maintainer m join package p on p.maintainer = m.id where m.email = ? order by p.installedSizeKiB desc limit 10",
);
const maintainersOver = db.prepare(
  "select m.email, m.name from maintainer m join package p on p.maintainer = m.id group by m.id having count(*) > ? order by count(*) desc limit 10",
);
const priorities = db.prepare(
  "select priority, count(*) count, avg(installedSizeKiB) installedSizeKiBAvg from package where section = ? group by priority",
);
const sections = db.prepare("select section, count(*) count, avg(installedSizeKiB) installedSizeKiBAvg from package group by section");
const firstPage = db.prepare("select * from package order by installedSizeKiB desc, id limit 11");
const nextPage = db.prepare(
  `select * from (select * from package where installedSizeKiB = @size and id > @id order by id limit 11)
   union all select * from (select * from package where installedSizeKiB < @size order by installedSizeKiB desc, id limit 11) limit 11`,
);
const byName = db.prepare("select * from package where name = ?");
const allowedPackage = db.prepare("select * from package where name = ? and section in (select value from json_each(?))");
const allowedBySize = db.prepare(
  "select * from package where section in (select value from json_each(?)) order by installedSizeKiB desc limit 10 offset ?",
);

const resolvers = {
  Query: {
    largest: (_: unknown, { section }: Row) => largest.all(section),
    maintained: (_: unknown, { email }: Row) => maintained.all(email),
    maintainersOver: (_: unknown, { n }: Row) => maintainersOver.all(n),
    priorities: (_: unknown, { section }: Row) => priorities.all(section),
    sections: () => sections.all(),
    page: (_: unknown, { after }: Row) => page(typeof after === "string" ? after : undefined),
    nearest: (_: unknown, { vector }: { readonly vector: readonly number[] }) => nearest(vector),
    allowedPackage: (_: unknown, { name }: Row, asker: Asker) => allowedPackage.get(name, JSON.stringify(asker.sections)),
    allowedBySize: (_: unknown, { offset = 0 }: Row, asker: Asker) => allowedBySize.all(JSON.stringify(asker.sections), offset),
    _entities: (_: unknown, { representations }: { readonly representations: readonly Row[] }) => representations.map(({ name }) => byName.get(name)),
  },
  _Entity: { resolveType: () => "Package" },
};

function page(after: string | undefined): unknown {
  const place = after === undefined ? undefined : JSON.parse(Buffer.from(after, "base64url").toString());
  const rows = place === undefined ? firstPage.all() : nextPage.all(place);
  const edges = rows.slice(0, 10).map((node) => ({ node, cursor: cursorOf(node) }));
  return { edges, pageInfo: { hasNextPage: rows.length > 10, endCursor: edges.at(-1)?.cursor } };
}

function cursorOf({ id, installedSizeKiB: size }: Row): string {
  return Buffer.from(JSON.stringify({ size, id })).toString("base64url");
}

// ---- vectors: every one of them is compared ------------------------------------------------------------------------------

interface Shade {
  readonly name: string;
  readonly vector: Float32Array;
}

const shades = readFileSync(shadesFile, "utf8").split("\n").map(readShade);

function readShade(line: string): Shade {
  const { name, vector }: { readonly name: string; readonly vector: readonly number[] } = JSON.parse(line);
  return { name, vector: unit(vector) };
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (each) => each / length);
}

function nearest(vector: readonly number[]): readonly unknown[] {
  const to = unit(vector);
  const best: { name: string; vector_distance: number }[] = [];
  for (const { name, vector: other } of shades) {
    let product = 0;
    for (let i = 0; i < to.length; i++) product += (to[i] ?? 0) * (other[i] ?? 0);
    const distance = 1 - product;
    if (best.length === 10 && distance >= (best[9]?.vector_distance ?? 0)) continue;
    const place = best.findIndex((each) => each.vector_distance > distance);
    best.splice(place < 0 ? best.length : place, 0, { name, vector_distance: distance });
    if (best.length > 10) best.pop();
  }
  return best;
}

// ---- tokens -------------------------------------------------------------------------------------------------------------

/** By token, as a server keeps those that it has verified. */
const verified = new Map<string, Asker>();

function askerOf(token: string | undefined): Asker {
  const known = verified.get(token ?? "");
  if (known) return known;
  const [head = "", body = "", signature = ""] = (token ?? "").split(".");
  const expected = createHmac("sha256", secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { sections: [] };
  const asker = { sections: JSON.parse(Buffer.from(body, "base64url").toString()).app.SECTIONS };
  if (verified.size < 1_000) verified.set(token ?? "", asker);
  return asker;
}

const app = fastify();
app.register(mercurius, {
  schema,
  resolvers,
  jit: 1,
  cache: true,
  context: ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) => askerOf(headers.authorization),
});
await app.listen({ port: Number(port), host: "127.0.0.1" });
