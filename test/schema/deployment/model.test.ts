// Facts that plugins record, tested with third-party plugins.

import { describe, expect, it } from "vitest";
import { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin, DirectiveUse, Field, ModelContext } from "../../../core/plugin.ts";
import { deploy, errorsOf, typeOf } from "./harness.ts";

/** A plugin of one directive that does `act` for each of its uses. */
function pluginOf(name: string, act: (use: DirectiveUse, context: ModelContext) => void, more: Partial<DirectivePlugin> = {}): DirectivePlugin {
  return {
    name,
    definitions: `directive @${name}(as: String) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ENUM`,
    ...more,
    model: (context) => {
      for (const use of context.uses(name)) act(use, context);
      return undefined;
    },
  };
}

function withField(act: (field: Field, context: ModelContext) => void): (use: DirectiveUse, context: ModelContext) => void {
  return ({ field }, context) => field && act(field, context);
}

describe("uses of a directive", () => {
  it("are in source order, types before their fields, with inherited ones marked", () => {
    const seen: string[] = [];
    const mark = pluginOf("mark", ({ definition, field, type, inherited }) =>
      seen.push([definition.name.value, field?.name, type ? "" : "not stored", inherited ? "inherited" : ""].filter(Boolean).join(" ")),
    );
    deploy("type A implements I @mark { a: Int @mark }\ninterface I @mark { i: Int @mark @mark }\nenum E @mark { X }\nunion U @mark = A", [mark]);
    expect(seen).toEqual(["A", "A i inherited", "A i inherited", "A a", "I", "I i", "I i", "E not stored", "U not stored"]);
  });

  it("on an interface apply to implementing types if the plugin declares so", () => {
    const seen: string[] = [];
    const mark = pluginOf("mark", ({ definition, inherited }) => seen.push(`${definition.name.value}${inherited ? " inherited" : ""}`), {
      inherited: ["mark"],
    });
    deploy("interface I @mark { i: Int }\ntype A implements I @mark { a: Int }", [mark]);
    expect(seen).toEqual(["I", "A", "A inherited"]);
  });
});

describe("reports", () => {
  it("of all plugins and the kernel are combined, located by node, by location or not at all", () => {
    const a = pluginOf("a", ({ node }, { report }) => report("about the directive", node, "try this"));
    const b = pluginOf("b", ({ definition }, { report }) => {
      report("about two places", [definition, { line: 9, column: 9 }]);
      report("about nothing");
    });
    const schema = "type T { f: Int @a @b, g: [[Int]] }";
    expect(errorsOf(schema, [a, b])).toEqual([
      "about nothing",
      "1:6 9:9 about two places",
      "1:18 about the directive",
      "1:24 Type T; Field g: Nested lists are invalid.",
    ]);
    expect.assertions(2);
    try {
      deploy(schema, [a, b]);
    } catch (error) {
      expect(error instanceof QuernError && error.errors[2]?.hint).toBe("try this");
    }
  });
});

describe("recorded facts", () => {
  it("make any field a key, in the order of the fields", () => {
    const slug = pluginOf(
      "slug",
      withField((field, { record }) => record.key(field, "type")),
    );
    const deployed = deploy("type A { one: String @slug, two: String @slug }\ninterface I { i: String @slug }\ntype B implements I { b: Int }", [
      slug,
    ]);
    const keys = (type: string) => typeOf(deployed, type).keys.map((key) => `${key.field.owner.name}.${key.field.name}`);
    expect([keys("A"), keys("I"), keys("B")]).toEqual([["A.one", "A.two"], ["I.i"], ["B.i"]]);
    expect(deployed.layout.keys.map((key) => key.name)).toEqual(["A(A.one)", "A(A.two)", "B(I.i)"]);
  });

  it("make links to an interface writable once it has a key", () => {
    const slug = pluginOf(
      "slug",
      withField((field, { record }) => record.key(field, "type")),
    );
    const schema = (mark: string) => `interface I { i: String ${mark} }\ntype A { i: I }`;
    const input = (text: string) => typeOf(deploy(text, [slug]), "A").fields.get("i")?.exposure.input;
    expect([input(schema("")), input(schema("@slug"))]).toEqual([false, true]);
  });

  it("about an interface's field apply to types that inherit it, and to no other field of the same name", () => {
    const hide = pluginOf(
      "hide",
      withField((field, { record }) => record.exposure(field, { order: false })),
    );
    const deployed = deploy("interface I { n: Int @hide }\ntype A implements I { a: Int }\ntype B { n: Int }", [hide]);
    const order = (type: string) => typeOf(deployed, type).fields.get("n")?.exposure.order;
    expect([order("I"), order("A"), order("B")]).toEqual([false, false, true]);
  });

  it("make a field computed: it is not stored, and the type needs a stored field", () => {
    const shout = pluginOf(
      "shout",
      withField((field, { record }) => record.computed(field)),
    );
    const deployed = deploy("type A { a: Int, loud: String @shout }", [shout]);
    expect(typeOf(deployed, "A").fields.get("loud")).toMatchObject({ role: "computed", exposure: { output: true, input: false, has: false } });
    expect(deployed.layout.fields.map((field) => field.name)).toEqual(["A.a"]);
    expect(errorsOf("type A { id: ID!, loud: String @shout }", [shout])).toEqual([
      "1:6 Type A; is invalid, a type must have atleast one field that is not of ID! type and doesn't have @custom/@lambda directive.",
    ]);
  });

  it("add inputs after all fields, in implementing types too, stored under the interface's name", () => {
    const pin = pluginOf("pin", ({ type, inherited }, { record }) => {
      if (type && !inherited) record.inputField(type, { name: "pin", kind: "string", nonNull: true });
    });
    const deployed = deploy("interface I @pin { i: Int }\ntype A implements I { a: Int }", [pin]);
    expect([...typeOf(deployed, "A").fields.keys()]).toEqual(["i", "a", "pin"]);
    expect(typeOf(deployed, "A").fields.get("pin")).toMatchObject({ stored: "I.pin", exposure: { output: false, input: true, has: false } });
    expect(deployed.layout.types).toEqual([{ name: "A", fields: ["A.a", "I.i", "I.pin"] }]);
  });

  it("enable and disable operations", () => {
    const quiet = pluginOf("quiet", ({ type }, { record }) => type && record.disableOperation(type, "query"));
    const deployed = deploy("type A @quiet { a: Int }\ntype B { b: Int }", [quiet]);
    expect([typeOf(deployed, "A").allows("query"), typeOf(deployed, "A").allows("get"), typeOf(deployed, "B").allows("query")]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("set stored names: renaming a type later does not change a named field", () => {
    const called = pluginOf("called", ({ type, field }, { record }) => {
      if (field) record.storedField(field, "n");
      else if (type) record.storedType(type, "Stored");
    });
    const deployed = deploy("interface I @called { n: Int, m: Int @called }\ntype A implements I @called { a: Int }", [called]);
    const names = [...typeOf(deployed, "A").fields.values()].map((field) => ("stored" in field ? field.stored : ""));
    expect(names).toEqual(["Stored.n", "n", "Stored.a"]);
    expect(deployed.layout.types.map((type) => type.name)).toEqual(["Stored"]);
  });

  it("produce an immutable model", () => {
    const { model } = deploy("type A { a: Int }");
    const type = model.nodeTypes.get("A");
    expect(Object.isFrozen(type) && Object.isFrozen(type?.fields.get("a")) && Object.isFrozen(type?.fields.get("a")?.exposure)).toBe(true);
  });
});

describe("conflicting plugins", () => {
  it("are detected by their definitions, which may be equal", () => {
    const one = { ...pluginOf("same", () => {}), name: "one" };
    const equal = { ...one, name: "two" };
    expect(() => deploy("type A { a: Int }", [one, equal])).not.toThrow();
    const other = { ...equal, definitions: "directive @same on FIELD_DEFINITION" };
    expect(() => deploy("type A { a: Int }", [one, other])).toThrow('Plugin "two" defines the directive @same, which plugin "one" has already');
  });
});
