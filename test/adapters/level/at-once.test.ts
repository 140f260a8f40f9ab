import { expect, it, vi } from "vitest";
import { deploy } from "../../query/harness.ts";

it("returns cached data synchronously", async () => {
  const api = await deploy(`
    type Harbor { code: String! @id  name: String  boats: [Boat] @hasInverse(field: harbor) }
    type Boat { name: String  harbor: Harbor }
  `);
  await api.seed({ kiel: ["Harbor", { code: "KIL", name: "Kiel", boats: ["argo"] }], argo: ["Boat", { name: "Argo" }] });
  const query = `{ getHarbor(code: "KIL") { name boats { name harbor { code } } } }`;
  await api.ask(query);
  // On a busy machine a turn may end in the middle of a query, which goes on in the next one.
  const answer = await vi.waitFor(() => api.askAtOnce(query), { timeout: 30_000, interval: 10 });
  expect(answer).toEqual({ data: { getHarbor: { name: "Kiel", boats: [{ name: "Argo", harbor: { code: "KIL" } }] } } });
});
