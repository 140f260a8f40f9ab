// Tests that may take long, and tests that are made of them: whoever can pause asks each part in turns.

import type { Uid, Work } from "../../../core/storage.ts";
import type { Answer, Test } from "./clause.ts";

/** Answers one test for one node in turns. */
export function askInTurns(test: Test, uid: Uid): Answer {
  return test.inTurns === undefined ? test(uid) : test.inTurns(uid);
}

/** The first nodes that pass. @param ask `inTurns` of a test */
export function* passingInTurns(ask: NonNullable<Test["inTurns"]>, uids: readonly Uid[], most = Number.POSITIVE_INFINITY): Work<readonly Uid[]> {
  const kept: Uid[] = [];
  for (const uid of uids) {
    const answer = ask(uid);
    if (typeof answer === "boolean" ? answer : yield* answer) kept.push(uid);
    if (kept.length >= most) break;
  }
  return kept;
}

/** Whether every one of the tests holds, asked in this order. */
export function every(tests: readonly Test[]): Test {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  const holds = (uid: Uid): boolean => {
    for (const test of tests) if (!test(uid)) return false;
    return true;
  };
  return mayTakeLong(tests) ? Object.assign(holds, { inTurns: (uid: Uid) => untilDecided(tests, uid, { by: false }) }) : holds;
}

/** Whether one of the tests holds. */
export function some(tests: readonly Test[]): Test {
  const holds = (uid: Uid): boolean => {
    for (const test of tests) if (test(uid)) return true;
    return false;
  };
  return mayTakeLong(tests) ? Object.assign(holds, { inTurns: (uid: Uid) => untilDecided(tests, uid, { by: true }) }) : holds;
}

function mayTakeLong(tests: readonly Test[]): boolean {
  return tests.some(({ inTurns }) => inTurns !== undefined);
}

/** @param options.by the answer of one test that is the answer of all; they agree on the other one */
function untilDecided(tests: readonly Test[], uid: Uid, { by }: { readonly by: boolean }): Answer {
  for (const [i, test] of tests.entries()) {
    const answer = askInTurns(test, uid);
    if (typeof answer !== "boolean") return goOn(answer, tests.slice(i + 1), uid, { by });
    if (answer === by) return by;
  }
  return !by;
}

function* goOn(first: Work<boolean>, others: readonly Test[], uid: Uid, { by }: { readonly by: boolean }): Work<boolean> {
  if ((yield* first) === by) return by;
  const answer = untilDecided(others, uid, { by });
  return typeof answer === "boolean" ? answer : yield* answer;
}

export function negated(test: Test): Test {
  const fails = (uid: Uid): boolean => !test(uid);
  const { inTurns } = test;
  if (inTurns === undefined) return fails;
  const failsInTurns = (uid: Uid): Answer => {
    const answer = inTurns(uid);
    return typeof answer === "boolean" ? !answer : not(answer);
  };
  return Object.assign(fails, { inTurns: failsInTurns });
}

function* not(work: Work<boolean>): Work<boolean> {
  return !(yield* work);
}

/** Keeps the answers of a test, at most so many. */
export function remembering(test: Test, most: number): Test {
  const known = new Map<Uid, boolean>();
  const remembered = (uid: Uid): boolean => {
    let answer = known.get(uid);
    if (answer === undefined) {
      answer = test(uid);
      if (known.size < most) known.set(uid, answer);
    }
    return answer;
  };
  const { inTurns } = test;
  if (inTurns === undefined) return remembered;
  function* kept(uid: Uid, work: Work<boolean>): Work<boolean> {
    const answer = yield* work;
    if (known.size < most) known.set(uid, answer);
    return answer;
  }
  const rememberedInTurns = (uid: Uid): Answer => {
    const before = known.get(uid);
    if (before !== undefined) return before;
    const answer = inTurns(uid);
    if (typeof answer !== "boolean") return kept(uid, answer);
    if (known.size < most) known.set(uid, answer);
    return answer;
  };
  return Object.assign(remembered, { inTurns: rememberedInTurns });
}
