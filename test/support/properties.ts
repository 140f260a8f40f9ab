// The property tests' own fast-check: the same examples in every run, unless another seed is asked for. A red build then means a change.
// A hunt for new faults sets QUERN_TEST_SEED=random (fast-check prints the seed of what it finds) or QUERN_TEST_SEED=<seed>, and
// QUERN_TEST_EXAMPLES=10 for ten times as many examples.

import fc from "fast-check";

const given = process.env.QUERN_TEST_SEED;

export const testSeed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given ?? 1);
if (!Number.isInteger(testSeed)) throw new RangeError(`QUERN_TEST_SEED is ${given}: give a whole number, or "random"`);

/** What the suite, or QUERN_TEST_EXAMPLES, makes of each number of examples. */
const share = Number(process.env.QUERN_TEST_EXAMPLES ?? 1);
if (!(share > 0)) throw new RangeError(`QUERN_TEST_EXAMPLES is ${process.env.QUERN_TEST_EXAMPLES}: give a number above 0`);

/** How many examples a model tries in this run, and how often a process is killed, of `count` in a full one. They are the first ones of the full run. */
export function examples(count: number): number {
  return Math.max(1, Math.round(count * share));
}

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });

export default fc;
