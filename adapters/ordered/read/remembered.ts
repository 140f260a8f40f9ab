// What lasting conditions (those of rules) say of nodes, kept for as long as nothing is committed: asked once of each node, whoever reads.

import type { Predicate, Uid } from "../../../core/index.ts";
import type { Schema } from "../deploy/schema.ts";
import { chunkOf } from "../structures/column.ts";
import type { Clause, Test } from "./clauses.ts";
import type { Reader } from "./reader.ts";
import { type Stream, streamOf } from "./stream.ts";
import type { Work } from "./work.ts";

/** Nodes whose answers are kept at once, over all conditions: a byte each. */
const maxKeptNodes = 16 << 20;
/** A list that takes work to make is kept up to this length. */
const maxKeptList = 10_000;
/** With so few answers known, the records that a test reads are worth reading together. */
const fewKnown = 1_024;

type Facts = Pick<Clause, "estimate" | "listing" | "exactCount" | "records" | "covers"> & { readonly isListed: boolean };

/** 0: not asked yet. */
const no = 1;
const yes = 2;

class Answers {
  readonly facts: Facts;
  known = 0;
  list: readonly Uid[] | undefined;
  readonly #chunks = new Map<number, Uint8Array>();
  readonly #room: Room;

  constructor(facts: Facts, room: Room) {
    this.facts = facts;
    this.#room = room;
  }

  /** Of the 256 nodes of a column's chunk. */
  chunk(number: number): Uint8Array {
    let answers = this.#chunks.get(number);
    if (answers === undefined) {
      answers = new Uint8Array(256);
      this.#chunks.set(number, answers);
      this.#room.nodes += answers.length;
    }
    return answers;
  }
}

/** What is kept for one commit. Readers of an older one keep nothing; those that began before a newer one came keep theirs to themselves. */
class Room {
  readonly at: number;
  readonly answers = new Map<Predicate, Answers>();
  nodes = 0;

  constructor(at: number) {
    this.at = at;
  }
}

const rooms = new WeakMap<Schema, Room>();

function roomFor({ view, schema }: Reader): Room | undefined {
  // The writer sees what may yet be undone, a check what is damaged.
  if (view.at === Number.POSITIVE_INFINITY || view.damaged !== undefined) return undefined;
  const known = rooms.get(schema);
  if (known !== undefined && known.at > view.at) return undefined;
  if (known !== undefined && known.at === view.at && known.nodes < maxKeptNodes) return known;
  const room = new Room(view.at);
  rooms.set(schema, room);
  return room;
}

/** The clause that `compile` makes, by way of what is known already. It is made only where something is not. */
export function remembered(reader: Reader, predicate: Predicate, compile: () => Clause): Clause {
  const room = roomFor(reader);
  if (room === undefined) return compile();
  let made: Clause | undefined;
  const clause = (): Clause => {
    made ??= compile();
    return made;
  };
  const answers = room.answers.get(predicate) ?? new Answers(factsOf(clause()), room);
  room.answers.set(predicate, answers);
  const { facts, list } = answers;
  const { estimate, listing, exactCount, covers, isListed } = facts;
  return {
    estimate: list?.length ?? estimate,
    tester: () => answeredTest(answers, clause),
    records: facts.records && answers.known < fewKnown,
    cost: 1,
    ...(covers && { covers }),
    ...(list === undefined
      ? { ...(listing !== undefined && { listing }), ...(exactCount !== undefined && { exactCount }) }
      : { exactCount: list.length }),
    ...(isListed && { stream: () => keptStream(answers, clause) }),
  };
}

function factsOf({ estimate, listing, exactCount, records, covers, stream }: Clause): Facts {
  return {
    estimate,
    records,
    isListed: stream !== undefined,
    ...(listing !== undefined && { listing }),
    ...(exactCount !== undefined && { exactCount }),
    ...(covers && { covers }),
  };
}

function answeredTest(answers: Answers, clause: () => Clause): Test {
  let test: Test | undefined;
  let near = Number.NaN;
  let known: Uint8Array = unasked;
  const ask = (uid: Uid): boolean => {
    test ??= clause().tester();
    const holds = test(uid);
    const answered = answers.chunk(chunkOf(uid));
    answered[uid & 255] = holds ? yes : no;
    answers.known++;
    return holds;
  };
  const answered = (uid: Uid): boolean => {
    const number = chunkOf(uid);
    if (number !== near) {
      near = number;
      known = answers.chunk(number);
    }
    const answer = known[uid & 255];
    return answer === 0 ? ask(uid) : answer === yes;
  };
  /** A loop of its own over answers at hand takes a third of the time of a call for each. */
  const sieve = (uids: readonly Uid[]): readonly Uid[] => {
    const kept: Uid[] = [];
    let chunk = Number.NaN;
    let of: Uint8Array = unasked;
    for (let i = 0; i < uids.length; i++) {
      const uid = uids[i] ?? 0;
      const number = chunkOf(uid);
      if (number !== chunk) {
        chunk = number;
        of = answers.chunk(number);
      }
      const answer = of[uid & 255];
      if (answer === yes || (answer === 0 && ask(uid))) kept.push(uid);
    }
    return kept;
  };
  return Object.assign(answered, { sieve });
}

const unasked = new Uint8Array(256);

function* keptStream(answers: Answers, clause: () => Clause): Work<Stream> {
  if (answers.list !== undefined) return streamOf(answers.list);
  const { stream, listing = 1 } = clause();
  if (stream === undefined) return streamOf([]);
  const listed = yield* stream();
  if (listing === 1 || listed.count > maxKeptList) return listed;
  const uids: Uid[] = [];
  for (let i = 0; i < listed.chunkCount; i++) for (const uid of listed.chunk(i)) uids.push(uid);
  answers.list = uids;
  return streamOf(uids);
}
