// Reads all nodes that the indexes leave, page by page, and keeps those that match: what an index would answer at once.

import { at, type Json, type JsonObject, objectsIn } from "../api/json.ts";
import type { Identity, Server } from "../api/server.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { planOf } from "../model/filter-plan.ts";
import { compareValues, type IndexAnswers, indexOnlyIn, orderValue, residueOf, selectionOf, testOf } from "../model/filter-test.ts";
import type { Condition, Group } from "../model/filter-tree.ts";
import { countQuery, fieldSelection, keyName, keyOf, keysQuery, type NodeKey, type Order, rowSelection } from "../model/nodes.ts";

export interface Scan {
  readonly server: Server;
  readonly identity: Identity;
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly filter: Group;
  readonly orders: readonly Order[];
}

export interface Progress {
  readonly read: number;
  /** Undefined: not known. */
  readonly total: number | undefined;
  readonly found: number;
}

/** A node that matches: its key, or all of it where nothing identifies it. */
export type Found = { readonly key: NodeKey; readonly row?: never } | { readonly key?: never; readonly row: JsonObject };

const pageSize = 2_000;
/** As many as a table can show. */
const maxFound = 500_000;

/** Whether the view needs a scan. Throws with the field whose value is not valid. */
export function needsScan({ model, type, filter, orders }: Pick<Scan, "model" | "type" | "filter" | "orders">): boolean {
  return !planOf(model, type, filter).isExact || orders.some(({ field }) => !type.orderable.has(field));
}

/** What matches, in the order of the view. A signal ends it with what was found so far. */
export async function scan(of: Scan, { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void }) {
  const { server, identity, model, type, filter, orders } = of;
  const { indexed } = planOf(model, type, filter);
  const residue = residueOf(model, type, filter);
  const test = testOf(model, type, residue, await indexAnswers(of, residue, signal));
  const variables = indexed === undefined ? {} : { filter: indexed };
  const counted = await server.data({ query: countQuery(type), variables, as: identity, signal });
  const count = at(counted, "total", "count");
  const total = typeof count === "number" ? count : undefined;
  const sorted = orders.flatMap(({ field, direction }) => {
    const found = type.fields.find(({ name }) => name === field);
    return found ? [{ field: found, sign: direction === "asc" ? 1 : -1 }] : [];
  });
  const query = scanQuery(of, sorted);
  const found: { readonly node: Found; readonly values: readonly Json[] }[] = [];
  let read = 0;
  while (!signal.aborted && found.length < maxFound) {
    const rows = objectsIn((await pageAt(read)).rows);
    read += rows.length;
    for (const row of rows) if (test(row)) found.push({ node: foundIn(type, row), values: sorted.map(({ field }) => orderValue(model, field, row)) });
    onProgress({ read, total, found: found.length });
    if (rows.length < pageSize) break;
  }
  found.sort((one, other) => compareAll(sorted, one.values, other.values));
  return found.map(({ node }) => node);

  async function pageAt(offset: number): Promise<JsonObject> {
    try {
      return await server.data({ query, variables: { ...variables, first: pageSize, offset }, as: identity, signal });
    } catch (thrown) {
      if (signal.aborted) return {};
      throw thrown;
    }
  }
}

/** Asks the indexes which nodes match what only they can answer. */
async function indexAnswers({ server, identity, model, type }: Scan, residue: Group, signal: AbortSignal): Promise<IndexAnswers> {
  const answers = new Map<Condition, ReadonlySet<string>>();
  for (const { type: owner, condition } of indexOnlyIn(model, type, residue)) {
    const filter = planOf(model, owner, condition).indexed;
    const data = await server.data({ query: keysQuery(owner), variables: { first: maxFound, filter }, as: identity, signal });
    answers.set(
      condition,
      new Set(
        objectsIn(data.rows)
          .flatMap((row) => keyOf(owner, row) ?? [])
          .map(keyName),
      ),
    );
  }
  return answers;
}

interface Sorted {
  readonly field: Field;
  readonly sign: number;
}

function scanQuery({ model, type, filter }: Scan, sorted: readonly Sorted[]): string {
  const [parameters, args] = type.filter ? [`$filter: ${type.filter.name}, `, "filter: $filter, "] : ["", ""];
  const fields = [
    ...type.keys.map(({ name }) => name),
    ...selectionOf(model, type, residueOf(model, type, filter)),
    ...sorted.map(({ field }) => fieldSelection(model, field)),
  ];
  const selection = type.keys.length === 0 ? rowSelection(model, type) : `{ __typename ${[...new Set(fields)].join(" ")} }`;
  return `query Scan(${parameters}$first: Int, $offset: Int) { rows: ${type.query}(${args}first: $first, offset: $offset) ${selection} }`;
}

function foundIn(type: NodeType, row: JsonObject): Found {
  const key = keyOf(type, row);
  return key === undefined ? { row } : { key };
}

/** What has no value comes last, both ways, as in the orders of indexes. */
function compareAll(sorted: readonly Sorted[], one: readonly Json[], other: readonly Json[]): number {
  for (const [place, { field, sign }] of sorted.entries()) {
    const [a = null, b = null] = [one[place], other[place]];
    const difference = a === null || b === null ? Number(a === null) - Number(b === null) : sign * compareValues(field, a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}
