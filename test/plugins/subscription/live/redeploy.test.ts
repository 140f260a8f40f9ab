// A live query across deploys: it goes on under the new schema, gets a result only if its data differ, and ends only if that schema refuses it.

import { afterEach, describe, expect, it, vi } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { createKernel } from "../../../../core/index.ts";
import { type Live, liveApi, liveOn } from "../../../support/live-clients.ts";
import { newPlace, storageName } from "../../../support/storage.ts";
import { line, namespace, signed, token } from "../../auth/token.ts";

const boat = (fields = "length: Int @search", live = "@withSubscription") => `type Boat ${live} { name: String! @id  ${fields} }`;
const log = (rule = "") => `type Log @withSubscription ${rule} { text: String! @id  keeper: String @search(by: [hash]) }`;
const own = `@auth(query: { rule: "query($ME: String!) { queryLog(filter: {keeper: {eq: $ME}}) { text } }" })`;
const boats = "subscription { queryBoat(order: {asc: name}) { name } }";
const logs = "subscription { queryLog(order: {asc: text}) { text } }";
const add = (name: string) => `mutation { addBoat(input: [{name: "${name}"}]) { numUids } }`;
const fleet = (...all: string[]) => ({ queryBoat: all.map((name) => ({ name })) });
const texts = (...all: string[]) => ({ queryLog: all.map((text) => ({ text })) });
const as = (claims: object, root = {}) => ({ headers: { "x-harbour": token(claims, root) } });

let open: (Live & { remove(): Promise<void> })[] = [];
afterEach(async () => {
  for (const each of open) await each.remove();
  open = [];
});
async function serving(text: string) {
  const api = await liveApi(text);
  open.push(api);
  const deploy = async (next: string) => {
    await api.kernel.deploy(next);
    await api.settled();
  };
  return Object.assign(api, { deploy });
}
const refused = (message: unknown) => ({ kind: "redeployed", errors: [expect.objectContaining({ message })] });

describe("a live query after a deploy", () => {
  it("continues without a result while its data are unchanged, and sends later changes", async () => {
    const api = await serving(boat());
    await api.change(add("Ada"));
    const client = await api.watch(boats);
    await api.deploy(`${boat()}\ntype Berth { number: Int }`);
    await api.deploy(boat("length: Int  berth: String"));
    expect([client.data, client.ending]).toEqual([[fleet("Ada")], undefined]);
    await api.change(add("Bea"));
    expect(client.data).toEqual([fleet("Ada"), fleet("Ada", "Bea")]);
  });

  it("sends the reduced result at once when a new rule hides data", async () => {
    const api = await serving(`${log()}\n${line}`);
    await api.query(`mutation { addLog(input: [{text: "a", keeper: "ann"}, {text: "b", keeper: "bo"}]) { numUids } }`);
    const [ann, bo, nobody] = [await api.watch(logs, as({ ME: "ann" })), await api.watch(logs, as({ ME: "bo" })), await api.watch(logs)];
    expect(api.queries).toBe(1);
    await api.deploy(`${log(own)}\n${line}`);
    expect([ann, bo, nobody].map((each) => each.data.slice(1))).toEqual([[texts("a")], [texts("b")], [texts()]]);
    expect(api.queries).toBe(3);
  });

  it("drops a pending result that a new rule hides", async () => {
    const api = await serving(`${log()}\n${line}`);
    const slow = await api.watch(logs, as({ ME: "ann" }));
    slow.isReady = false;
    await api.change(`mutation { addLog(input: [{text: "a", keeper: "ann"}, {text: "b", keeper: "bo"}]) { numUids } }`);
    await api.kernel.deploy(`${log(own)}\n${line}`);
    slow.isReady = true;
    slow.subscription?.drained();
    await api.settled();
    expect(slow.data).toEqual([texts(), texts("a")]);
  });

  it("continues with its variables coerced again, including defaults of the new schema", async () => {
    const api = await serving(boat());
    await api.query('mutation { addBoat(input: [{name: "Ada", length: 1}, {name: "Bea", length: 2}]) { numUids } }');
    const query = "subscription ($filter: BoatFilter) { queryBoat(filter: $filter, order: {asc: name}) { name } }";
    const client = await api.watch(query, { variables: { filter: { length: { eq: 2 } } } });
    await api.deploy(`${boat("length: Int @search  berth: Int @search")}`);
    expect([client.data, client.ending]).toEqual([[fleet("Bea")], undefined]);
  });

  it("continues through consecutive deploys, even before its first result", async () => {
    const api = await serving(`${boat()}\n${line}`);
    const before = await api.watch(boats);
    const begun = Array.from({ length: 20 }, (_, i) => api.begin(`subscription Begun${i} { queryBoat { name } }`, as({ ME: `u${i}` })));
    const deploys = [1, 2, 3].map((n) => api.kernel.deploy(`${boat()}\ntype Berth${n} { number: Int }\n${line}`));
    const between = api.begin(boats, as({ ME: "between" }));
    await Promise.all(deploys);
    await api.settled();
    await api.change(add("Ada"));
    for (const each of [before, between, ...begun]) expect([each.data, each.ending]).toEqual([[fleet(), fleet("Ada")], undefined]);
  });

  it("continues among many distinct queries, while requests are answered in between", async () => {
    const api = await serving(boat());
    const clients = Array.from({ length: 1_000 }, (_, i) => api.begin(`subscription Own${i} { queryBoat { name } }`));
    await api.settled();
    await api.kernel.deploy(boat("length: Int  berth: String"));
    expect(api.kernel.gauges.read().liveRunsDue).toBeGreaterThan(500);
    await api.query("{ queryBoat { name } }");
    expect(api.kernel.gauges.read().liveRunsDue).toBeGreaterThan(100);
    await api.settled();
    await api.change(add("Ada"));
    for (const { data } of clients) expect(data).toEqual([fleet(), fleet("Ada")]);
  });

  it("continues unchanged if the deploy is refused", async () => {
    const api = await serving(boat());
    const client = await api.watch(boats);
    const runs = api.runs;
    await expect(api.kernel.deploy("type Boat { name: Nothing }")).rejects.toThrow();
    await api.settled();
    expect(api.runs).toBe(runs);
    await api.change(add("Ada"));
    expect(client.last).toEqual(fleet("Ada"));
  });

  it("continues with a resume token of an earlier schema", async () => {
    const api = await serving(boat());
    const first = await api.watch(boats);
    const resume = first.results[0]?.extensions.resume ?? "";
    first.subscription?.stop();
    await api.deploy(boat("length: Int  berth: String"));
    const again = await api.watch(boats, { resume });
    await api.deploy(boat());
    expect(again.results).toEqual([]);
    await api.change(add("Ada"));
    expect(again.data).toEqual([fleet("Ada")]);
  });
});

describe("a live query under a new schema", () => {
  it("ends with an error when its field is gone; other live queries continue", async () => {
    const api = await serving(boat());
    const [gone, stays] = [await api.watch("subscription { queryBoat { name length } }"), await api.watch(boats)];
    await api.deploy(boat("berth: Int"));
    expect(gone.ending).toEqual({
      kind: "redeployed",
      errors: [{ message: 'Cannot query field "length" on type "Boat". Did you mean "berth"?', locations: [{ line: 1, column: 33 }] }],
    });
    await api.change(add("Ada"));
    expect([stays.last, stays.ending]).toEqual([fleet("Ada"), undefined]);
    expect(api.kernel.gauges.read().liveSubscriptions).toBe(1);
  });

  it("ends with an error when subscriptions are no longer allowed on its type or at all", async () => {
    const api = await serving(`${boat()}\n${log()}`);
    const [one, other] = [await api.watch(boats), await api.watch(logs)];
    await api.deploy(`${boat("length: Int", "")}\n${log()}`);
    expect([one.ending, other.ending]).toEqual([
      refused(expect.stringContaining('Cannot query field "queryBoat" on type "Subscription"')),
      undefined,
    ]);
    await api.deploy(boat("length: Int", ""));
    const message = "Not resolving subscription because schema doesn't have any fields defined for subscription operation.";
    expect(other.ending).toEqual({ kind: "redeployed", errors: [{ message }] });
  });

  it("ends with an error when its variables do not fit", async () => {
    const api = await serving(boat());
    const query = "subscription ($filter: BoatFilter) { queryBoat(filter: $filter) { name } }";
    const client = await api.watch(query, { variables: { filter: { length: { eq: 2 } } } });
    await api.deploy(boat("berth: Int @search"));
    expect(client.ending).toEqual(refused(expect.stringContaining('Field "length" is not defined by type "BoatFilter"')));
  });

  it("ends with an error when its token is rejected or one is required; a valid token continues", async () => {
    const api = await serving(`${boat()}\n${line}`);
    const other = { headers: { "x-harbour": signed({ alg: "HS256", typ: "JWT" }, { [namespace]: {} }, "another secret of the harbour") } };
    const [ours, anonymous] = [await api.watch(boats, as({ ME: "ann" })), await api.watch(boats)];
    await api.deploy(`${boat()}\n${line.replace(/"VerificationKey":"[^"]*"/, '"VerificationKey":"another secret of the harbour"')}`);
    expect([ours.ending, anonymous.ending]).toEqual([refused(expect.stringContaining("token signature is invalid")), undefined]);
    const theirs = await api.watch(boats, other);
    await api.deploy(
      `${boat()}\n${line.replace(/"VerificationKey":"[^"]*"/, '"VerificationKey":"another secret of the harbour","ClosedByDefault":true')}`,
    );
    expect([anonymous.ending, theirs.ending]).toEqual([refused("a valid JWT is required but was not provided"), undefined]);
  });

  it("ends when its token expires, once the schema reads tokens", async () => {
    const api = await serving(boat());
    const exp = Math.floor(Date.now() / 1000) + 4;
    const client = await api.watch(boats, as({}, { exp }));
    await api.deploy(`${boat()}\n${line}`);
    expect(client.ending).toBeUndefined();
    await vi.waitFor(() => expect(client.ending).toMatchObject({ kind: "expired", limit: "token" }), { timeout: 60_000 });
    expect(client.endedAt).toBeGreaterThanOrEqual(exp * 1000);
  });
});

it("interrupts a live query that is being replanned when the server drains or closes", async () => {
  const api = await serving(`${boat()}\n${line}`);
  const begin = () => Array.from({ length: 50 }, (_, i) => api.begin(boats, as({ ME: `u${i}` })));
  const drained = begin();
  await api.settled();
  await api.kernel.deploy(boat("length: Int  berth: String"));
  api.kernel.setDraining(true);
  for (const each of drained) expect(each.ending).toEqual({ kind: "interrupted", by: "draining" });
  api.kernel.setDraining(false);
  const closed = begin();
  await api.settled();
  await api.kernel.deploy(`${boat()}\n${line}`);
  open = [];
  await api.remove();
  for (const each of closed) expect(each.ending).toEqual({ kind: "interrupted", by: "shutdown" });
});

it.runIf(storageName === "mongodb")("continues a live query under a schema that another server deploys", async () => {
  const place = await newPlace();
  const kernels = [1, 2].map(() => createKernel({ storage: place.storage(), plugins: standardPlugins(), log: { level: "silent" } }));
  const [here, there] = [kernels[0] ?? expect.unreachable(), kernels[1] ?? expect.unreachable()];
  try {
    for (const each of kernels) await each.open();
    await here.deploy(boat());
    const api = liveOn(here);
    const [stays, ends] = [await api.watch(boats), await api.watch("subscription { queryBoat { length } }")];
    await there.deploy(boat("berth: Int"));
    await vi.waitFor(() => expect(ends.ending?.kind).toBe("redeployed"), { timeout: 60_000 });
    await there.execute({ query: add("Ada") });
    await vi.waitFor(() => expect(stays.data).toEqual([fleet(), fleet("Ada")]), { timeout: 60_000 });
    expect(stays.ending).toBeUndefined();
  } finally {
    for (const each of kernels) await each.close();
    await place.remove();
  }
});
