// Semi-joins: tested from a node along its links, or started from the partners when these are few.

import type { Linked, Uid, Work } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import { type Clause, recordCost, sortedListing, type Test } from "./clause.ts";
import { chooseDriver, everyTest } from "./combined.ts";
import { ofTypes, typeTest } from "./of-types.ts";
import type { Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import { ascending, type Stream, streamOf } from "./stream.ts";

/** With fewer matching partners than this, a semi-join starts from the partners. */
const selective = 5_000;

export function linked(reader: Reader, { end: name, where, atLeast }: Linked, inner: Clause): Clause {
  const end = reader.schema.ends.get(name);
  if (end === undefined) throw new TypeError(`no end ${name} in the layout`);
  const partners = end.showsAll ? [] : [ofTypes(reader, [...end.partners])];
  const wanted = where.kind === "all" ? partners : [...partners, inner];
  const starts = !end.guarded
    ? undefined
    : typeTest(
        reader,
        [...end.types].map((type) => reader.schema.typeIds.get(type) ?? 0),
      );
  const clause: Clause = {
    estimate: Number.POSITIVE_INFINITY,
    tester: () => linkTest(reader, { end, wanted, atLeast, starts }),
    records: false,
    cost: inner.records ? recordCost * 4 : 6,
    covers: [...end.types],
  };
  if (inner.stream === undefined || inner.estimate > selective) return clause;
  return {
    ...clause,
    estimate: inner.estimate * 4,
    listing: sortedListing,
    stream: () => linkSources(reader, { end, wanted: [...partners, inner], atLeast, starts }),
  };
}

interface SemiJoin {
  readonly end: EndRuntime;
  readonly wanted: readonly Clause[];
  readonly atLeast: number;
  readonly starts: Test | undefined;
}

/** Tests a node by its links. The result for a partner is kept for the next node. */
function linkTest(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Test {
  if (wanted.length === 0) return (uid) => (starts === undefined || starts(uid)) && end.lists.count(uid, reader.view) >= atLeast;
  const test = everyTest(wanted);
  const known = new Map<Uid, boolean>();
  const holds = (partner: Uid): boolean => {
    let answer = known.get(partner);
    if (answer === undefined) {
      answer = test(partner);
      if (known.size < maxKnown) known.set(partner, answer);
    }
    return answer;
  };
  return (uid) => {
    if (starts !== undefined && !starts(uid)) return false;
    if (end.lists.count(uid, reader.view) < atLeast) return false;
    const list = end.lists.open(uid, reader.view);
    let found = 0;
    for (let i = 0; i < list.chunkCount; i++) {
      if (i > 0) reader.check();
      for (const partner of list.chunk(i)) if (holds(partner) && ++found >= atLeast) return true;
    }
    return false;
  };
}

const maxKnown = 100_000;

/** Starts from the partners and counts the nodes that link to them. */
function* linkSources(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Work<Stream> {
  const partners = yield* gather(reader, yield* chooseDriver(wanted), { limit: Number.POSITIVE_INFINITY, after: 0 });
  const counts = new Map<Uid, number>();
  for (const partner of partners) {
    const sources = end.reverse.open(partner, reader.view);
    for (let i = 0; i < sources.chunkCount; i++) {
      if (i > 0) reader.check();
      for (const source of sources.chunk(i)) counts.set(source, (counts.get(source) ?? 0) + 1);
    }
    yield* reader.spend(0);
  }
  const found: Uid[] = [];
  for (const [source, count] of counts) if (count >= atLeast && (starts === undefined || starts(source))) found.push(source);
  return streamOf(ascending(found));
}
