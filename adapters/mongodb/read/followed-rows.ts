// Conditions on links of few nodes that are named, where no stage may look up their partners: the nodes are read first, then what their links lead to.

import type { Linked, Predicate, Uid } from "../../../core/storage.ts";
import { findRows, type RowsRequest, rowMatcher } from "./find-rows.ts";
import { followingOf, partnersOf } from "./follow.ts";
import { linksIn, withoutLinks } from "./probes.ts";
import type { Reader } from "./reader.ts";
import { cutRows } from "./row-order.ts";
import { namesIn, type Row } from "./rows.ts";
import type { SemiJoinResult } from "./semi-join-result.ts";
import { joinKeys } from "./semi-joins.ts";

export async function followedRows(reader: Reader, request: Omit<RowsRequest, "joined">): Promise<Row[]> {
  const { where, order = [], after, page } = request;
  const joined = new Map<Predicate, SemiJoinResult>(await joinKeys(reader, where));
  const named = withoutLinks(where);
  const fields = [...request.fields, ...order.map((key) => key.field), ...namesIn(reader.schema, where)];
  const rows = await findRows(reader, { types: request.types, where: named, joined, fields });
  const uids = rows.map((row) => row.uid);
  for (const linked of linksIn(where)) joined.set(linked, { by: "uid", uids: await withPartners(reader, uids, linked) });
  return await cutRows(reader, rows.filter(rowMatcher(reader, where, joined)), { order, after, page });
}

/** Those of the nodes that have as many partners as the condition demands. */
async function withPartners(reader: Reader, uids: readonly Uid[], { end, where, atLeast }: Linked): Promise<readonly Uid[]> {
  const following = await followingOf(reader, { from: uids, end, where, fields: [] });
  if (following === undefined) return [];
  const partners = await partnersOf(reader, following);
  return uids.filter((uid) => (partners.get(uid)?.length ?? 0) >= atLeast);
}
