// The second table of `npm run bench -- --peers FOLDER`: what Quern offers beyond lists and filters, beside the same question by hand on the database of
// the peer (`rivals/features-by-hand.ts`). The aim is at most twice the processor time of by hand.

import { createHmac } from "node:crypto";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { type DebianPackage, type Graph, schemaText } from "./graph.ts";
import { asked, costHeads, costRow, inTurns, type Pair, type Row, type Server, started } from "./peer-servers.ts";
import { finished, runFile, runQuern, stopped } from "./processes.ts";
import { printMarkdown } from "./table.ts";

export interface PeerFeaturesOptions {
  readonly peer: string;
  readonly graph: Graph;
  readonly packages: readonly DebianPackage[];
  /** Of the peer, loaded. */
  readonly database: string;
  readonly folder: string;
  readonly connections: number;
  readonly seconds: number;
  readonly only: string | undefined;
}

const secret = "bench";
const vectors = 10_000;
const dimensions = 64;

/** One feature, as each of the servers is asked for it. */
interface Feature {
  readonly name: string;
  readonly query: string;
  readonly other: string;
  readonly variables: Variables | ((server: Server, isQuern: boolean) => Promise<Variables>);
  /** Asked with a token, of the server with rules. */
  readonly ruled?: boolean;
}

type Variables = readonly Readonly<Record<string, unknown>>[];

export async function printPeerFeatures(options: PeerFeaturesOptions): Promise<void> {
  const features = featuresOf(options.packages).filter(({ name }) => options.only === undefined || name.includes(options.only));
  if (features.length === 0) return;
  const folder = mkdtempSync(join(options.folder, "features-"));
  const plain = join(folder, "store");
  const ruled = join(folder, "ruled");
  await loadQuern(plain, folder, options.graph);
  cpSync(plain, ruled, { recursive: true });
  const quern = await startQuern(plain, join(folder, "features.graphql"));
  const withRules = await startQuern(ruled, schemaFile(join(folder, "ruled.graphql"), ruledSchema(options.graph)));
  const other = await startByHand(folder, options);
  try {
    const rows: string[][] = [];
    for (const feature of features) {
      const pair: Pair = [feature.ruled ? withRules : quern, other];
      rows.push(costRow(feature.name, await inTurns(await rowOf(feature, pair, options.connections), pair, { seconds: options.seconds, folder })));
    }
    printMarkdown(costHeads, rows);
  } finally {
    await Promise.all([quern, withRules, other].map(({ child }) => stopped(child)));
  }
}

async function rowOf(feature: Feature, [quern, other]: Pair, connections: number): Promise<Row> {
  const { name, variables } = feature;
  const headers: Row["headers"] = feature.ruled ? { authorization: token() } : {};
  const bodies = async (server: Server, query: string) => {
    const each = typeof variables === "function" ? await variables(server, server === quern) : variables;
    const texts = each.map((one) => JSON.stringify({ query, variables: one }));
    // A fast wrong answer is no figure.
    await asked(server.url, texts[0] ?? "", headers);
    return texts;
  };
  return { name, connections, headers, bodies: await bodies(quern, feature.query), otherBodies: await bodies(other, feature.other) };
}

// ---- questions ----------------------------------------------------------------------------------------------------------

function featuresOf(packages: readonly DebianPackage[]): readonly Feature[] {
  const sections = [...new Set(packages.map(({ section }) => section))].map((section) => ({ section }));
  const emails = [...new Set(packages.map(({ maintainer }) => maintainer.email))].slice(0, 2_000).map((email) => ({ email }));
  const shown = "name installedSizeKiB";
  const names = packages.filter((_, i) => i % 31 === 0).map(({ name }) => name);
  const tens = names.flatMap((_, i) => (i % 10 === 0 ? [names.slice(i, i + 10)] : []));
  return [
    {
      name: "DQL: ten of a section by size",
      query: `query ($section: String!) { largest(section: $section) { ${shown} } }`,
      other: `query ($section: String!) { largest(section: $section) { ${shown} } }`,
      variables: sections,
    },
    {
      name: "relation: ten of a maintainer by size",
      query: `query ($email: String!) { queryPackage(filter: { maintainer: { email: { eq: $email } } }, order: { desc: installedSizeKiB }, first: 10) { ${shown} } }`,
      other: `query ($email: String!) { maintained(email: $email) { ${shown} } }`,
      variables: emails,
    },
    {
      name: "relation: maintainers of more than N packages, most first",
      query:
        "query ($n: Int!) { queryMaintainer(filter: { packages: { count: { gt: $n } } }, order: { packages: { desc: count } }, first: 10) { email } }",
      other: "query ($n: Int!) { maintainersOver(n: $n) { email } }",
      variables: Array.from({ length: 50 }, (_, i) => ({ n: 50 + i })),
    },
    {
      name: "groups: a section by priority, count and mean",
      query:
        "query ($section: String!) { groupPackage(by: [{ field: priority }], filter: { section: { eq: $section } }) { key { priority } count installedSizeKiBAvg } }",
      other: "query ($section: String!) { priorities(section: $section) { priority count installedSizeKiBAvg } }",
      variables: sections,
    },
    {
      name: "groups: all by section, count and mean",
      query: "{ groupPackage(by: [{ field: section }]) { key { section } count installedSizeKiBAvg } }",
      other: "{ sections { section count installedSizeKiBAvg } }",
      variables: [{}],
    },
    {
      name: "connection: a page of ten by size",
      query: `query ($after: String) { queryPackageConnection(order: { desc: installedSizeKiB }, first: 10, after: $after) { edges { cursor node { ${shown} } } pageInfo { hasNextPage endCursor } } }`,
      other: `query ($after: String) { page(after: $after) { edges { cursor node { ${shown} } } pageInfo { hasNextPage endCursor } } }`,
      variables: cursors,
    },
    {
      name: "vectors: ten nearest of 10,000",
      query: "query ($vector: [Float!]!) { queryShade(near: { by: vector, vector: $vector, topK: 10 }) { name vector_distance } }",
      other: "query ($vector: [Float!]!) { nearest(vector: $vector) { name vector_distance } }",
      variables: Array.from({ length: 200 }, (_, i) => ({ vector: vectorOf(vectors + i) })),
    },
    {
      name: "federation: _entities, ten by key",
      query: `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Package { ${shown} } } }`,
      other: `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Package { ${shown} } } }`,
      variables: tens.map((ten) => ({ of: ten.map((name) => ({ __typename: "Package", name })) })),
    },
    {
      name: "rules: by key, of the caller's sections",
      query: "query ($name: String!) { getPackage(name: $name) { name version section installedSizeKiB summary } }",
      other: "query ($name: String!) { allowedPackage(name: $name) { name version section installedSizeKiB summary } }",
      variables: names.map((name) => ({ name })),
      ruled: true,
    },
    {
      name: "rules: ten by size, of the caller's sections",
      query: `query ($offset: Int) { queryPackage(order: { desc: installedSizeKiB }, first: 10, offset: $offset) { ${shown} } }`,
      other: `query ($offset: Int) { allowedBySize(offset: $offset) { ${shown} } }`,
      variables: Array.from({ length: 50 }, (_, offset) => ({ offset })),
      ruled: true,
    },
  ];
}

/** The cursors of a hundred pages, which each server writes in its own way. */
async function cursors({ url }: Server, isQuern: boolean): Promise<Variables> {
  const [field, order] = isQuern ? ["queryPackageConnection", "order: { desc: installedSizeKiB }, first: 10, "] : ["page", ""];
  const query = `query ($after: String) { connection: ${field}(${order}after: $after) { pageInfo { endCursor } } }`;
  const found: { after: string | null }[] = [{ after: null }];
  for (let i = 0; i < 100; i++) {
    const { connection } = (await asked(url, JSON.stringify({ query, variables: found.at(-1) }))) as {
      readonly connection: { readonly pageInfo: { readonly endCursor: string | null } };
    };
    found.push({ after: connection.pageInfo.endCursor });
  }
  return found;
}

/** In a hundred clusters, as those of texts lie. */
function vectorOf(index: number): readonly number[] {
  const cluster = index % 100;
  return Array.from({ length: dimensions }, (_, i) => round(Math.sin(cluster * 12.9898 + i * 78.233) + 0.3 * Math.sin(index * 39.346 + i * 11.135)));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

// ---- servers ------------------------------------------------------------------------------------------------------------

function featuresSchema(graph: Graph): string {
  return `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
${schemaText(graph)
  .replace(/type Package\b/, `type Package @key(fields: "name") @paged @groupBy(fields: ["section", "priority"])`)
  .replace("maintainer: Maintainer\n", "maintainer: Maintainer @search\n")
  .replace("packages: [Package] @hasInverse(field: maintainer)", "packages: [Package] @hasInverse(field: maintainer) @search")}
type Shade { name: String! @id  vector: [Float!] @embedding @search(by: ["hnsw(metric: cosine)"]) }
type Query {
  largest(section: String!): [Package] @custom(dql: """
    query q($section: string) { largest(func: eq(Package.section, $section), orderdesc: Package.installedSizeKiB, first: 10) {
      name: Package.name  installedSizeKiB: Package.installedSizeKiB } }
  """)
}
`;
}

/** @see `claims` */
function ruledSchema(graph: Graph): string {
  const rule = "query ($SECTIONS: [String!]) { queryPackage(filter: { section: { in: $SECTIONS } }) { name } }";
  return `${featuresSchema(graph).replace(/type Package\b/, `type Package @auth(query: { rule: ${JSON.stringify(rule)} })`)}
# Service.Authorization {"Header":"Authorization","Namespace":"app","VerificationKey":"${secret}","Algo":"HS256"}
`;
}

const claims = { SECTIONS: ["libs", "python", "games", "doc"] };

function token(): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256" })}.${encode({ app: claims })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

async function loadQuern(store: string, folder: string, graph: Graph): Promise<void> {
  const schema = schemaFile(join(folder, "features.graphql"), featuresSchema(graph));
  const shades = join(folder, "shades.ndjson");
  writeFileSync(shades, Array.from({ length: vectors }, (_, i) => JSON.stringify({ name: `shade ${i}`, vector: vectorOf(i) })).join("\n"));
  await finished(runQuern(["import", graph.file, "--type", "Package", "--data", store, "--schema", schema]));
  await finished(runQuern(["import", shades, "--type", "Shade", "--data", store]));
}

function schemaFile(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}

const ready = JSON.stringify({ query: "{ __typename }" });

async function startQuern(store: string, schema: string): Promise<Server> {
  return await started(runQuern(["start", "--data", store, "--schema", schema, "--port", String(await freePort())]), ready);
}

async function startByHand(folder: string, { peer, database }: PeerFeaturesOptions): Promise<Server> {
  const port = String(await freePort());
  const args = [peer, database, join(folder, "shades.ndjson"), port, secret];
  return await started(runFile(new URL("rivals/features-by-hand.ts", import.meta.url), args), ready, `http://127.0.0.1:${port}/graphql`);
}
