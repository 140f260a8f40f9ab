// Filters of thousands of members: they are compiled in a turn of their own, and not once more to be printed.

import { parse } from "graphql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultLimits } from "../../core/ground/limits.ts";
import { runAtOnce } from "../../core/ground/work.ts";
import { planOperation } from "../../core/query/plan/plan-operation.ts";
import { printPlan } from "../../core/query/plan/print.ts";
import { bindTarget } from "../../core/query/read/bind.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";
import { newPlace, type Place } from "../support/storage.ts";
import { deployOn, type TestApi } from "./test-api.ts";

class CountingBudget extends RequestBudget {
  turns = 0;

  override async turn(): Promise<void> {
    this.turns++;
  }
}

let place: Place;
let api: TestApi;
beforeEach(async () => {
  place = await newPlace();
  const storage = place.storage();
  await storage.open();
  api = await deployOn(storage, "type Mill { name: String! @id  power: Int @search }", {});
});
afterEach(async () => {
  await api.storage.close();
  await place.remove();
});

const ranges = (count: number) => ({ or: Array.from({ length: count }, (_, i) => ({ power: { between: { min: i * 20, max: i * 20 + 9 } } })) });

async function turnsToBind(filter: unknown): Promise<number> {
  const node = api.deployment.api.filters.get("MillFilter")?.node;
  if (!node) throw new TypeError("no Mill");
  const budget = new CountingBudget({ limits: defaultLimits });
  const request = { id: "1", now: "2031-04-09T06:00:00Z", headers: {}, facts: {} };
  await bindTarget({ target: node, types: node.members, filter, purpose: "query" }, { request, deployment: api.deployment, budget });
  return budget.turns;
}

describe("a filter", () => {
  it("of few members is compiled at once", async () => expect(await turnsToBind(ranges(20))).toBe(0));

  it("of thousands is compiled in a turn of its own: one begins before, and one after", async () => expect(await turnsToBind(ranges(5_000))).toBe(2));

  it("of thousands is counted by a printed plan, and not compiled for it", () => {
    const document = parse("query ($or: [MillFilter!]) { aggregateMill(filter: { or: $or }) { count } }");
    const [operation] = document.definitions;
    if (operation?.kind !== "OperationDefinition") throw new TypeError("no operation");
    const plan = runAtOnce(planOperation(api.deployment.api, document, operation));
    const printed = (variables: object) => printPlan(plan, { ...api.deployment, variables: { ...variables } });
    const refused = { power: { between: { min: 1, max: "never" } } };
    expect(printed(ranges(5_000))).toContain("where a filter of more than 1000 members holds");
    expect(printed({ or: [...ranges(5_000).or, refused] })).toContain("where a filter of more than 1000 members holds");
    expect(printed(ranges(2))).toContain("where Mill.power between 0 and 9 or Mill.power between 20 and 29");
  });

  it("of thousands finds what each of its members finds", async () => {
    await api.seed(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`m${n}`, ["Mill", { name: `m${n}`, power: n }]] as const)));
    const { or } = ranges(5_000);
    const asked = "query ($or: [MillFilter!]) { aggregateMill(filter: { or: $or }) { count } }";
    expect(await api.ask(asked, { or })).toEqual({ data: { aggregateMill: { count: 20 } } });
  });
});
