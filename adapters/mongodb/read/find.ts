// Finds nodes. What conditions on links demand is looked up first where it is little, else tried on one node after the other until the page is full, and else
// looked up whatever it costs.

import type { FindRequest } from "../../../core/storage.ts";
import { findRows, type RowsRequest, typeMatches } from "./find-rows.ts";
import { namesFew } from "./kept-documents.ts";
import { hasLinks, probesOf, withoutLinks } from "./probes.ts";
import type { Reader } from "./reader.ts";
import { batchOf, type Row } from "./rows.ts";
import { joinAll, joinFew, joinKeys } from "./semi-joins.ts";
import { orderedBy, wantedOf } from "./sorted.ts";
import { mostWanted } from "./top-rows.ts";

/** Nodes and links that a condition may find before nodes are tried one after the other. To read so many takes about two milliseconds. */
const mostJoined = 500;
/** Nodes that are tried at first, beside four for each that is wanted: the database reads them together. */
const triedFirst = 50;
/** Nodes that are tried at last. One takes a tenth of a millisecond for each condition. */
const mostTried = 2_000;

export async function find(reader: Reader, request: FindRequest) {
  const rows = { ...request, ...orderedBy(reader.schema, request) };
  return batchOf(reader, await foundRows(reader, rows), request.fields);
}

async function foundRows(reader: Reader, request: Omit<RowsRequest, "joined">): Promise<Row[]> {
  const { where, page } = request;
  if (hasLinks(where)) {
    const isFew = namesFew(where, reader.schema);
    const isPage = page !== undefined && !("last" in page) && (wantedOf(page) ?? Number.POSITIVE_INFINITY) <= mostWanted;
    const joined = isFew || !isPage ? undefined : await joinFew(reader, where, mostJoined);
    if (joined !== undefined) return await findRows(reader, { ...request, joined });
    for (const most of isFew ? [undefined] : isPage ? [triedFirst + 4 * (wantedOf(page) ?? 0), mostTried] : []) {
      const tried = await triedRows(reader, request, most);
      if (tried !== undefined) return tried;
    }
  }
  return await findRows(reader, { ...request, joined: await joinAll(reader, where) });
}

/** Undefined: the nodes that were tried do not fill the page, or MongoDB cannot decide the condition. */
async function triedRows(reader: Reader, request: Omit<RowsRequest, "joined">, most: number | undefined): Promise<Row[] | undefined> {
  const { schema } = reader;
  const joined = await joinKeys(reader, request.where);
  const types = request.types.filter((type) => schema.allTypes.includes(type));
  const probes = probesOf(request.where, types, { schema, joined }, most);
  if (probes === undefined || request.order?.some(({ field }) => schema.fields.get(field)?.converted)) return undefined;
  const tried = { ...request, where: withoutLinks(request.where), joined, probes };
  if (!typeMatches(reader, tried).every(({ match }) => match.exact)) return undefined;
  const rows = await findRows(reader, tried);
  return probes.areUnfinished ? undefined : rows;
}
