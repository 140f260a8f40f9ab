// Reading a mutation's input: the compiled reader beside the `graphql` package's own coercion.
// Run: npx tsx test/bench/input.ts

import { coerceInputValue, isInputType } from "graphql";
import { prepareDeployment } from "../../core/index.ts";
import { inputReader } from "../../core/request/variables/input-reader.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";

const { api } = prepareDeployment(
  "type Package { name: String! @id a: String b: String c: Int d: Int e: String f: String g: String h: [String] i: Package j: [Package] }",
  [identityPlugin()],
);
const type = api.schema.getType("AddPackageInput");
if (!isInputType(type)) throw new Error("AddPackageInput is not there");

const objects = Array.from({ length: 1_000 }, (_, n) => ({
  name: `p${n}`,
  a: "a",
  b: "b",
  c: n,
  h: ["x", "y"],
  j: Array.from({ length: 5 }, (_, m) => ({ name: `p${(n * 7 + m) % 1_000}` })),
}));

function time(name: string, work: () => void): number {
  for (let i = 0; i < 20; i++) work();
  const begin = performance.now();
  for (let i = 0; i < 50; i++) work();
  const ms = (performance.now() - begin) / 50;
  console.log(`${name.padEnd(28)} ${ms.toFixed(2)} ms for 1,000 objects with 5 references each`);
  return ms;
}

const read = inputReader(type);
const ours = time("compiled reader", () => void objects.map(read));
const theirs = time("coerceInputValue", () => void objects.map((each) => coerceInputValue(each, type)));
console.log(`ratio ${(theirs / ours).toFixed(1)}`);
