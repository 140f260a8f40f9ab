// Any sequence of mutations against a model that keeps one set of pairs for each relation: both sides read alike at every step,
// and the store's own check finds nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc from "../support/properties.ts";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Teacher { key: String! @id  desk: Desk @hasInverse(field: owner)  lessons: [Lesson] @hasInverse(field: teacher)  clubs: [Club] @hasInverse(field: staff)
      friends: [Teacher] @hasInverse(field: friends)  partner: Teacher @hasInverse(field: partner)  idol: Teacher }
    type Desk { key: String! @id  owner: Teacher }
    type Lesson { key: String! @id  teacher: Teacher }
    type Club { key: String! @id  staff: [Teacher] }
  `);
});
afterAll(() => api.close());

interface Field {
  readonly type: string;
  readonly name: string;
  readonly target: string;
  readonly single: boolean;
  /** The other side's field; undefined: one-way. */
  readonly inverse?: string;
}
const fields: readonly Field[] = [
  { type: "Teacher", name: "desk", target: "Desk", single: true, inverse: "owner" },
  { type: "Desk", name: "owner", target: "Teacher", single: true, inverse: "desk" },
  { type: "Teacher", name: "lessons", target: "Lesson", single: false, inverse: "teacher" },
  { type: "Lesson", name: "teacher", target: "Teacher", single: true, inverse: "lessons" },
  { type: "Teacher", name: "clubs", target: "Club", single: false, inverse: "staff" },
  { type: "Club", name: "staff", target: "Teacher", single: false, inverse: "clubs" },
  { type: "Teacher", name: "friends", target: "Teacher", single: false, inverse: "friends" },
  { type: "Teacher", name: "partner", target: "Teacher", single: true, inverse: "partner" },
  { type: "Teacher", name: "idol", target: "Teacher", single: true },
];
const types = ["Teacher", "Desk", "Lesson", "Club"];
const inverseOf = (field: Field) => fields.find((each) => each.type === field.target && each.name === field.inverse);

/** What every field of every node shows. */
class Model {
  readonly nodes = new Map<string, Map<string, Set<string>>>();

  add(type: string, key: string): void {
    const name = `${type} ${key}`;
    if (!this.nodes.has(name)) this.nodes.set(name, new Map(fields.filter((field) => field.type === type).map((field) => [field.name, new Set()])));
  }
  shown(type: string, key: string, field: string): Set<string> {
    return this.nodes.get(`${type} ${key}`)?.get(field) ?? new Set();
  }
  unlink(field: Field, from: string, to: string): void {
    this.shown(field.type, from, field.name).delete(to);
    const inverse = inverseOf(field);
    if (inverse) this.shown(inverse.type, to, inverse.name).delete(from);
  }
  link(field: Field, from: string, to: string): void {
    const inverse = inverseOf(field);
    if (this.shown(field.type, from, field.name).has(to)) return;
    if (field.single) for (const old of [...this.shown(field.type, from, field.name)]) this.unlink(field, from, old);
    if (inverse?.single) for (const old of [...this.shown(inverse.type, to, inverse.name)]) this.unlink(inverse, to, old);
    this.shown(field.type, from, field.name).add(to);
    if (inverse) this.shown(inverse.type, to, inverse.name).add(from);
  }
  remove(type: string, key: string): void {
    this.nodes.delete(`${type} ${key}`);
    for (const field of fields.filter((each) => each.target === type)) {
      for (const [name, shown] of this.nodes) if (name.startsWith(`${field.type} `)) shown.get(field.name)?.delete(key);
    }
  }
  all(): unknown {
    const plain = [...this.nodes].map(([name, shown]) => [name, Object.fromEntries([...shown].map(([field, keys]) => [field, [...keys].sort()]))]);
    return Object.fromEntries(plain.sort(([a], [b]) => String(a).localeCompare(String(b))));
  }
}

const selections = new Map(
  types.map((type) => [
    type,
    `key ${fields
      .filter((field) => field.type === type)
      .map((field) => `${field.name} { key }`)
      .join(" ")}`,
  ]),
);

async function stored(): Promise<unknown> {
  const data = (await api.run(`{ ${types.map((type) => `${type}: query${type} { ${selections.get(type)} }`).join(" ")} }`)) as Record<
    string,
    Record<string, unknown>[]
  >;
  const plain = Object.entries(data).flatMap(([type, nodes]) =>
    nodes.map(({ key, ...links }) => [
      `${type} ${key}`,
      Object.fromEntries(Object.entries(links).map(([field, value]) => [field, keysOf(value).sort()])),
    ]),
  );
  return Object.fromEntries(plain.sort(([a], [b]) => String(a).localeCompare(String(b))));
}

function keysOf(value: unknown): string[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((each: { key: string }) => each.key);
}

type Operation =
  | { readonly kind: "upsert" | "set" | "remove"; readonly field: Field; readonly key: string; readonly targets: readonly string[] }
  | { readonly kind: "clear"; readonly field: Field; readonly key: string }
  | { readonly kind: "delete"; readonly type: string; readonly key: string };

const key = fc.constantFrom("a", "b", "c");
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("upsert" as const, "set" as const, "set" as const, "remove" as const),
      field: fc.constantFrom(...fields),
      key,
      targets: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), field: fc.constantFrom(...fields), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), type: fc.constantFrom(...types), key }) },
);

async function carryOut(op: Operation, model: Model): Promise<void> {
  if (op.kind === "delete") {
    model.remove(op.type, op.key);
    await api.run(`mutation { delete${op.type}(filter: {key: {eq: "${op.key}"}}) { numUids } }`);
    return;
  }
  const { field } = op;
  const exists = model.nodes.has(`${field.type} ${op.key}`);
  const filter = `filter: {key: {eq: "${op.key}"}}`;
  if (op.kind === "clear") {
    for (const to of [...model.shown(field.type, op.key, field.name)]) model.unlink(field, op.key, to);
    await api.run(`mutation { update${field.type}(input: {${filter}, remove: {${field.name}: null}}) { numUids } }`);
    return;
  }
  const targets = field.single ? op.targets.slice(0, 1) : op.targets;
  const references = `${field.name}: ${field.single ? `{key: "${targets[0]}"}` : `[${targets.map((to) => `{key: "${to}"}`).join(", ")}]`}`;
  if (op.kind === "remove") {
    if (targets.some((to) => !model.nodes.has(`${field.target} ${to}`))) return;
    for (const to of targets) model.unlink(field, op.key, to);
    await api.run(`mutation { update${field.type}(input: {${filter}, remove: {${references}}}) { numUids } }`);
    return;
  }
  if (op.kind === "upsert" || exists) {
    model.add(field.type, op.key);
    for (const to of targets) model.add(field.target, to);
    for (const to of targets) model.link(field, op.key, to);
  }
  if (op.kind === "upsert") await api.run(`mutation { add${field.type}(input: [{key: "${op.key}", ${references}}], upsert: true) { numUids } }`);
  else await api.run(`mutation { update${field.type}(input: {${filter}, set: {${references}}}) { numUids } }`);
}

describe("any sequence of mutations", () => {
  it("leaves every link readable from both sides, as in a reference model", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 20 }), async (operations) => {
        await api.run(`mutation { ${types.map((type) => `${type}: delete${type}(filter: {}) { numUids }`).join(" ")} }`);
        const model = new Model();
        for (const each of operations) {
          await carryOut(each, model);
          expect(await stored()).toEqual(model.all());
        }
        const { faults } = await api.kernel.storage.verify();
        expect(faults).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
