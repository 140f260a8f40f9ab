import { describe, expect, it } from "vitest";
import { deploy, type TestApi } from "./harness.ts";

const loose = "type Fleet { name: String! @id  ships: [Ship] @hasInverse(field: fleet) }  type Ship { no: Int! @id  length: Int  fleet: Fleet }";
const strict = loose.replace("length: Int", "length: Int!");

/** One fleet of `count` ships; those whose number `missing` divides have no length. */
async function fleetOf(count: number, missing: number): Promise<TestApi> {
  const api = await deploy(loose);
  const ships = Array.from(
    { length: count },
    (_, no) => [`s${no}`, ["Ship", { no, ...(no % missing === 0 ? {} : { length: no * 2 }), fleet: "east" }]] as const,
  );
  await api.seed({ east: ["Fleet", { name: "east" }], ...Object.fromEntries(ships) });
  return api.redeploy(strict);
}

describe.each([[255], [4096], [4097], [10_000]])("a list of %i", (count) => {
  it("is complete at the root and below one object, with the path of every error", async () => {
    const api = await fleetOf(count, 1000);
    const { data, errors } = await api.ask("{ a: queryShip { no length fleet { name } } b: queryFleet { ships { no length } } }");
    const rows = Array.from({ length: count }, (_, no) => (no % 1000 === 0 ? null : { no, length: no * 2 }));
    expect(data).toEqual({ a: rows.map((row) => row && { ...row, fleet: { name: "east" } }), b: [{ ships: rows }] });
    const failed = rows.flatMap((row, no) => (row === null ? [no] : []));
    expect(errors?.map(({ path }) => path)).toEqual([
      ...failed.map((no) => ["a", no, "length"]),
      ...failed.map((no) => ["b", 0, "ships", no, "length"]),
    ]);
  });
});

describe("an object with many parents", () => {
  it("has its errors reported at every path", async () => {
    const api = await (await deploy("type Loan { no: Int! @id  book: Book }  type Book { title: String @search(by: [hash])  year: Int }")).redeploy(
      "type Loan { no: Int! @id  book: Book }  type Book { title: String! @search(by: [hash])  year: Int }",
    );
    await api.seed({
      b: ["Book", { year: 1 }],
      one: ["Loan", { no: 1, book: "b" }],
      two: ["Loan", { no: 2, book: "b" }],
      three: ["Loan", { no: 3 }],
    });
    const { data, errors } = await api.ask("{ queryLoan { no book { title } } years: queryLoan { book { year } } }");
    expect(data).toEqual({
      queryLoan: [
        { no: 1, book: null },
        { no: 2, book: null },
        { no: 3, book: null },
      ],
      years: [{ book: { year: 1 } }, { book: { year: 1 } }, { book: null }],
    });
    expect(errors?.map(({ path }) => path)).toEqual([
      ["queryLoan", 0, "book", "title"],
      ["queryLoan", 1, "book", "title"],
    ]);
  });
});

describe("writing a large answer", () => {
  it("lets other tasks run in between", async () => {
    const api = await fleetOf(10_000, 1_000_000);
    const asked = `{ queryFleet { ships { ${Array.from({ length: 60 }, (_, i) => `a${i}: length`).join(" ")} } } }`;
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    await api.ask(asked);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
  });
});
