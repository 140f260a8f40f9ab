// Where the rows of a table come from: pages of the generated API, or the nodes that a scan has found.

import { at, type JsonObject, objectsIn, writeJson } from "../../api/json.ts";
import type { Identity, Server } from "../../api/server.ts";
import type { ApiModel, NodeType } from "../../model/api-model.ts";
import { countQuery, filterOf, keyOf, keysQuery, type NodeKey, type Order, orderOf, pageQuery, rowSelection, rowsQuery } from "../../model/nodes.ts";
import type { Found } from "../../scan/scan.ts";

export const pageSize = 100;

export interface RowSource {
  /** Another text: other rows. */
  readonly of: string;
  /** Undefined: the source does not know. */
  readonly total: () => Promise<number | undefined>;
  readonly page: (page: number) => Promise<readonly JsonObject[]>;
  /** What names the rows, as many as can be chosen at once. */
  readonly keys: () => Promise<readonly NodeKey[]>;
  /** All rows in their order, with these values. */
  readonly all: (selection: string) => AsyncIterable<readonly JsonObject[]>;
}

const exportedAtOnce = 1_000;

/** A filter with more keys would be a longer request than servers take. */
export const mostChosen = 10_000;

export interface SourceOf {
  readonly server: Server;
  readonly identity: Identity;
  readonly model: ApiModel;
  readonly type: NodeType;
}

export function indexedRows({ server, identity, model, type }: SourceOf, filter: JsonObject | undefined, orders: readonly Order[]): RowSource {
  const order = orderOf(orders);
  return {
    of: writeJson([type.name, orders, identity, filter ?? null]),
    total: async () => {
      const data = await server.data({ query: countQuery(type), variables: filter ? { filter } : {}, as: identity });
      const count = at(data, "total", "count");
      return typeof count === "number" ? count : undefined;
    },
    page: async (page) => {
      const variables = { first: pageSize, offset: page * pageSize, ...(filter && { filter }), ...(order && { order }) };
      return objectsIn((await server.data({ query: pageQuery(type, rowSelection(model, type)), variables, as: identity })).rows);
    },
    keys: async () => {
      const variables = { first: mostChosen, ...(filter && { filter }) };
      return objectsIn((await server.data({ query: keysQuery(type), variables, as: identity })).rows).flatMap((row) => keyOf(type, row) ?? []);
    },
    all: async function* (selection) {
      for (let offset = 0; ; offset += exportedAtOnce) {
        const variables = { first: exportedAtOnce, offset, ...(filter && { filter }), ...(order && { order }) };
        const rows = objectsIn((await server.data({ query: pageQuery(type, selection), variables, as: identity })).rows);
        if (rows.length > 0) yield rows;
        if (rows.length < exportedAtOnce) return;
      }
    },
  };
}

/** @param of changes with each scan */
export function scannedRows(source: SourceOf, found: readonly Found[], of: string): RowSource {
  return {
    of,
    total: async () => found.length,
    page: (page) => rowsOf(source, found.slice(page * pageSize, (page + 1) * pageSize), rowSelection(source.model, source.type)),
    keys: async () => found.slice(0, mostChosen).flatMap(({ key }) => key ?? []),
    all: (selection) => pagesOf(source, found, selection),
  };
}

/** The rows of these nodes, with these values. */
export async function* pagesOf(source: SourceOf, found: readonly Found[], selection: string): AsyncGenerator<readonly JsonObject[]> {
  for (let from = 0; from < found.length; from += exportedAtOnce) yield await rowsOf(source, found.slice(from, from + exportedAtOnce), selection);
}

/** In the order of the scan; what was deleted since is left out. */
async function rowsOf(source: SourceOf, found: readonly Found[], selection: string): Promise<readonly JsonObject[]> {
  const keys = found.flatMap(({ key }) => key ?? []);
  const fields = [...new Set(keys.map(({ field }) => field))];
  const read = await Promise.all(
    fields.map((field) =>
      readRows(
        source,
        keys.filter((key) => key.field === field),
        selection,
      ),
    ),
  );
  const byKey = new Map(read.flat().map((row) => [nameOf(keyOf(source.type, row)), row]));
  return found.flatMap(({ key, row = byKey.get(nameOf(key)) }) => (row === undefined ? [] : [row]));
}

async function readRows({ server, identity, type }: SourceOf, keys: readonly NodeKey[], selection: string): Promise<readonly JsonObject[]> {
  const variables = { filter: filterOf(type, keys) };
  return objectsIn((await server.data({ query: rowsQuery(type, selection), variables, as: identity })).rows);
}

function nameOf(key: NodeKey | undefined): string {
  return key === undefined ? "" : `${key.field} ${writeJson(key.value)}`;
}
