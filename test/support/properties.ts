// The property tests' own fast-check: the same examples in every run, unless another seed is asked for. A red build then means a change,
// and whoever hunts for the unknown says so: QUERN_TEST_SEED=random (fast-check prints the seed of what it finds), or QUERN_TEST_SEED=<seed>.

import fc from "fast-check";

const given = process.env.QUERN_TEST_SEED;

export const testSeed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given ?? 1);
if (!Number.isInteger(testSeed)) throw new RangeError(`QUERN_TEST_SEED is ${given}: give a whole number, or "random"`);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });

export default fc;
