// Values that a stranger's plugin hands over: objects, lists, unions, types that are not stored, with errors of their own.

import { print } from "graphql";
import { afterEach, describe, expect, it } from "vitest";
import { QuernError, WrittenNumber } from "../../../core/index.ts";
import type { AnswerValue, ComputedField, DirectivePlugin, FieldSelection, Hooks, ModelContext, RootField } from "../../../core/plugin.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";

const definitions = `
  directive @far on OBJECT | INTERFACE | UNION | INPUT_OBJECT | ENUM
  directive @ask on FIELD_DEFINITION
`;

let running: TemporaryKernel | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

interface Answers {
  /** By name of a root field. */
  readonly roots?: Readonly<Record<string, RootField["run"]>>;
  /** By `Type.field`. */
  readonly fields?: Readonly<Record<string, Partial<ComputedField> & Pick<ComputedField, "compute">>>;
  readonly hooks?: Partial<Hooks>;
  readonly jsonKeys?: Readonly<Record<string, string>>;
}

/** Answers the fields that carry `@ask`. */
function asking({ roots = {}, fields = {}, hooks = {}, jsonKeys = {} }: Answers, name = "ask"): DirectivePlugin {
  return {
    name,
    definitions,
    unstored: ["far"],
    model(context) {
      const computed = context.uses("ask").flatMap(({ field, inherited }): ComputedField[] => {
        const answer = field && fields[`${field.owner.name}.${field.name}`];
        if (!field || !answer || inherited) return [];
        context.record.computed(field);
        return [{ field, needs: [], ...answer }];
      });
      return { ...hooks, api: () => ({ computed, jsonKeys, roots: rootsOf(context, roots) }) };
    },
  };
}

function rootsOf({ uses }: ModelContext, runs: NonNullable<Answers["roots"]>): readonly RootField[] {
  return uses("ask", "unstored").flatMap(({ definition, field }): RootField[] => {
    const run = runs[field.name.value];
    return run ? [{ operation: definition.name.value === "Query" ? "query" : "mutation", signature: `${field.name.value}: Int`, run }] : [];
  });
}

interface Answer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

async function start(schema: string, answers: Answers, more: readonly DirectivePlugin[] = []) {
  running = await compatibleKernel({ plugins: [identityPlugin(), asking(answers), ...more] });
  const { kernel } = running;
  await kernel.deploy(schema);
  const ask = async (query: string, variables = {}): Promise<Answer> => JSON.parse((await kernel.execute({ query, variables })).body);
  /** Data, and errors as `path message`. */
  return async (query: string, variables = {}) => {
    const { data, errors = [] } = await ask(query, variables);
    return { data, errors: errors.map(({ message, path }) => `${path?.join(".") ?? "-"} ${message}`) };
  };
}

const seen = (json: AnswerValue): Answers["roots"] => ({ seen: () => ({ json }) });

describe("a type that is not stored", () => {
  const schema = `
    type Mill { name: String! @id  weather: Weather @ask  stones: [Stone] }
    type Stone { id: ID!  weight: Float }
    type Weather @far { wind: Int  mill: Mill }
    type MillFilterOfMine @far { a: Int }
    input At @far { x: Int }
    enum Sky @far { CLEAR RAIN }
    type Query { seen(at: At): Weather @ask  getWeather: Sky @ask }
  `;

  it("is served as written, and nothing is generated for it", async () => {
    const ask = await start(schema, {
      roots: { ...seen({ wind: 3 }), getWeather: () => ({ json: "RAIN" }) },
      fields: { "Mill.weather": { compute: (parents) => parents.map(() => ({ wind: 1 })) } },
    });
    const { data } = await ask("{ __schema { types { name } } }");
    const names = (data as { __schema: { types: { name: string }[] } }).__schema.types.map(({ name }) => name);
    expect(names.filter((name) => /Weather|Sky|At$/.test(name)).sort()).toEqual(["At", "Sky", "Weather"]);
    expect(await ask("{ seen { wind } getWeather }")).toEqual({ data: { seen: { wind: 3 }, getWeather: "RAIN" }, errors: [] });
  });

  it("makes a field of a stored type computed: no input, filter or stored value has it", async () => {
    const ask = await start(schema, {
      roots: { ...seen(null), getWeather: () => ({ json: null }) },
      fields: {
        "Mill.weather": {
          compute: (parents) => parents.map(({ uid }) => ({ wind: uid > 0 ? 1 : 0, mill: { name: "Kent", stones: [{ weight: 2 }] } })),
        },
      },
    });
    await ask('mutation { addMill(input: [{ name: "a" }]) { numUids } }');
    expect(await ask("{ queryMill { name weather { w: wind mill { stones { weight } name } } } }")).toEqual({
      data: { queryMill: [{ name: "a", weather: { w: 1, mill: { stones: [{ weight: 2 }], name: "Kent" } } }] },
      errors: [],
    });
    const { data } = await ask('{ __type(name: "AddMillInput") { inputFields { name } } }');
    expect(data).toEqual({ __type: { inputFields: [{ name: "name" }, { name: "stones" }] } });
  });

  it("needs a plugin that computes its fields", async () => {
    await expect(start(schema, { roots: { ...seen(null), getWeather: () => ({ json: null }) } })).rejects.toThrow(
      "Type Mill; Field weather: its values are not stored, and no plugin computes them.",
    );
  });
});

describe("a value", () => {
  const schema = `
    type Note { text: String }
    type Far @far { a: String  b: Int  req: String!  sub: Far  subs: [Far]  strict: [Far!]  big: Int64  when: DateTime }
    interface Shape @far { name: String }
    type Circle implements Shape @far { name: String  r: Float }
    type Square implements Shape @far { name: String  side: Float }
    union Figure @far = Circle | Square
    type Query { seen: Far @ask  sure: Far! @ask  all: [Far!] @ask  text: String @ask  texts: [String] @ask  shape: Shape @ask  figures: [Figure] @ask }
  `;

  const answered = async (json: AnswerValue, query: string) => {
    const run = () => ({ json });
    const roots = { seen: run, sure: run, all: run, text: run, texts: run, shape: run, figures: run };
    return await (await start(schema, { roots }))(query);
  };

  it("is cut to the selection, under aliases", async () => {
    expect(await answered({ a: "x", b: 2, sub: { a: "y", secret: 1 }, other: 7 }, "{ seen { z: a sub { a } subs { a } } }")).toEqual({
      data: { seen: { z: "x", sub: { a: "y" }, subs: [] } },
      errors: [],
    });
  });

  it("loses the object around a missing non-null field, up to the next nullable one", async () => {
    expect(await answered([{ req: "r" }, {}], "{ all { req } }")).toEqual({
      data: { all: null },
      errors: ["all.1.req Non-nullable field 'req' (type String!) was not present in result from Dgraph.  GraphQL error propagation triggered."],
    });
    const inner = await answered({ subs: [{ req: "r" }, { a: "x" }], a: "y" }, "{ seen { a subs { req } } }");
    expect(inner.data).toEqual({ seen: { a: "y", subs: [{ req: "r" }, null] } });
  });

  it("of a non-null root field takes the whole data with it when it is null", async () => {
    expect((await answered(null, "{ sure { a } text }")).data).toBeNull();
  });

  it("may be a list of one where one is expected, not a list of two, and no single value where a list is", async () => {
    expect(await answered([[{ a: "x" }]], "{ seen { a } }")).toEqual({ data: { seen: { a: "x" } }, errors: [] });
    expect((await answered([{ a: "x" }, { a: "y" }], "{ seen { a } }")).errors).toEqual([expect.stringMatching(/^seen A list was returned/)]);
    expect((await answered("x", "{ texts }")).errors).toEqual([expect.stringMatching(/^texts An item was returned/)]);
  });

  it("keeps null elements of a nullable list", async () => {
    expect(await answered(["a", null], "{ texts }")).toEqual({ data: { texts: ["a", null] }, errors: [] });
  });

  it("keeps the digits of numbers", async () => {
    expect(await answered(new WrittenNumber("12.50"), "{ text }")).toEqual({ data: { text: "12.50" }, errors: [] });
    expect(await answered({ big: 9007199254740993n, b: new WrittenNumber("2.0") }, "{ seen { b } }")).toEqual({
      data: { seen: { b: 2 } },
      errors: [],
    });
    expect((await answered({ big: new WrittenNumber("2.0") }, "{ seen { big } }")).errors).toEqual([
      "seen.big Error coercing value '2.0' for field 'big' to type Int64.",
    ]);
  });

  it("of an interface or union has the type that __typename names", async () => {
    const query = "{ figures { __typename ... on Shape { name } ... on Circle { r } ... on Square { side } } }";
    expect(await answered([{ __typename: "Circle", name: "c", r: 1 }, { __typename: "Square", side: 2, r: 9 }, null], query)).toEqual({
      data: { figures: [{ __typename: "Circle", name: "c", r: 1 }, { __typename: "Square", name: null, side: 2 }, null] },
      errors: [],
    });
    const wrong = await answered({ __typename: "Mill", name: "m" }, "{ shape { name } }");
    expect(wrong).toEqual({ data: { shape: null }, errors: ['shape The object\'s __typename is "Mill", which is no type of Shape.'] });
  });

  it("whose type is not known shows the fields of all fragments", async () => {
    const { data } = await answered({ name: "n", side: 2 }, "{ shape { name ... on Circle { r } ... on Square { side } } }");
    expect(data).toEqual({ shape: { name: "n", r: null, side: 2 } });
  });

  it("reads a field under the key that the plugin names", async () => {
    const ask = await start(schema, {
      roots: {
        ...seen({ "@a": "x", a: "wrong" }),
        ...Object.fromEntries(["sure", "all", "text", "texts", "shape", "figures"].map((name) => [name, () => ({ json: null })])),
      },
      jsonKeys: { "Far.a": "@a" },
    });
    expect((await ask("{ seen { z: a } }")).data).toEqual({ seen: { z: "x" } });
  });
});

describe("errors of a plugin", () => {
  const schema = `
    type Mill { name: String! @id  wind: Int @ask  sure: Int! @ask  next: Mill }
    type Query { seen: Int @ask }
    type Mutation { grind: Int @ask  stop: Int @ask }
  `;
  const unused = { "Mill.wind": { compute: () => [] }, "Mill.sure": { compute: () => [] } };

  it("come with a value, and other root fields are answered", async () => {
    const roots = {
      seen: () => ({
        json: 7,
        errors: [
          { message: "old", extensions: { age: 3 } },
          { message: "older", path: ["deep", 1] },
        ],
      }),
      grind: () => ({ json: 1 }),
      stop: () => ({ json: 1 }),
    };
    const ask = await start(schema, { roots, fields: unused });
    expect(await ask("{ seen queryMill { name } }")).toEqual({ data: { seen: 7, queryMill: [] }, errors: ["- old", "deep.1 older"] });
  });

  it("make a mutation fail: those after it do not run", async () => {
    const ran: string[] = [];
    const roots = {
      seen: () => ({ json: 1 }),
      grind: () => ({ json: 1, errors: [{ message: "jammed" }] }),
      stop: () => ({ json: ran.push("stop") }),
    };
    const ask = await start(schema, { roots, fields: unused });
    expect(await ask("mutation { grind stop }")).toEqual({
      data: { grind: 1 },
      errors: ["- jammed", "stop Mutation stop was not executed because of a previous error."],
    });
    expect(ran).toEqual([]);
  });

  it("of a computed field are at the root field, or at each place of the parent that they are about", async () => {
    const fields: Answers["fields"] = {
      "Mill.wind": {
        compute: (parents) => ({
          values: parents.map(() => null),
          errors: [{ message: "no service" }, ...parents.map((_, parent) => ({ message: `mill ${parent}`, parent }))],
        }),
      },
      "Mill.sure": { compute: (parents) => ({ values: parents.map(() => null), errors: [{ message: "calm", parent: 0 }] }) },
    };
    const run = () => ({ json: null });
    const ask = await start(schema, { roots: { seen: run, grind: run, stop: run }, fields });
    await ask('mutation { addMill(input: [{ name: "a", next: { name: "b" } }, { name: "c", next: { name: "b" } }]) { numUids } }');
    const { data, errors } = await ask('{ m: queryMill { next { name wind } } getMill(name: "a") { name next { sure } } }');
    expect(data).toEqual({
      m: [{ next: { name: "b", wind: null } }, { next: null }, { next: { name: "b", wind: null } }].sort(),
      getMill: { name: "a", next: null },
    });
    expect([...errors].sort()).toEqual([
      "getMill.next.sure calm",
      "m no service",
      expect.stringMatching(/^m\.\d\.next\.wind mill 0$/),
      expect.stringMatching(/^m\.\d\.next\.wind mill 0$/),
    ]);
  });

  it("without a message are an internal error", async () => {
    const roots = { seen: () => ({ json: 1, errors: [{}] }) as never, grind: () => ({ json: 1 }), stop: () => ({ json: 1 }) };
    const ask = await start(schema, { roots, fields: unused });
    expect((await ask("{ seen }")).errors).toEqual([expect.stringContaining("Internal Server Error")]);
  });
});

describe("what a plugin learns of the selection", () => {
  it("is the places that select the field, fragments, variables and the type around", async () => {
    const selections: FieldSelection[] = [];
    const schema = `
      interface Place { code: String! @id  view: View @ask }
      type Hill implements Place { height: Int }
      type Lake implements Place { depth: Int }
      type View @far { far(of: Int): Int  near: Int }
      type Query { seen: View @ask }
    `;
    const fields: Answers["fields"] = {
      "Place.view": {
        compute: (parents, _args, _request, { selection }) => {
          selections.push(selection);
          return parents.map(() => ({ far: parents.length, near: 1 }));
        },
      },
    };
    const roots: Answers["roots"] = {
      seen: ({ selection }) => {
        selections.push(selection);
        return { json: {} };
      },
    };
    const ask = await start(schema, { roots, fields });
    await ask('mutation { addHill(input: [{ code: "h", height: 1 }]) { numUids } addLake(input: [{ code: "l", depth: 2 }]) { numUids } }');
    const query =
      "query Q($n: Int) { v: seen { ...F } seen { near } queryPlace { code w: view { far(of: $n) } ... on Hill { view { near } } } } fragment F on View { far(of: $n) }";
    const { data } = await ask(query, { n: 3 });
    expect(data).toMatchObject({
      queryPlace: [
        { code: "h", w: { far: 2 }, view: { near: 1 } },
        { code: "l", w: { far: 2 } },
      ],
    });
    const shown = selections.map(({ key, parentType, nodes, variables, type, fragments }) => [
      key,
      parentType,
      nodes.map(print),
      variables,
      String(type),
      [...fragments.keys()],
    ]);
    expect(shown).toHaveLength(4);
    expect(shown).toContainEqual(["v", "Query", ["v: seen {\n  ...F\n}"], { n: 3 }, "View", ["F"]]);
    expect(shown).toContainEqual(["w", "Place", ["w: view {\n  far(of: $n)\n}"], { n: 3 }, "View", ["F"]]);
    expect(shown).toContainEqual(["view", "Hill", ["view {\n  near\n}"], { n: 3 }, "View", ["F"]]);
  });
});

describe("a signal", () => {
  const schema = "type Mill { name: String! @id }  type Query { seen: Int @ask }";

  it("aborts when the client has gone", async () => {
    let leave = () => {};
    let ended: (reason: unknown) => void = () => {};
    const reason = new Promise((resolve) => {
      ended = resolve;
    });
    const roots: Answers["roots"] = {
      seen: async ({ signal }) => {
        signal.addEventListener("abort", () => ended(signal.reason), { once: true });
        leave();
        await reason;
        return { json: 1 };
      },
    };
    await start(schema, { roots });
    await running?.kernel.execute({
      query: "{ seen }",
      onGone: (listener) => {
        leave = listener;
      },
    });
    expect(await reason).toMatchObject({ code: "CANCELLED" });
  });

  it("aborts at the time limit of the request", async () => {
    running = await compatibleKernel({
      plugins: [
        identityPlugin(),
        asking({
          roots: { seen: ({ signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true })) },
        }),
      ],
      limits: { maxTimeMs: 30 },
    });
    await running.kernel.deploy(schema);
    expect(JSON.parse((await running.kernel.execute({ query: "{ seen }" })).body).errors[0].message).toContain("limits.maxTimeMs");
  });
});

describe("a slow field", () => {
  const schema = "type Mill { name: String! @id  wind: Int @ask }";

  it("of a deleted node is computed after the commit, with what the node had", async () => {
    const seenThen: unknown[] = [];
    const fields: Answers["fields"] = {
      "Mill.wind": {
        slow: true,
        needs: ["Mill.name"],
        compute: async (parents) => {
          const rest = JSON.parse((await running?.kernel.execute({ query: "{ queryMill { name } }" }))?.body ?? "{}");
          seenThen.push(rest.data, ...parents.map(({ values }) => values));
          return parents.map(() => 4);
        },
      },
    };
    const ask = await start(schema, { fields });
    await ask('mutation { addMill(input: [{ name: "a" }, { name: "b" }]) { numUids } }');
    expect(await ask('mutation { deleteMill(filter: { name: { eq: "a" } }) { mill { name wind } } }')).toEqual({
      data: { deleteMill: { mill: [{ name: "a", wind: 4 }] } },
      errors: [],
    });
    expect(seenThen).toEqual([{ queryMill: [{ name: "b" }] }, ["a"]]);
  });

  it("that fails after the commit is an error of the payload, and the commit stands", async () => {
    const fields: Answers["fields"] = {
      "Mill.wind": {
        slow: true,
        compute: async () => {
          throw new QuernError("OPERATION_FAILED", "no wind");
        },
      },
    };
    const ask = await start(schema, { fields });
    await ask('mutation { addMill(input: [{ name: "a" }]) { numUids } }');
    const { errors } = await ask('mutation { deleteMill(filter: { name: { eq: "a" } }) { mill { wind } } }');
    expect(errors).toEqual([expect.stringContaining("no wind")]);
    expect((await ask("{ queryMill { name } }")).data).toEqual({ queryMill: [] });
  });
});

describe("two plugins with one directive", () => {
  it("each answer the fields that they claim", async () => {
    const schema = "type Mill { name: String! @id }  type Query { seen: Int @ask  other: Int @ask }";
    const ask = await start(schema, { roots: { seen: () => ({ json: 1 }) } }, [asking({ roots: { other: () => ({ json: 2 }) } }, "second")]);
    expect((await ask("{ seen other }")).data).toEqual({ seen: 1, other: 2 });
  });
});
