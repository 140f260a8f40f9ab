// What an operation is taken to cost before it runs.

import { expect, it } from "vitest";
import { estimateCost } from "../../core/query/plan/estimate-cost.ts";
import { deploy } from "./harness.ts";

it("counts the rows that first lets through; first: 0 lets all through, a negative one the last ones", async () => {
  const api = await deploy("type Boat { name: String! @id  crew: [Sailor] } type Sailor { nick: String! @id }");
  const cost = (query: string) => estimateCost(api.plan(query), {});
  const whole = cost("{ queryBoat { name } }");
  expect(cost("{ queryBoat(first: 5) { name } }")).toBe(5);
  expect(cost("{ queryBoat(first: -5) { name } }")).toBe(5);
  expect(cost("{ queryBoat(first: 0) { name } }")).toBe(whole);
  expect(cost("{ queryBoat(first: 5) { crew(first: 0) { nick } } }")).toBe(cost("{ queryBoat(first: 5) { crew { nick } } }"));
});
