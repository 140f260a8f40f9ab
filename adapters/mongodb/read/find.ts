// Finds nodes. What conditions on links demand is looked up first where it is little, else tried on one node after the other until the page is full, and else
// looked up whatever it costs.

import type { FindRequest } from "../../../core/storage.ts";
import { findRows, type RowsRequest } from "./find-rows.ts";
import { followedRows } from "./followed-rows.ts";
import { namesFew } from "./kept-documents.ts";
import { hasLinks } from "./probes.ts";
import type { Reader } from "./reader.ts";
import { batchOf, type Row } from "./rows.ts";
import { joinAll, joinFew } from "./semi-joins.ts";
import { orderedBy, wantedOf } from "./sorted.ts";
import { mostWanted } from "./top-rows.ts";
import { fewToTry, mostTried, triedRows } from "./tried-rows.ts";
import { canWalk, walkedRows } from "./walked-rows.ts";

/** Nodes and links that a condition may find before nodes are tried one after the other. To read so many takes about two milliseconds. */
const joinedFirst = 500;
/** The same before many nodes are tried, which takes longer than to read so many links. */
const joinedThen = 20_000;

export async function find(reader: Reader, request: FindRequest) {
  const rows = { ...request, ...orderedBy(reader.schema, request) };
  return batchOf(reader, await foundRows(reader, rows), request.fields);
}

async function foundRows(reader: Reader, request: Omit<RowsRequest, "joined">): Promise<Row[]> {
  const rows = hasLinks(request.where) ? await rowsInSteps(reader, request) : undefined;
  return rows ?? (await findRows(reader, { ...request, joined: await joinAll(reader, request.where) }));
}

/** Each step costs some times as much as the one before. Undefined: none of them ends. */
async function rowsInSteps(reader: Reader, request: Omit<RowsRequest, "joined">): Promise<Row[] | undefined> {
  const { where, page } = request;
  const { schema } = reader;
  // A router would look up the partners of one node after the other.
  if (namesFew(where, schema)) return await (schema.sharded ? followedRows(reader, request) : triedRows(reader, request, { most: undefined }));
  const wanted = page === undefined || "last" in page ? undefined : wantedOf(page);
  if (wanted === undefined || wanted > mostWanted) return undefined;
  const few = fewToTry(wanted);
  // The index of the links names the first nodes, unless each of these has many links.
  const walked = canWalk(reader, request) ? (most: number) => walkedRows(reader, request, { wanted, most }) : undefined;
  return (
    (await (walked?.(few) ?? joinedRows(reader, request, joinedFirst))) ??
    (await triedRows(reader, request, { most: few })) ??
    (await (walked?.(joinedThen) ?? joinedRows(reader, request, joinedThen))) ??
    (await triedRows(reader, request, { most: mostTried }))
  );
}

/** Undefined: the condition finds more. */
async function joinedRows(reader: Reader, request: Omit<RowsRequest, "joined">, most: number): Promise<Row[] | undefined> {
  const joined = await joinFew(reader, request.where, most);
  return joined && (await findRows(reader, { ...request, joined }));
}
