// Whatever is renamed, swapped, dropped and declared again in whatever order: a thing keeps its storage name, no two share one, and a
// restart or taking @was out changes nothing.

import { expect, it } from "vitest";
import { runAtOnce } from "../../../core/ground/work.ts";
import { type BuiltDeployment, buildDeployment } from "../../../core/schema/deployment/build-deployment.ts";
import { namedFields, nothingKept } from "../../../core/schema/model/kept-names.ts";
import { wasPlugin } from "../../../plugins/was/index.ts";
import fc from "../../support/properties.ts";

/** Fields by type, each with what it was called in the schema before. */
type Schema = ReadonlyMap<string, { readonly was: string; readonly fields: ReadonlyMap<string, string> }>;

const names = ["a", "b", "c", "d"];
const types = ["P", "Q", "R"];

function text(schema: Schema, { says }: { readonly says: boolean }): string {
  const was = (now: string, before: string) => (says && before !== "" && before !== now ? ` @was(name: "${before}")` : "");
  return [...schema]
    .map(([type, { was: former, fields }]) => {
      const lines = [...fields].map(([name, before]) => `${name}: String${was(name, before)}`);
      return `type ${type}${was(type, former)} { anchor: Int ${lines.join(" ")} }`;
    })
    .join("\n");
}

/** Names after a step: a permutation of the ones there were, some of them left out, some new. */
const step = fc.record({
  types: fc.shuffledSubarray(types, { minLength: 1 }),
  fields: fc.array(fc.shuffledSubarray(names), { minLength: 3, maxLength: 3 }),
  restart: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What was first is renamed to what is first now, and so on; what is more than before is new. */
function renamedFrom(before: readonly string[], now: readonly string[]): ReadonlyMap<string, string> {
  return new Map(now.map((name, index) => [name, before[index] ?? ""]));
}

function next(schema: Schema, { types: titles, fields }: Step): Schema {
  const former = renamedFrom([...schema.keys()], titles);
  return new Map(
    titles.map((title, index) => {
      const was = former.get(title) ?? "";
      const before = [...(schema.get(was)?.fields.keys() ?? [])];
      return [title, { was, fields: renamedFrom(before, fields[index] ?? []) }];
    }),
  );
}

/** Whether the text can say it: a new thing may not have the name that another one had before. */
function canBeSaid(schema: Schema): boolean {
  const saying = (entries: readonly (readonly [now: string, before: string])[]) => {
    const moved = new Set(entries.filter(([now, before]) => before !== "" && before !== now).map(([now]) => now));
    return entries.every(([now, before]) => before === "" || before === now || !entries.some(([other]) => other === before) || moved.has(before));
  };
  return saying([...schema].map(([type, { was }]) => [type, was])) && [...schema.values()].every(({ fields }) => saying([...fields]));
}

/** Whether a thing says what the deployed text says of it: then it is taken as said before, whatever was meant. */
function saysAgain(schema: Schema, after: Schema): boolean {
  const again = (before: string, now: string) => before !== "" && before === now;
  return [...after].some(([type, { was, fields }]) => {
    const deployed = schema.get(was === "" ? type : was)?.fields;
    const ofFields = [...fields].some(([name, former]) => name !== former && again(deployed?.get(name) ?? "", former));
    return ofFields || (type !== was && again(schema.get(type)?.was ?? "", was));
  });
}

const plugins = [wasPlugin()];

function storedNames({ model }: BuiltDeployment): Readonly<Record<string, string>> {
  const fields = namedFields(model).map((field) => [`${field.owner.name}.${field.name}`, field.stored] as const);
  return Object.fromEntries([...[...model.nodeTypes.values()].map(({ name, stored }) => [name, stored] as const), ...fields]);
}

it("a stored thing keeps its storage name", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let schema: Schema = new Map([["P", { was: "", fields: new Map(names.slice(0, 3).map((name) => [name, ""])) }]]);
      let deployed = runAtOnce(buildDeployment(text(schema, { says: false }), plugins));
      // Whether the deployed text still says what was renamed by it.
      let left = false;
      for (const each of steps) {
        const after = next(schema, each);
        if (!canBeSaid(after) || (left && saysAgain(schema, after))) continue;
        const before = storedNames(deployed);
        const said = text(after, { says: true });
        const changed = runAtOnce(buildDeployment(said, plugins, { history: { deployed: deployed.model, kept: deployed.kept } }));
        const now = storedNames(changed);

        expect(new Set(Object.values(now)).size).toBe(Object.keys(now).length);
        for (const [type, { was, fields }] of after) {
          if (was !== "") expect([type, now[type]]).toEqual([type, before[was]]);
          for (const [name, former] of fields) {
            if (was !== "" && former !== "")
              expect([`${type}.${name}`, now[`${type}.${name}`]]).toEqual([`${type}.${name}`, before[`${was}.${former}`]]);
          }
        }
        const again = runAtOnce(buildDeployment(said, plugins, { history: { deployed: undefined, kept: changed.kept } }));
        expect(storedNames(again)).toEqual(now);
        const bare = runAtOnce(buildDeployment(text(after, { says: false }), plugins, { history: { deployed: again.model, kept: again.kept } }));
        expect(storedNames(bare)).toEqual(now);

        deployed = each.restart ? runAtOnce(buildDeployment(said, plugins, { history: { deployed: again.model, kept: again.kept } })) : bare;
        expect(storedNames(deployed)).toEqual(now);
        schema = after;
        left = each.restart;
      }
    }),
    { numRuns: 300 },
  );
}, 120_000);

it("a removed field or type has its storage name again when it returns", () => {
  const first = runAtOnce(buildDeployment("type P { a: Int  b: Int }", plugins));
  const renamed = runAtOnce(
    buildDeployment('type P { c: Int @was(name: "a")  b: Int }', plugins, { history: { deployed: first.model, kept: nothingKept } }),
  );
  const without = runAtOnce(buildDeployment("type P { b: Int }", plugins, { history: { deployed: renamed.model, kept: renamed.kept } }));
  const back = runAtOnce(buildDeployment("type P { c: Int  b: Int }", plugins, { history: { deployed: without.model, kept: without.kept } }));
  expect(storedNames(back)).toEqual({ P: "P", "P.b": "P.b", "P.c": "P.a" });
});
