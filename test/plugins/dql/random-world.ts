// Random graphs of towns and roads, and random DQL documents about them.

import fc from "../../support/properties.ts";

export const schema = `
  type Town {
    name: String! @id
    size: Int @search
    wealth: Float @search
    motto: String @search(by: [exact, term])
    tags: [String] @search(by: [exact])
    roads: [Town]
    capital: Town
  }`;

export interface Town {
  readonly uid: number;
  readonly name: string;
  readonly size: number | undefined;
  readonly wealth: number | undefined;
  readonly motto: string | undefined;
  readonly tags: readonly string[];
  /** Places in the list of towns. */
  readonly roads: readonly number[];
  readonly capital: number | undefined;
}

const words = ["mill", "river", "Stone", "é"];
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

export const anyTowns: fc.Arbitrary<readonly Omit<Town, "uid" | "name">[]> = fc.integer({ min: 1, max: 8 }).chain((count) => {
  const place = fc.nat(count - 1);
  const town = fc.record({
    size: optional(fc.integer({ min: -2, max: 4 })),
    wealth: optional(fc.integer({ min: -4, max: 4 }).map((each) => each / 2)),
    motto: optional(fc.array(fc.constantFrom(...words), { maxLength: 2 }).map((each) => each.join(" "))),
    tags: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
    roads: fc.uniqueArray(place, { maxLength: 4 }),
    capital: optional(place),
  });
  return fc.array(town, { minLength: count, maxLength: count });
});

/** Conditions on one town, as DQL and as a plain function. */
export interface Condition {
  readonly text: string;
  readonly holds: (town: Town, towns: readonly Town[]) => boolean;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

const byNumber = fc
  .tuple(fc.constantFrom("eq", "lt", "le", "gt", "ge"), fc.constantFrom("size" as const, "wealth" as const), fc.integer({ min: -2, max: 4 }))
  .map(
    ([operator, field, operand]): Condition => ({
      text: `${operator}(Town.${field}, ${operand})`,
      holds: (town) => town[field] !== undefined && comparisons[operator]?.(town[field], operand) === true,
    }),
  );
const byCount = fc
  .tuple(fc.constantFrom("eq", "lt", "le", "gt", "ge"), fc.constantFrom("roads" as const, "tags" as const), fc.integer({ min: 0, max: 3 }))
  .map(
    ([operator, field, operand]): Condition => ({
      text: `${operator}(count(Town.${field}), ${operand})`,
      holds: (town) => comparisons[operator]?.(town[field].length, operand) === true,
    }),
  );
const byPresence = fc
  .constantFrom("size" as const, "motto" as const, "tags" as const, "roads" as const, "capital" as const)
  .map((field): Condition => ({ text: `has(Town.${field})`, holds: (town) => isPresent(town[field]) }));
const byTag = fc.constantFrom("a", "b", "c").map((tag): Condition => ({ text: `eq(Town.tags, "${tag}")`, holds: (town) => town.tags.includes(tag) }));
const byWords = fc
  .tuple(fc.constantFrom("anyofterms", "allofterms"), fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }))
  .map(([name, wanted]): Condition => {
    const found = (town: Town) => new Set((town.motto ?? "").toLowerCase().split(" "));
    const isThere = (town: Town) => (word: string) => found(town).has(word.toLowerCase());
    return {
      text: `${name}(Town.motto, "${wanted.join(" ")}")`,
      holds: (town) => (name === "anyofterms" ? wanted.some(isThere(town)) : wanted.every(isThere(town))),
    };
  });
const byPattern = fc.constantFrom("mill", "^Sto", "r$").map(
  (pattern): Condition => ({
    text: `regexp(Town.motto, /${pattern}/)`,
    holds: (town) => town.motto !== undefined && town.motto !== "" && new RegExp(pattern, "m").test(town.motto),
  }),
);
const one = fc.oneof(byNumber, byCount, byPresence, byTag, byWords, byPattern);

export const anyCondition: fc.Arbitrary<Condition> = fc.letrec<{ readonly condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small" },
    one,
    tie("condition").map((each): Condition => ({ text: `not (${each.text})`, holds: (...town) => !each.holds(...town) })),
    fc.tuple(tie("condition"), tie("condition"), fc.boolean()).map(
      ([a, b, isAnd]): Condition => ({
        text: `(${a.text} ${isAnd ? "and" : "or"} ${b.text})`,
        holds: (...town) => (isAnd ? a.holds(...town) && b.holds(...town) : a.holds(...town) || b.holds(...town)),
      }),
    ),
  ),
})).condition;

export interface Cut {
  readonly order: { readonly field: "size" | "wealth" | "motto"; readonly descending: boolean } | undefined;
  readonly first: number | undefined;
  readonly offset: number | undefined;
}

export const anyCut: fc.Arbitrary<Cut> = fc
  .record({
    order: optional(fc.record({ field: fc.constantFrom("size" as const, "wealth" as const, "motto" as const), descending: fc.boolean() })),
    first: optional(fc.integer({ min: -3, max: 4 })),
    offset: optional(fc.nat(3)),
  })
  .map((cut) => (cut.order && (cut.first ?? 0) < 0 ? { ...cut, first: undefined } : cut));

/** Fields of one level. */
export interface Shape {
  readonly scalars: readonly ("name" | "size" | "wealth" | "motto" | "tags")[];
  readonly counts: boolean;
  readonly cascade: boolean;
  readonly edges: readonly Edge[];
}
export interface Edge {
  readonly name: "roads" | "capital";
  readonly filter: Condition | undefined;
  readonly cut: Cut;
  readonly shape: Shape;
}

export const anyShape: fc.Arbitrary<Shape> = fc.letrec<{ readonly shape: Shape; readonly edge: Edge }>((tie) => ({
  shape: fc.record({
    scalars: fc.uniqueArray(fc.constantFrom("name" as const, "size" as const, "wealth" as const, "motto" as const, "tags" as const), {
      minLength: 1,
      maxLength: 3,
    }),
    counts: fc.boolean(),
    cascade: fc.boolean(),
    edges: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("edge"), { maxLength: 1 })),
  }),
  edge: fc.record({ name: fc.constantFrom("roads" as const, "capital" as const), filter: optional(anyCondition), cut: anyCut, shape: tie("shape") }),
})).shape;

export function isPresent(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
