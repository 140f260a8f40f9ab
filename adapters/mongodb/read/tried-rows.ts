// Conditions on links, tried on one node after the other until the page is full.

import type { Document } from "mongodb";
import type { TypeName } from "../../../core/storage.ts";
import { findRows, type RowsRequest, typeMatches } from "./find-rows.ts";
import { probesOf, withoutLinks } from "./probes.ts";
import type { Reader } from "./reader.ts";
import type { Row } from "./rows.ts";
import { joinKeys } from "./semi-joins.ts";

export interface Tried {
  /** Nodes to try. Undefined: all. */
  readonly most: number | undefined;
  /** Stages that drop more documents of a type. */
  readonly first?: (type: TypeName) => readonly Document[];
}

/** Nodes that are tried at first, beside four for each that is wanted: the database reads them together. */
const triedFirst = 50;
/** Nodes that are tried at last. One takes a tenth of a millisecond for each condition. */
export const mostTried = 2_000;

/** Nodes to try at first for a page. */
export function fewToTry(wanted: number): number {
  return triedFirst + 4 * wanted;
}

/** Undefined: the nodes that were tried do not fill the page, or MongoDB cannot decide the condition, or may not. */
export async function triedRows(reader: Reader, request: Omit<RowsRequest, "joined">, { most, first }: Tried): Promise<Row[] | undefined> {
  if (!reader.mayLookUp) return undefined;
  const { schema } = reader;
  const joined = await joinKeys(reader, request.where);
  const types = request.types.filter((type) => schema.allTypes.includes(type));
  const probes = probesOf(request.where, types, { schema, joined, first }, most);
  if (probes === undefined || request.order?.some(({ field }) => schema.fields.get(field)?.converted)) return undefined;
  const tried = { ...request, where: withoutLinks(request.where), joined, probes };
  if (!typeMatches(reader, tried).every(({ match }) => match.exact)) return undefined;
  const rows = await findRows(reader, tried);
  return probes.areUnfinished ? undefined : rows;
}
