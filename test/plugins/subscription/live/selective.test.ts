// A commit is tested against the live queries that it may concern, however many others there are: counted, not timed.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { authPlugin } from "../../../../plugins/auth/index.ts";
import { type Live, liveApi } from "../../../support/live-clients.ts";
import { line, token } from "../../auth/token.ts";

const schema = `
  type Message @withSubscription @auth(query: { or: [
    { rule: "query($ME: String!) { queryMessage { room { members(filter: {login: {eq: $ME}}) { login } } } }" }
    { rule: "query($ME: String!) { queryMessage { by(filter: {login: {eq: $ME}}) { login } } }" }
  ] }) { key: String! @id  text: String  room: Room @hasInverse(field: messages)  by: Person @hasInverse(field: wrote) }
  type Room { name: String! @id  messages: [Message]  members: [Person] @hasInverse(field: rooms) }
  type Person { login: String! @id  rooms: [Room]  wrote: [Message] }
  type Task @withSubscription { key: String! @id  title: String  owner: String @search(by: [hash])  helper: String @search(by: [hash])  size: Int @search  open: Boolean @search  board: Board @hasInverse(field: tasks) }
  type Board @withSubscription { name: String! @id  tasks: [Task] }
  ${line}
`;

/** Messages are added by those who see them not. */
const plugins = standardPlugins().map((plugin) => (plugin.name === "auth" ? authPlugin({ writesHidden: true }) : plugin));
const people = 40;
const numbers = Array.from({ length: people }, (_, i) => i);
const boards = numbers.slice(0, 12);
/** More than a query has keys. */
const tasks = Array.from({ length: 205 }, (_, n) => n);
const inputs = (input: (i: number) => string) => numbers.map(input).join(", ");

let api: (Live & { remove(): Promise<void> }) | undefined;
afterEach(async () => {
  await api?.remove();
  api = undefined;
});

async function testsOf(live: Live, mutation: string): Promise<number> {
  const tests = () => live.kernel.gauges.read().liveTestsTotal ?? Number.NaN;
  const before = tests();
  await live.change(mutation);
  return tests() - before;
}

interface Case {
  readonly setup: string;
  readonly query: (i: number) => string;
  /** Concerns the first query alone. */
  readonly commit: string;
}

const cases: Readonly<Record<string, Case>> = {
  "one of two values": {
    setup: `mutation { addTask(input: [${inputs((i) => `{key: "t${i}", title: "", owner: "p${i}", helper: "q${i}"}`)}]) { numUids } }`,
    query: (i) => `queryTask(filter: {owner: {eq: "p${i}"}, or: {helper: {eq: "p${i}"}}}) { title }`,
    commit: `mutation { addTask(input: [{key: "new", title: "new", owner: "x", helper: "p0"}]) { numUids } }`,
  },
  "one of a value and a range": {
    setup: `mutation { addTask(input: [${inputs((i) => `{key: "t${i}", title: "", owner: "p${i}", size: ${i}}`)}]) { numUids } }`,
    query: (i) => `queryTask(filter: {owner: {eq: "p${i}"}, or: {size: {between: {min: ${1000 * i + 1000}, max: ${1000 * i + 1999}}}}}) { title }`,
    commit: `mutation { addTask(input: [{key: "new", title: "new", owner: "x", size: 1500}]) { numUids } }`,
  },
  "one of two ranges of a field": {
    setup: `mutation { addTask(input: [${inputs((i) => `{key: "t${i}", title: "", owner: "p${i}", size: ${i}}`)}]) { numUids } }`,
    query: (i) => `queryTask(filter: {owner: {eq: "p${i}"}, and: {size: {lt: 5}, or: {size: {gt: 100}}}}) { title }`,
    commit: `mutation { addTask(input: [{key: "new", title: "new", owner: "p0", size: 101}]) { numUids } }`,
  },
  "a value of another type than the commit's, which has readers too": {
    setup: `mutation { addTask(input: [{key: "t", title: "", owner: "p0"}]) { numUids } }`,
    query: (i) => (i === 0 ? `queryTask(filter: {owner: {eq: "p0"}}) { title }` : `getBoard(name: "b${i}") { name }`),
    commit: `mutation { updateTask(input: {filter: {key: {eq: "t"}}, set: {title: "new"}}) { numUids } }`,
  },
  "more links than keys": {
    setup: `mutation { addBoard(input: [${boards.map((i) => `{name: "b${i}", tasks: [${tasks.map((n) => `{key: "t${i}-${n}", title: ""}`).join(", ")}]}`).join(", ")}]) { numUids } }`,
    query: (i) => `getBoard(name: "b${i}") { tasks { title } }`,
    commit: `mutation { updateTask(input: {filter: {key: {eq: "t0-7"}}, set: {title: "new"}}) { numUids } }`,
  },
};

describe.each(Object.entries(cases))("live queries by %s", (_, { setup, query, commit }) => {
  it("are tested where a commit has what one of them asks for, and not else", async () => {
    api = await liveApi(schema, { plugins });
    await api.change(setup);
    const clients = numbers.map((i) => api?.begin(`subscription { ${query(i)} }`));
    await api.settled();
    expect(await testsOf(api, commit)).toBeLessThan(people / 4);
    expect(clients[0]?.results).toHaveLength(2);
    for (const client of clients.slice(1)) expect(client?.results).toHaveLength(1);
  });
});

describe("a rule over two links", () => {
  const me = (i: number) => ({ headers: { "x-harbour": token({ ME: `p${i}` }) } });
  const setup = `mutation { addRoom(input: [${inputs((i) => `{name: "r${i}", members: [{login: "p${i}"}]}`)}]) { numUids } }`;
  const say = (key: string, room: string) => `mutation { addMessage(input: [{key: "${key}", text: "hi", room: {name: "${room}"}}]) { numUids } }`;

  it("tests a message against the queries of those who may see it", async () => {
    api = await liveApi(schema, { plugins });
    await api.change(setup);
    const clients = numbers.map((i) => api?.begin("subscription { queryMessage { text } }", me(i)));
    await api.settled();
    const runs = api.runs;
    expect(await testsOf(api, say("m1", "r0"))).toBeLessThan(people / 4);
    expect(api.runs - runs).toBe(1);
    expect(clients.map((client) => client?.results.length)).toEqual([2, ...numbers.slice(1).map(() => 1)]);
  });

  it("shows the messages of a room to who has come in, has left, or is in a new room", async () => {
    api = await liveApi(schema, { plugins });
    await api.change(setup);
    const [first, second] = [0, 1].map((i) => api?.begin("subscription { queryMessage(order: {asc: key}) { key } }", me(i)));
    await api.settled();
    const keys = (...of: readonly string[]) => ({ queryMessage: of.map((key) => ({ key })) });
    await api.change(say("a", "r5"));
    expect(first?.last).toEqual(keys());
    await api.change(`mutation { updateRoom(input: {filter: {name: {eq: "r5"}}, set: {members: [{login: "p0"}]}}) { numUids } }`);
    expect(first?.last).toEqual(keys("a"));
    await api.change(say("b", "r5"));
    expect(first?.last).toEqual(keys("a", "b"));
    await api.change(`mutation { addRoom(input: [{name: "new", members: [{login: "p0"}], messages: [{key: "c"}]}]) { numUids } }`);
    expect(first?.last).toEqual(keys("a", "b", "c"));
    await api.change(say("d", "new"));
    expect(first?.last).toEqual(keys("a", "b", "c", "d"));
    await api.change(`mutation { updateMessage(input: {filter: {key: {eq: "d"}}, set: {room: {name: "r1"}}}) { numUids } }`);
    expect([first?.last, second?.last]).toEqual([keys("a", "b", "c"), keys("d")]);
    await api.change(`mutation { updateRoom(input: {filter: {name: {eq: "r5"}}, remove: {members: [{login: "p0"}]}}) { numUids } }`);
    expect(first?.last).toEqual(keys("c"));
    await api.change(say("e", "r5"));
    expect(first?.last).toEqual(keys("c"));
    await api.change(`mutation { deleteRoom(filter: {name: {eq: "new"}}) { numUids } }`);
    expect(first?.last).toEqual(keys());
  });
});
