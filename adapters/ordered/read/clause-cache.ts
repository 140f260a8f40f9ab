// What lasting conditions (those of rules) say of nodes, kept for as long as nothing is committed: asked once of each node, whoever reads.

import type { Predicate, Uid } from "../../../core/index.ts";
import type { LayoutRuntime } from "../deploy/layout-runtime.ts";
import type { Clause, Test } from "./clause.ts";
import type { Reader } from "./reader.ts";
import { type Stream, streamOf } from "./stream.ts";
import type { Work } from "./work.ts";

/** What all conditions together may keep. */
const maxKeptBytes = 32 << 20;
/** A condition's own share, and that of a node in a list. */
const conditionBytes = 256;
const listedBytes = 8;
/** A list that takes work to make is kept up to this length. */
const maxKeptList = 10_000;
/** With so few answers known, the records that a test reads are worth reading together. */
const fewKnown = 1_024;

/** What a clause says of itself. */
type Facts = Pick<Clause, "estimate" | "listing" | "exactCount" | "covers" | "cost">;

/** A byte each. Of nodes that lie far apart, as those of one value do, several are still in one page. */
const pageNodes = 4_096;

function pageOf(uid: Uid): number {
  return uid < 0x7fff_ffff ? uid >> 12 : Math.floor(uid / pageNodes);
}

/** 0: not asked yet. */
const no = 1;
const yes = 2;

class Answers {
  facts: Facts;
  readonly records: boolean;
  readonly isListed: boolean;
  readonly isAmong: boolean;
  known = 0;
  list: readonly Uid[] | undefined;
  readonly #pages: (Uint8Array | undefined)[] = [];
  readonly #room: Room;

  constructor({ estimate, listing, exactCount, covers, records, stream, among }: Clause, room: Room) {
    this.facts = {
      estimate,
      cost: 1,
      ...(listing !== undefined && { listing }),
      ...(exactCount !== undefined && { exactCount }),
      ...(covers && { covers }),
    };
    this.records = records;
    this.isListed = stream !== undefined;
    this.isAmong = among !== undefined;
    this.#room = room;
    room.bytes += conditionBytes;
  }

  keep(list: readonly Uid[]): void {
    const { listing, ...facts } = this.facts;
    this.list = list;
    this.#room.bytes += list.length * listedBytes;
    this.facts = { ...facts, estimate: list.length, exactCount: list.length };
  }

  page(number: number): Uint8Array {
    let answers = this.#pages[number];
    if (answers === undefined) {
      answers = new Uint8Array(pageNodes);
      this.#pages[number] = answers;
      this.#room.bytes += answers.length;
    }
    return answers;
  }
}

/** What is kept for one commit. Readers of an older one keep nothing; those that began before a newer one came keep theirs to themselves. */
class Room {
  readonly at: number;
  readonly answers = new Map<Predicate, Answers>();
  bytes = 0;

  constructor(at: number) {
    this.at = at;
  }
}

const rooms = new WeakMap<LayoutRuntime, Room>();

function roomFor({ view, schema }: Reader): Room | undefined {
  // The writer sees what may yet be undone, a check what is damaged.
  if (view.at === Number.POSITIVE_INFINITY || view.damaged !== undefined) return undefined;
  const known = rooms.get(schema);
  if (known !== undefined && known.at > view.at) return undefined;
  if (known !== undefined && known.at === view.at && known.bytes < maxKeptBytes) return known;
  const room = new Room(view.at);
  rooms.set(schema, room);
  return room;
}

/** The clause that `compile` makes, by way of what is known already. It is made only where something is not. */
export function cachedClause(reader: Reader, predicate: Predicate, compile: () => Clause): Clause {
  const room = roomFor(reader);
  if (room === undefined) return compile();
  let made: Clause | undefined;
  const clause = (): Clause => {
    made ??= compile();
    return made;
  };
  let answers = room.answers.get(predicate);
  if (answers === undefined) {
    answers = new Answers(clause(), room);
    room.answers.set(predicate, answers);
  }
  const asked = answers;
  const { facts } = asked;
  const tester = () => answeredTest(asked, clause);
  const records = asked.records && asked.known < fewKnown;
  if (!asked.isListed) return { ...facts, records, tester };
  const stream = () => keptStream(asked, clause);
  if (!asked.isAmong || asked.list !== undefined) return { ...facts, records, tester, stream };
  return { ...facts, records, tester, stream, among: () => clause().among?.() ?? stream() };
}

function answeredTest(answers: Answers, clause: () => Clause): Test {
  let test: Test | undefined;
  let near = Number.NaN;
  let known: Uint8Array = unasked;
  const ask = (uid: Uid): boolean => {
    test ??= clause().tester();
    const holds = test(uid);
    const answered = answers.page(pageOf(uid));
    answered[uid % pageNodes] = holds ? yes : no;
    answers.known++;
    return holds;
  };
  function answered(uid: Uid): boolean {
    const number = pageOf(uid);
    if (number !== near) {
      near = number;
      known = answers.page(number);
    }
    const answer = known[uid % pageNodes];
    return answer === 0 ? ask(uid) : answer === yes;
  }
  /** A loop of its own over answers at hand takes a third of the time of a call for each. Where all pass, nothing is copied. */
  answered.sieve = (uids: readonly Uid[]): readonly Uid[] => {
    let kept: Uid[] | undefined;
    let page = Number.NaN;
    let of: Uint8Array = unasked;
    for (let i = 0; i < uids.length; i++) {
      const uid = uids[i] ?? 0;
      const number = pageOf(uid);
      if (number !== page) {
        page = number;
        of = answers.page(number);
      }
      const answer = of[uid % pageNodes];
      if (answer === yes || (answer === 0 && ask(uid))) kept?.push(uid);
      else kept ??= uids.slice(0, i);
    }
    return kept ?? uids;
  };
  return answered;
}

const unasked = new Uint8Array(0);

function* keptStream(answers: Answers, clause: () => Clause): Work<Stream> {
  if (answers.list !== undefined) return streamOf(answers.list);
  const { stream, listing = 1 } = clause();
  if (stream === undefined) return streamOf([]);
  const listed = yield* stream();
  if (listing === 1 || listed.count > maxKeptList) return listed;
  const uids: Uid[] = [];
  for (let i = 0; i < listed.chunkCount; i++) for (const uid of listed.chunk(i)) uids.push(uid);
  answers.keep(uids);
  return streamOf(uids);
}
