// Verifies an import: asks two servers the same, and reports where the answers differ. Counts for every type, and all fields of random nodes.

import { type Field, formatUid, type LinkField, type Model, type NodeType, type Snapshot, type Uid, writeJson } from "../../../core/plugin.ts";

/** Sends a GraphQL query and returns its data. Integers beyond 2^53 are bigints. */
export type AskGraph = (query: string, variables: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

export interface ComparisonRequest {
  readonly model: Model;
  /** The store of the import, for the choice of nodes. */
  readonly snapshot: Snapshot;
  readonly here: AskGraph;
  readonly there: AskGraph;
  /** The number of nodes to compare. */
  readonly nodes: number;
  /** The highest uid. */
  readonly highestUid: Uid;
  readonly progress: (done: number, total: number) => void;
}

/** What was compared, and what differs. */
export interface GraphComparison {
  readonly types: number;
  readonly nodes: number;
  readonly differences: readonly GraphDifference[];
}

export interface GraphDifference {
  /** A type, or a node: `Person 0x5`. */
  readonly place: string;
  readonly field: string;
  readonly here: unknown;
  readonly there: unknown;
}

const nodesAtOnce = 50;
const linksAtMost = 1_000;
const maxDifferences = 1_000;

/** Compares what two servers answer: the counts of every type, and all fields of random nodes. */
export async function compareGraphs(request: ComparisonRequest): Promise<GraphComparison> {
  const types = [...request.model.nodeTypes.values()].filter((type) => type.kind === "object");
  const differences: GraphDifference[] = [];
  const counted = types.filter((type) => type.allows("aggregate"));
  for (const type of counted) differences.push(...(await compareCounts(request, type)));
  const chosen = await chooseNodes(request, types);
  let nodes = 0;
  for (const type of types) {
    const uids = chosen.get(type.stored) ?? [];
    for (let from = 0; from < uids.length && differences.length < maxDifferences; from += nodesAtOnce) {
      const some = uids.slice(from, from + nodesAtOnce);
      differences.push(...(await compareNodes(request, type, some)));
      nodes += some.length;
      request.progress(nodes, request.nodes);
    }
  }
  return { types: counted.length, nodes, differences };
}

async function compareCounts({ here, there }: ComparisonRequest, { name }: NodeType): Promise<readonly GraphDifference[]> {
  const query = `{ found: aggregate${name} { count } }`;
  const [own, other] = await Promise.all([here(query, {}), there(query, {})]);
  const [ours, theirs] = [countIn(own), countIn(other)];
  return ours === theirs ? [] : [{ place: name, field: "count", here: ours, there: theirs }];
}

/** A type without nodes has no aggregate, or a count of 0. */
function countIn({ found }: Readonly<Record<string, unknown>>): number {
  return typeof found === "object" && found !== null && "count" in found ? Number(found.count ?? 0) : 0;
}

/** Uids by type. The node after a random uid is as good as a random node. */
async function chooseNodes(
  { snapshot, nodes, highestUid }: ComparisonRequest,
  types: readonly NodeType[],
): Promise<ReadonlyMap<string, readonly Uid[]>> {
  const names = types.map(({ stored }) => stored);
  const chosen = new Map<string, Set<Uid>>();
  const count = Math.min(nodes, highestUid);
  for (let i = 0; i < count; i++) {
    const after = nodes >= highestUid ? i : Math.floor(Math.random() * highestUid);
    const page = await snapshot.find({ types: names, where: { kind: "after", uid: after }, page: { first: 1 }, fields: [] });
    const [uid, type] = [page.uids[0], page.types[0]];
    if (uid !== undefined && type !== undefined) chosen.set(type, (chosen.get(type) ?? new Set()).add(uid));
  }
  return new Map([...chosen].map(([type, uids]) => [type, [...uids].sort((a, b) => a - b)]));
}

async function compareNodes(request: ComparisonRequest, type: NodeType, uids: readonly Uid[]): Promise<readonly GraphDifference[]> {
  if (!type.allows("query")) return [];
  const asked = await questionOf(request, type, uids);
  if (asked === undefined) return [];
  const [here, there] = await Promise.all([request.here(asked.query, asked.variables), request.there(asked.query, asked.variables)]);
  const [ours, theirs] = [byKey(here.found, asked.key), byKey(there.found, asked.key)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((key) => differencesOf(`${type.name} ${key}`, ours.get(key), theirs.get(key)));
}

interface Question {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The field that identifies the nodes. */
  readonly key: string;
}

/** By ID; a type without one by its key. */
async function questionOf({ snapshot }: ComparisonRequest, type: NodeType, uids: readonly Uid[]): Promise<Question | undefined> {
  const fields = [...type.fields.values()].flatMap((field) => selectionOf(field) ?? []).join(" ");
  if (type.idField !== undefined) {
    const key = type.idField.name;
    return {
      key,
      variables: { keys: uids.map(formatUid) },
      query: `query ($keys: [ID!]) { found: query${type.name}(filter: { ${key}: $keys }) { ${fields} } }`,
    };
  }
  const [key] = type.keys.filter(({ field }) => field.type.name === "String" || field.type.name === "ID");
  if (key === undefined) return undefined;
  const { columns } = await snapshot.load({ uids, types: [type.stored], fields: [key.field.stored] });
  const values = (columns[0] ?? []).filter((value) => value !== undefined);
  const { name } = key.field;
  return {
    key: name,
    variables: { keys: values },
    query: `query ($keys: [String]) { found: query${type.name}(filter: { ${name}: { in: $keys } }) { ${fields} } }`,
  };
}

const points = "{ longitude latitude }";
const geometries: ReadonlyMap<string, string> = new Map([
  ["Point", points],
  ["Polygon", `{ coordinates { points ${points} } }`],
  ["MultiPolygon", `{ polygons { coordinates { points ${points} } } }`],
]);

/** How a field is asked for; undefined: it is not shown, or computed. */
function selectionOf(field: Field): string | undefined {
  if (!field.exposure.output || field.role === "computed") return undefined;
  if (field.role === "link") return linkSelection(field);
  return `${field.name}${geometries.has(field.type.name) ? ` ${geometries.get(field.type.name)}` : ""}`;
}

function linkSelection({ name, type, target, exposure }: LinkField): string | undefined {
  const page = type.list && exposure.arguments ? `(first: ${linksAtMost})` : "";
  if (target.kind === "union")
    return `${name}${page} { __typename ${target.members.map((member) => `... on ${member.name} { ${keyFieldOf(member) ?? "__typename"} }`).join(" ")} }`;
  return `${name}${page} { ${keyFieldOf(target) ?? "__typename"} }`;
}

function keyFieldOf({ idField, keys }: NodeType): string | undefined {
  return idField?.name ?? keys[0]?.field.name;
}

type Row = Readonly<Record<string, unknown>>;

function byKey(rows: unknown, key: string): ReadonlyMap<string, Row> {
  return new Map(
    (Array.isArray(rows) ? rows : []).filter((row) => typeof row === "object" && row !== null).map((row: Row) => [String(row[key]), row]),
  );
}

function differencesOf(place: string, here: Row | undefined, there: Row | undefined): readonly GraphDifference[] {
  if (here === undefined || there === undefined) return [{ place, field: "(the node)", here: here !== undefined, there: there !== undefined }];
  return Object.keys(there)
    .filter((field) => canonical(here[field]) !== canonical(there[field]))
    .map((field) => ({ place, field, here: here[field], there: there[field] }));
}

/** Lists have no order, and an empty list is as good as none. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "null" : `[${value.map(canonical).sort().join(",")}]`;
  if (typeof value !== "object" || value === null) return writeJson(value ?? null);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}:${canonical(member)}`).join(",")}}`;
}
