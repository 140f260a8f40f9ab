// Root fields that look up nodes of several types, and definitions that exist in some schemas only.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment, QuernError } from "../../../core/index.ts";
import type { DirectivePlugin, LookupAnswer, Model } from "../../../core/plugin.ts";
import { temporaryKernel } from "../../support/kernel.ts";

const schema = `
  type Boat { name: String! @id  length: Int }
  type Person { name: String! @id  age: Int  boat: Boat }
`;

/** A plugin with the field `found: [Found]!`, whose lookups `make` chooses. */
function finder(make: (model: Model) => LookupAnswer): DirectivePlugin {
  return {
    name: "finder",
    follows: ["identity"],
    definitions: "",
    model: ({ model }) => {
      const members = [...model.nodeTypes.values()];
      return {
        api: () => ({
          definitions: `union Found = ${members.map(({ name }) => name).join(" | ")}`,
          roots: [{ operation: "query", signature: "found: [Found]!", members, run: () => make(model) }],
        }),
      };
    },
  };
}

function by(model: Model, type: string, field: string, value: string | number) {
  const node = model.nodeTypes.get(type);
  const found = node?.fields.get(field);
  if (!node || (found?.role !== "value" && found?.role !== "id")) throw new TypeError(`${type}.${field}`);
  return { type: node, by: [{ field: found, value }] };
}

async function found(make: (model: Model) => LookupAnswer): Promise<unknown> {
  const { kernel, remove } = await temporaryKernel({ plugins: [...standardPlugins(), finder(make)] });
  try {
    await kernel.deploy(schema);
    await kernel.execute({ query: 'mutation { addPerson(input: [{ name: "ann", age: 3, boat: { name: "ark", length: 9 } }]) { numUids } }' });
    const { body } = await kernel.execute({ query: "{ found { __typename ... on Boat { length } ... on Person { age boat { name } } } }" });
    const { data, errors } = JSON.parse(body);
    return errors ? { data, errors: errors.length } : { data };
  } finally {
    await remove();
  }
}

describe("a root field with members", () => {
  it("answers each lookup in its place, with null for none", async () => {
    const make = (model: Model) => ({
      lookups: [by(model, "Person", "name", "ann"), undefined, by(model, "Boat", "name", "ann"), by(model, "Boat", "name", "ark")],
    });
    expect(await found(make)).toEqual({
      data: { found: [{ __typename: "Person", age: 3, boat: { name: "ark" } }, null, null, { __typename: "Boat", length: 9 }] },
    });
  });

  it("looks up by fields that are not unique: an error where several nodes have the value", async () => {
    expect(await found((model) => ({ lookups: [by(model, "Person", "age", 3), by(model, "Person", "age", 4)] }))).toEqual({
      data: { found: [{ __typename: "Person", age: 3, boat: { name: "ark" } }, null] },
    });
  });

  it.each<[string, (model: Model) => LookupAnswer]>([
    ["lookups that are no list", () => ({ lookups: 7 }) as never],
    ["a type that is not a member", (model) => ({ lookups: [{ ...by(model, "Boat", "name", "x"), type: {} }] }) as never],
    ["no parts", (model) => ({ lookups: [{ ...by(model, "Boat", "name", "x"), by: [] }] })],
    ["a value of another kind", (model) => ({ lookups: [by(model, "Boat", "name", 7)] })],
  ])("is an internal error for %s", async (_name, make) => {
    expect(await found(make)).toEqual({ data: null, errors: 1 });
  });
});

describe("definitions for one schema", () => {
  const plugin: DirectivePlugin = {
    name: "sometimes",
    definitions: "directive @loud on FIELD_DEFINITION",
    definitionsFor: ({ definitions }) => (definitions.length > 1 ? "directive @loud on FIELD_DEFINITION" : ""),
    model: () => undefined,
  };
  const errorsOf = (text: string): readonly string[] => {
    try {
      prepareDeployment(text, [plugin]);
      return [];
    } catch (error) {
      return error instanceof QuernError ? error.errors.map(({ message }) => message) : [String(error)];
    }
  };

  it("are known there, and unknown elsewhere", () => {
    expect(errorsOf("type A { a: Int @loud }  type B { b: Int }")).toEqual([]);
    expect(errorsOf("type A { a: Int @loud }")).toEqual(["Undefined directive loud."]);
  });

  it("are part of the served schema only where they are known", () => {
    expect(prepareDeployment("type A { a: Int }  type B { b: Int }", [plugin]).api.sdl).toContain("directive @loud");
    expect(prepareDeployment("type A { a: Int }", [plugin]).api.sdl).not.toContain("loud");
  });
});
