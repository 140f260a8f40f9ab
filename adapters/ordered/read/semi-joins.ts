// Semi-joins: tested from a node along its links, or started from the partners when these are few.

import type { Linked, Uid, Work } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import type { PostingList } from "../structures/posting-list.ts";
import { type Answer, type Clause, recordCost, sortedListing, type Test } from "./clause.ts";
import { chooseDriver, everyTest } from "./combined.ts";
import { askInTurns, remembering } from "./long-tests.ts";
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
    ...(wanted.length > 0 && { mayTakeLong: true }),
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

/** A node with more partners is tested in turns by whoever can pause. */
const manyPartners = 64;
const maxKnown = 100_000;

/** Tests a node by its links. The result for a partner is kept for the next node. */
function linkTest(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Test {
  const isStart = (uid: Uid) => starts === undefined || starts(uid);
  if (wanted.length === 0) return (uid) => isStart(uid) && end.lists.count(uid, reader.view) >= atLeast;
  const test = remembering(everyTest(wanted), maxKnown);
  const records = wanted.some((clause) => clause.records);
  const partnersOf = (uid: Uid) => ({ partners: end.lists.open(uid, reader.view), test, atLeast, records });
  const inTurns = (uid: Uid): Answer => {
    if (!isStart(uid)) return false;
    const wants = partnersOf(uid);
    return wants.partners.count > manyPartners ? enoughInTurns(reader, wants) : (enough(wants) ?? enoughInTurns(reader, wants));
  };
  return Object.assign((uid: Uid) => isStart(uid) && enoughAtOnce(reader, partnersOf(uid)), { inTurns });
}

/** Whether so many of the partners pass. */
interface Wanted {
  readonly partners: PostingList;
  readonly test: Test;
  readonly atLeast: number;
  /** The test reads records. */
  readonly records: boolean;
}

/** Undefined: a test of a partner takes long. */
function enough({ partners, test, atLeast }: Wanted): boolean | undefined {
  if (partners.count < atLeast) return false;
  let found = 0;
  for (let i = 0; i < partners.chunkCount; i++) {
    for (const partner of partners.chunk(i)) {
      const answer = askInTurns(test, partner);
      if (typeof answer !== "boolean") return undefined;
      if (answer && ++found >= atLeast) return true;
    }
  }
  return false;
}

function enoughAtOnce(reader: Reader, { partners, test, atLeast }: Wanted): boolean {
  if (partners.count < atLeast) return false;
  let found = 0;
  for (let i = 0; i < partners.chunkCount; i++) {
    if (i > 0) reader.check();
    for (const partner of partners.chunk(i)) if (test(partner) && ++found >= atLeast) return true;
  }
  return false;
}

function* enoughInTurns(reader: Reader, { partners, test, atLeast, records }: Wanted): Work<boolean> {
  if (partners.count < atLeast) return false;
  let found = 0;
  for (let i = 0; i < partners.chunkCount; i++) {
    const chunk = partners.chunk(i);
    if (records) yield* reader.prefetch(chunk);
    for (const [n, partner] of chunk.entries()) {
      const answer = askInTurns(test, partner);
      if ((typeof answer === "boolean" ? answer : yield* answer) && ++found >= atLeast) return true;
      if (n % testsBetweenLooks === testsBetweenLooks - 1) yield* reader.spend(0);
    }
    yield* reader.spend(0);
  }
  return false;
}

const testsBetweenLooks = 32;

const sourcesBetweenLooks = 4_096;

/** Starts from the partners and counts the nodes that link to them. */
function* linkSources(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Work<Stream> {
  const partners = yield* gather(reader, yield* chooseDriver(wanted), { limit: Number.POSITIVE_INFINITY, after: 0 });
  const counts = new Map<Uid, number>();
  for (const partner of partners) {
    const sources = end.reverse.open(partner, reader.view);
    for (let i = 0; i < sources.chunkCount; i++) {
      if (i > 0) yield* reader.spend(0);
      for (const source of sources.chunk(i)) counts.set(source, (counts.get(source) ?? 0) + 1);
    }
    yield* reader.spend(0);
  }
  const found: Uid[] = [];
  let looked = 0;
  for (const [source, count] of counts) {
    if (count >= atLeast && (starts === undefined || starts(source))) found.push(source);
    if (++looked % sourcesBetweenLooks === 0) yield* reader.spend(0);
  }
  return streamOf(ascending(found));
}
