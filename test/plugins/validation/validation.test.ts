// `@range`, `@length`, `@pattern`, `@format`, on every way in which a value can be written.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let at: TemporaryKernel;
beforeEach(async () => {
  at = await temporaryKernel();
});
afterEach(() => at.remove());

interface Answer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

async function ask(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  return JSON.parse((await at.kernel.execute({ query, variables })).body);
}

async function data(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await ask(query, variables);
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

/** What is wrong according to the errors of the answer, which all are of the same mutation. */
async function refusal(query: string, variables?: Readonly<Record<string, unknown>>): Promise<string> {
  const { errors = [] } = await ask(query, variables);
  expect(errors).not.toEqual([]);
  expect(new Set(errors.map(({ path }) => String(path))).size).toBe(1);
  return errors.map(({ message }) => message).join(" ");
}

/** Whether an object `A { a }` with each value is stored. */
async function accepted(field: string, values: readonly unknown[]): Promise<readonly boolean[]> {
  await at.kernel.deploy(`type A { a: ${field} }`);
  const type = field.split(" ")[0];
  const results: boolean[] = [];
  for (const value of values) {
    const { errors } = await ask(`mutation M($a: ${type}) { addA(input: [{ a: $a }]) { numUids } }`, { a: value });
    results.push(errors === undefined);
  }
  return results;
}

describe("@range", () => {
  it("includes its bounds", async () => {
    expect(await accepted("Int @range(min: 0, max: 100)", [-1, 0, 100, 101, null])).toEqual([false, true, true, false, true]);
  });

  it("takes one bound alone, and fractions", async () => {
    expect(await accepted("Float @range(min: -0.5)", [-0.51, -0.5, 1e300])).toEqual([false, true, true]);
  });

  it("compares Int64 exactly", async () => {
    const values = ["9007199254740992", "9007199254740993", "-9223372036854775808"];
    expect(await accepted("Int64 @range(max: 9007199254740992)", values)).toEqual([true, false, true]);
  });

  it("judges each element of a list", async () => {
    expect(await accepted("[Int] @range(min: 1)", [[1, 2], [2, 0], []])).toEqual([true, false, true]);
    expect(await refusal("mutation { addA(input: [{ a: [5, 0, -1] }]) { numUids } }")).toBe("A.a breaks @range(min: 1): found 0 at element 1.");
  });
});

describe("@length", () => {
  it("counts code points, not UTF-16 units", async () => {
    const values = ["", "a", "😀😀", "😀😀😀", "e\u0301"];
    expect(await accepted("String @length(min: 1, max: 2)", values)).toEqual([false, true, true, false, true]);
  });

  it("counts the elements of a list, as they are after an update", async () => {
    await at.kernel.deploy("type A { id: ID!  tags: [String] @length(min: 2, max: 3) }");
    await data('mutation { addA(input: [{ tags: ["a", "b"] }]) { numUids } }');
    const update = (patch: string) => `mutation { updateA(input: { filter: {}, ${patch} }) { numUids } }`;
    await data(update('set: { tags: ["b", "c"] }'));
    expect(await refusal(update('set: { tags: ["d"] }'))).toBe("A.tags breaks @length(min: 2, max: 3).");
    await data(update('remove: { tags: ["a"] }'));
    expect(await refusal(update('remove: { tags: ["b"] }'))).toBe("A.tags breaks @length(min: 2, max: 3).");
    expect(await data("{ queryA { tags } }")).toEqual({ queryA: [{ tags: ["b", "c"] }] });
  });
});

describe("@pattern", () => {
  it("finds the expression anywhere, unless it is anchored to the whole text", async () => {
    expect(await accepted('String @pattern(regexp: "b")', ["abc", "ac", ""])).toEqual([true, false, false]);
    await at.kernel.deploy('type A { a: String @pattern(regexp: "^[a-z0-9-]+$") }');
    expect(await accepted('String @pattern(regexp: "^[a-z0-9-]+$")', ["a-1", "A", "a\n<script>", "a\n"])).toEqual([true, false, false, false]);
  });

  it("takes linear time for expressions at which backtracking engines stop", async () => {
    const hostile = `${"a".repeat(50_000)}!`;
    expect(await accepted('String @pattern(regexp: "^(a+)+$")', [hostile, "aa"])).toEqual([false, true]);
  });

  it("refuses a text that is too long to judge, and says how long it may be", async () => {
    await at.kernel.deploy('type A { a: String @pattern(regexp: "a") }');
    const message = await refusal("mutation M($a: String) { addA(input: [{ a: $a }]) { numUids } }", { a: "a".repeat(65_537) });
    expect(message).toBe('A.a breaks @pattern(regexp: "a"): found a text of 65537 characters (65536 are allowed).');
    await data("mutation M($a: String) { addA(input: [{ a: $a }]) { numUids } }", { a: "a".repeat(65_536) });
  });
});

describe("@format", () => {
  const cases: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
    EMAIL: {
      good: ["a@b.org", "o'neil+x@mail.example.co"],
      bad: ["", "a@", "a b@c.org", "a@b..org", "a@-b.org", "a@b.org\n", `${"a".repeat(250)}@b.org`],
    },
    URL: {
      good: ["http://a", "https://example.org:8080/a?b=c#d", "https://[::1]/"],
      bad: ["", "example.org", "ftp://a", "javascript:alert(1)", " https://a", "https://a b", "https://", "https://a:99999"],
    },
    UUID: { good: ["00000000-0000-0000-0000-00000000000A"], bad: ["", "00000000000000000000000000000000", "{00000000-0000-0000-0000-000000000000}"] },
    SLUG: { good: ["a", "a-1-b"], bad: ["", "-a", "a-", "a--b", "A", "ä", "a_b"] },
    IP: { good: ["127.0.0.1", "::1", "2001:db8::7"], bad: ["", "256.0.0.1", "1.2.3", "::g", "127.0.0.1/8"] },
  };
  for (const [type, { good, bad }] of Object.entries(cases)) {
    it(`${type} accepts and refuses`, async () => {
      expect(await accepted(`String @format(type: ${type})`, good)).toEqual(good.map(() => true));
      expect(await accepted(`String @format(type: ${type})`, bad)).toEqual(bad.map(() => false));
    });
  }
});

describe("a rule", () => {
  const schema = `
    interface Named { name: String! @id @length(max: 5) }
    type Owner implements Named { boats: [Boat] @hasInverse(field: owner)  fleet: [Craft] }
    type Boat implements Named { owner: Owner  seats: Int @range(max: 9) @default(add: { value: "10" }, update: { value: "11" }) }
    type BoatShed { seats: Int }
    union Craft = Boat | BoatShed`;

  beforeEach(() => at.kernel.deploy(schema));
  const seats = (found: number) => `Boat.seats breaks @range(max: 9): found ${found}.`;

  it("judges nested objects, also below a union, and no type with a similar name", async () => {
    expect(await refusal('mutation { addOwner(input: [{ name: "o", boats: [{ name: "b", seats: 12 }] }]) { numUids } }')).toBe(seats(12));
    const below = (type: string, more: string) =>
      `mutation { addOwner(input: [{ name: "o", fleet: [{ ${type}Ref: { seats: 12 ${more} } }] }]) { numUids } }`;
    expect(await refusal(below("boat", 'name: "b"'))).toBe(seats(12));
    await data(below("boatShed", ""));
    expect(await data("{ queryBoat { name } queryBoatShed { seats } }")).toEqual({ queryBoat: [], queryBoatShed: [{ seats: 12 }] });
  });

  it("judges inherited fields by the type that has them", async () => {
    expect(await refusal('mutation { addOwner(input: [{ name: "longer" }]) { numUids } }')).toBe(
      "Owner.name breaks @length(max: 5): found 6 characters.",
    );
  });

  it("judges updates through an interface", async () => {
    await data('mutation { addOwner(input: [{ name: "o" }]) { numUids } }');
    expect(await refusal('mutation { updateNamed(input: { filter: { name: { eq: "o" } }, set: { name: "longer" } }) { numUids } }')).toBe(
      "Owner.name breaks @length(max: 5): found 6 characters.",
    );
  });

  it("judges defaults, and values of an upsert", async () => {
    expect(await refusal('mutation { addBoat(input: [{ name: "b" }]) { numUids } }')).toBe(seats(10));
    await data('mutation { addBoat(input: [{ name: "b", seats: 1 }]) { numUids } }');
    expect(await refusal('mutation { addBoat(input: [{ name: "b" }], upsert: true) { numUids } }')).toBe("Boat.seats breaks @range(max: 9).");
    expect(await data("{ queryBoat { seats } }")).toEqual({ queryBoat: [{ seats: 1 }] });
  });

  it("judges all objects of a mutation, and names ten broken rules without texts", async () => {
    const input = Array.from({ length: 20 }, (_, i) => ({ name: `b${i}`, seats: 10 + i }));
    const message = await refusal("mutation M($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }", { input });
    expect(message).toBe(Array.from({ length: 10 }, (_, i) => seats(10 + i)).join(" "));
    expect(await data("{ aggregateBoat { count } }")).toEqual({ aggregateBoat: { count: 0 } });
  });

  it("judges only what an update writes", async () => {
    await at.kernel.deploy("type Boat { id: ID!  seats: Int  name: String }");
    await data('mutation { addBoat(input: [{ name: "b", seats: 99 }]) { numUids } }');
    await at.kernel.deploy("type Boat { id: ID!  seats: Int @range(max: 9)  name: String }");
    await data('mutation { updateBoat(input: { filter: {}, set: { name: "c" } }) { numUids } }');
    expect(await refusal("mutation { updateBoat(input: { filter: {}, set: { seats: 98 } }) { numUids } }")).toBe(seats(98));
    await data("mutation { updateBoat(input: { filter: {}, remove: { seats: null } }) { numUids } }");
  });
});

describe("a deploy", () => {
  async function warnings(schema: string): Promise<readonly string[]> {
    const found: string[] = [];
    await at.kernel.deploy(schema, { onWarning: (message) => found.push(message) });
    return found;
  }

  it("goes through over data that break a new rule, and counts the objects once", async () => {
    const plain = "interface Named { name: String } type A implements Named { tags: [String] } type B implements Named { n: Int }";
    const ruled = plain.replaceAll("name: String", "name: String @length(max: 2)").replace("[String]", "[String] @length(min: 2)");
    await at.kernel.deploy(plain);
    const objects =
      'addA(input: [{ name: "abc", tags: ["x"] }, { name: "abcd" }, { name: "ab", tags: ["x", "y"] }]) { numUids } addB(input: [{ name: "abc" }]) { numUids }';
    await data(`mutation { ${objects} }`);
    expect(await warnings(ruled)).toEqual([
      "Type A; Field name: 2 objects break @length(max: 2). Stored values stay as they are; writes of the field are judged.",
      "Type A; Field tags: 1 object breaks @length(min: 2). Stored values stay as they are; writes of the field are judged.",
      "Type B; Field name: 1 object breaks @length(max: 2). Stored values stay as they are; writes of the field are judged.",
    ]);
    expect(await warnings(`${ruled} type C { n: Int }`)).toEqual([]);
    expect(await data("{ queryNamed { name } }")).toEqual({ queryNamed: [{ name: "abc" }, { name: "abcd" }, { name: "ab" }, { name: "abc" }] });
  });

  const refusals: Readonly<Record<string, string>> = {
    "a: Int @range": "Type A; Field a: @range needs min or max, or both.",
    "a: Int @range(min: 2, max: 1)": "Type A; Field a: @range has a min of 2 above its max of 1.",
    "a: String @range(min: 1)": "Type A; Field a: @range is for Int, Int64 and Float fields, and lists of them.",
    "a: Int @length(min: 1)": "Type A; Field a: @length is for String fields and lists.",
    "a: String @length(min: -1)": "Type A; Field a: @length has a negative bound; a length is 0 or more.",
    "a: A @length(min: 1)": "Type A; Field a: @length is for String fields and lists.",
    'a: Int @pattern(regexp: "a")': "Type A; Field a: @pattern is for String fields, and lists of them.",
    'a: String @pattern(regexp: "a{1000}b{1000}")': expect.stringMatching(
      /^Type A; Field a: @pattern has a regular expression of \d+ steps; 1000 are allowed\./,
    ),
    'a: String @pattern(regexp: "(?=a)")': expect.stringMatching(
      /^Type A; Field a: @pattern has an invalid regular expression: .* RE2 has no backreferences and no lookaround\.$/,
    ),
    "a: DateTime @format(type: UUID)": "Type A; Field a: @format is for String fields, and lists of them.",
  };
  for (const [field, message] of Object.entries(refusals)) {
    it(`refuses ${field}`, async () => {
      const errors = await at.kernel.validate(`type A { id: ID!\n${field} }`);
      expect(errors.map((each) => each.message)).toEqual([message]);
      expect(errors[0]?.locations?.[0]?.line).toBe(2);
    });
  }

  it("adds nothing to a schema without these words", async () => {
    await at.kernel.deploy("type TextFormat { range: Int  length: Int  pattern: String  format: String }");
    const { body } = await at.kernel.execute({ query: "{ __schema { directives { name } types { name kind } } }" });
    const { directives, types } = JSON.parse(body).data.__schema;
    for (const name of ["range", "length", "pattern", "format"]) expect(directives).not.toContainEqual({ name });
    expect(types).toContainEqual({ name: "TextFormat", kind: "OBJECT" });
  });
});
