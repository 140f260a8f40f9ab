import { expect, it } from "vitest";
import { liveApi } from "./harness.ts";

it("tells the first result at once, then each change of the data", async () => {
  const api = await liveApi("type Tram @withSubscription { id: ID! code: String! @id seats: Int @search }");
  const trams = await api.watch("subscription { queryTram(order: {asc: code}) { code seats } }");
  expect(trams.data).toEqual([{ queryTram: [] }]);
  await api.change(`mutation { addTram(input: [{code: "T1", seats: 40}]) { numUids } }`);
  expect(trams.last).toEqual({ queryTram: [{ code: "T1", seats: 40 }] });
  await api.change(`mutation { updateTram(input: {filter: {code: {eq: "T1"}}, set: {seats: 40}}) { numUids } }`);
  expect(trams.results).toHaveLength(2);
  await api.change(`mutation { updateTram(input: {filter: {code: {eq: "T1"}}, set: {seats: 41}}) { numUids } }`);
  expect(trams.last).toEqual({ queryTram: [{ code: "T1", seats: 41 }] });
  expect(trams.ending).toBeUndefined();
  console.log(api.runs, api.vainRuns);
  await api.remove();
  expect(trams.ending).toEqual({ kind: "complete", why: "shutdown" });
});
