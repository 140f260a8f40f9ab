import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const farm = `
  interface Being { id: ID!  tag: String! @id  age: Int @search }
  type Farm { code: String! @id  animals: [Animal] @hasInverse(field: farm)  beings: [Being] }
  type Animal implements Being { name: String @search(by: [exact])  milk: Float  born: DateTime  chip: Int64  farm: Farm }
  type Worker implements Being { wage: Int }
`;

async function yard() {
  const api = await deploy(farm);
  await api.seed({
    hill: ["Farm", { code: "hill", animals: ["cow", "goat"], beings: ["cow", "max"] }],
    dale: ["Farm", { code: "dale" }],
    cow: ["Animal", { tag: "c", age: 7, name: "Zoë", milk: 2.5, born: "2031-04-09T06:00:00+02:00", chip: 9007199254740993n }],
    goat: ["Animal", { tag: "g", age: 2147483640, name: "", milk: -1, born: "2031-04-09T05:00:00Z", chip: 2n }],
    calf: ["Animal", { tag: "k" }],
    max: ["Worker", { tag: "m", age: 40, wage: 10 }],
  });
  return api;
}

describe("aggregates at the root", () => {
  it("measure present values and skip missing ones", async () => {
    const api = await yard();
    expect(
      await api.ask(
        "{ aggregateAnimal { __typename count ageMin ageMax ageSum ageAvg nameMin nameMax milkSum milkAvg bornMin bornMax chipSum n: count } }",
      ),
    ).toEqual({
      data: {
        aggregateAnimal: {
          __typename: "AnimalAggregateResult",
          count: 3,
          ageMin: 7,
          ageMax: 2147483640,
          ageSum: 2147483647,
          ageAvg: 1073741823.5,
          nameMin: "",
          nameMax: "Zoë",
          milkSum: 1.5,
          milkAvg: 0.75,
          bornMin: "2031-04-09T06:00:00+02:00",
          bornMax: "2031-04-09T05:00:00Z",
          chipSum: 9007199254740995n,
          n: 3,
        },
      },
    });
  });

  it("take a filter; no match is a count of 0", async () => {
    const api = await yard();
    expect(
      await api.ask(
        "{ a: aggregateAnimal(filter: {age: {lt: 8}}) { count ageSum } b: aggregateAnimal(filter: {age: {lt: 1}}) { count ageSum } c: aggregateBeing { count ageMin } }",
      ),
    ).toEqual({
      data: { a: { count: 1, ageSum: 7 }, b: { count: 0, ageSum: null }, c: { count: 4, ageMin: 7 } },
    });
  });
});

describe("aggregates of a list", () => {
  it("measure each parent's own partners, alias by alias", async () => {
    const api = await yard();
    expect(
      await api.ask(
        "{ queryFarm { code animalsAggregate { count milkSum } few: animalsAggregate(filter: {age: {lt: 8}}) { count nameMax } beingsAggregate { count ageMax } } }",
      ),
    ).toEqual({
      data: {
        queryFarm: [
          {
            code: "hill",
            animalsAggregate: { count: 2, milkSum: 1.5 },
            few: { count: 1, nameMax: "Zoë" },
            beingsAggregate: { count: 2, ageMax: 40 },
          },
          {
            code: "dale",
            animalsAggregate: { count: 0, milkSum: null },
            few: { count: 0, nameMax: null },
            beingsAggregate: { count: 0, ageMax: null },
          },
        ],
      },
    });
  });
});

it("aggregates of an interface without implementing types are empty, at the root and nested", async () => {
  const api = await deploy(`
    interface Ghost { id: ID!  name: String! @id }
    type House { id: ID!  door: Int  ghosts: [Ghost] }
  `);
  await api.seed({ h: ["House", { door: 7 }] });
  expect(await api.ask("{ aggregateGhost { count nameMin } queryHouse { ghosts { name } ghostsAggregate { count nameMax } } }")).toEqual({
    data: { aggregateGhost: { count: 0, nameMin: null }, queryHouse: [{ ghosts: [], ghostsAggregate: { count: 0, nameMax: null } }] },
  });
});
