// For each kind of thing that an answer can depend on: the commit that must bring a new result, and its neighbour, for which nothing is
// even run.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LiveRequest } from "../../../../core/index.ts";
import { type Live, liveApi } from "../../../support/live-clients.ts";
import { line, token } from "../../auth/token.ts";

const schema = `
  interface Stop @withSubscription { id: ID!  name: String @search(by: [hash, term])  zone: Int @search  note: String }
  type Halt implements Stop { shelter: Boolean @search }
  type Hub implements Stop { tracks: Int @search  seats: Int }
  type Line @withSubscription @paged @groupBy(fields: ["colour"]) { number: String! @id  colour: String @search(by: [exact])  runs: [Tram] @hasInverse(field: line) @search @paged  ends: [Terminus] }
  type Tram @withSubscription @paged @groupBy(fields: ["line", "built"]) { code: String! @id  seats: Int @search  built: DateTime @search  wheels: Int  line: Line @search  driver: Person @hasInverse(field: drives)  serves: [Halt] }
  type Person @withSubscription { login: String! @id  age: Int @search  drives: Tram  likes: [Song] }
  type Song { title: String @search(by: [hash]) }
  union Terminus = Halt | Hub
  type Ticket @withSubscription @auth(query: { rule: "query($ME: String!) { queryTicket { holder(filter: {login: {eq: $ME}}) { login } } }" })
    { code: String! @id  price: Float @search  used: Boolean @search  holder: Person }
  ${line}
`;

let api: Live & { remove(): Promise<void> };
beforeAll(async () => {
  api = await liveApi(schema);
});
afterAll(() => api.remove());

const setup = `mutation {
  addPerson(input: [{login: "ann", age: 30}, {login: "bo", age: 40}]) { numUids }
  addHalt(input: [{name: "Old Mill", zone: 1, shelter: true}, {name: "Church", zone: 2}]) { numUids }
  addHub(input: [{name: "Central", zone: 1, tracks: 4}]) { numUids }
  addLine(input: [{number: "1", colour: "red"}, {number: "2", colour: "blue"}]) { numUids }
  addTram(input: [
    {code: "T1", seats: 40, built: "2001-01-01T00:00:00Z", line: {number: "1"}, driver: {login: "ann"}},
    {code: "T2", seats: 60, built: "2011-01-01T00:00:00Z", line: {number: "1"}},
    {code: "T3", seats: 80, built: "2021-01-01T00:00:00Z", line: {number: "2"}}]) { numUids }
  addTicket(input: [{code: "K1", price: 2.5, holder: {login: "ann"}}, {code: "K2", price: 3.5, holder: {login: "bo"}}]) { numUids }
}`;

beforeEach(async () => {
  await api.kernel.erase({ kind: "data" });
  await api.change(setup);
});

const me = (login: string) => ({ headers: { "x-harbour": token({ ME: login }) } });

interface Case {
  readonly query: string;
  readonly asker?: Omit<LiveRequest, "query">;
  /** Each must bring a new result. */
  readonly wakes: readonly string[];
  /** None may cause a run. */
  readonly sleeps: readonly string[];
}

const update = (type: string, filter: string, patch: string) => `mutation { update${type}(input: {filter: ${filter}, ${patch}}) { numUids } }`;
const tram = (code: string, patch: string) => update("Tram", `{code: {eq: "${code}"}}`, patch);
const add = (type: string, input: string) => `mutation { add${type}(input: [${input}]) { numUids } }`;
const remove = (type: string, filter: string) => `mutation { delete${type}(filter: ${filter}) { numUids } }`;

const cases: Readonly<Record<string, Case>> = {
  "a value that is shown": {
    query: `getTram(code: "T1") { seats }`,
    wakes: [tram("T1", "set: {seats: 41}"), tram("T1", "remove: {seats: null}")],
    sleeps: [tram("T1", "set: {wheels: 8}"), tram("T2", "set: {seats: 61}"), tram("T1", "set: {seats: 40}"), add("Tram", `{code: "T4"}`)],
  },
  "a date and a link that are shown, and set to what they are": {
    query: `getTram(code: "T1") { built line { number } }`,
    wakes: [tram("T1", `set: {built: "2002-01-01T00:00:00Z"}`), tram("T1", `set: {line: {number: "2"}}`)],
    sleeps: [
      tram("T1", `set: {built: "2001-01-01T00:00:00Z"}`),
      tram("T1", `set: {line: {number: "1"}}`),
      tram("T1", `set: {built: "2001-01-01T00:00:00Z", wheels: 6}`),
    ],
  },
  "an object that is not there yet": {
    query: `getTram(code: "T9") { code }`,
    wakes: [add("Tram", `{code: "T9"}`), remove("Tram", `{code: {eq: "T9"}}`)],
    sleeps: [add("Tram", `{code: "T8"}`), remove("Tram", `{code: {eq: "T8"}}`), tram("T1", "set: {seats: 1}")],
  },
  "a filter by value, whether anything matched or not": {
    query: `queryStop(filter: {name: {eq: "Dam"}}) { name }`,
    wakes: [
      add("Halt", `{name: "Dam"}`),
      update("Halt", `{name: {eq: "Dam"}}`, `set: {name: "Dyke"}`),
      update("Hub", `{name: {eq: "Central"}}`, `set: {name: "Dam"}`),
    ],
    sleeps: [
      add("Halt", `{name: "Dim"}`),
      update("Halt", `{name: {eq: "Church"}}`, `set: {name: "Chapel"}`),
      update("Hub", `{name: {eq: "Central"}}`, `set: {zone: 3}`),
    ],
  },
  "a filter by terms": {
    query: `queryStop(filter: {name: {allofterms: "mill old"}}) { name }`,
    wakes: [add("Hub", `{name: "The OLD mill"}`)],
    sleeps: [add("Hub", `{name: "The new mill"}`), add("Halt", `{zone: 4}`)],
  },
  "a range": {
    query: "queryTram(filter: {seats: {gt: 50}}) { code }",
    wakes: [
      tram("T1", "set: {seats: 51}"),
      tram("T1", "set: {seats: 50}"),
      add("Tram", `{code: "T4", seats: 70}`),
      remove("Tram", `{code: {eq: "T4"}}`),
    ],
    sleeps: [tram("T1", "set: {seats: 49}"), tram("T2", "set: {seats: 99}"), tram("T2", "set: {wheels: 3}"), add("Tram", `{code: "T5", seats: 50}`)],
  },
  "two conditions at once": {
    query: `queryTram(filter: {seats: {gt: 50}, built: {lt: "2015-01-01T00:00:00Z"}}) { code }`,
    wakes: [tram("T1", "set: {seats: 55}"), tram("T3", `set: {built: "2014-12-31T23:59:59Z"}`)],
    sleeps: [tram("T3", "set: {seats: 81}"), tram("T1", `set: {built: "2002-01-01T00:00:00Z"}`)],
  },
  "a negation": {
    query: `queryLine(filter: {not: {colour: {eq: "red"}}}) { number }`,
    wakes: [update("Line", `{number: {eq: "1"}}`, `set: {colour: "green"}`), add("Line", `{number: "3"}`)],
    sleeps: [add("Line", `{number: "4", colour: "red"}`), update("Line", `{number: {eq: "2"}}`, `set: {colour: "white"}`)],
  },
  "an interface": {
    query: "queryStop(filter: {zone: {eq: 1}}) { name ... on Hub { tracks } }",
    wakes: [
      update("Halt", `{name: {eq: "Church"}}`, "set: {zone: 1}"),
      update("Hub", `{name: {eq: "Central"}}`, "set: {tracks: 5}"),
      remove("Halt", `{name: {eq: "Church"}}`),
    ],
    sleeps: [
      update("Halt", `{name: {eq: "Old Mill"}}`, "set: {shelter: false}"),
      update("Hub", `{name: {eq: "Central"}}`, "set: {seats: 5}"),
      add("Halt", `{name: "Far", zone: 5}`),
    ],
  },
  "a window on an order": {
    query: "queryTram(order: {desc: seats}, first: 2) { code }",
    wakes: [tram("T1", "set: {seats: 70}"), add("Tram", `{code: "T4", seats: 99}`), remove("Tram", `{code: {eq: "T4"}}`)],
    sleeps: [
      add("Tram", `{code: "T5", seats: 10}`),
      tram("T5", "set: {seats: 11}"),
      remove("Tram", `{code: {eq: "T5"}}`),
      tram("T3", "set: {wheels: 8}"),
    ],
  },
  "a window that has room": {
    query: "queryTram(order: {desc: seats}, first: 5) { code }",
    wakes: [add("Tram", `{code: "T5", seats: 10}`)],
    sleeps: [add("Line", `{number: "3"}`)],
  },
  "a window behind an offset": {
    query: "queryTram(order: {asc: seats}, first: 1, offset: 1) { code }",
    wakes: [tram("T1", "set: {seats: 70}"), remove("Tram", `{code: {eq: "T2"}}`)],
    sleeps: [add("Tram", `{code: "T5", seats: 90}`), tram("T1", "set: {wheels: 4}")],
  },
  "links of a single object": {
    query: `getTram(code: "T1") { line { colour } driver { login } }`,
    wakes: [
      tram("T1", `set: {line: {number: "2"}}`),
      update("Line", `{number: {eq: "2"}}`, `set: {colour: "white"}`),
      tram("T2", `set: {driver: {login: "ann"}}`),
    ],
    sleeps: [
      tram("T3", `set: {line: {number: "1"}}`),
      update("Line", `{number: {eq: "2"}}`, `set: {colour: "pink"}`),
      update("Person", `{login: {eq: "bo"}}`, "set: {age: 41}"),
    ],
  },
  "a list of links, filtered": {
    query: `getLine(number: "1") { runs(filter: {seats: {ge: 50}}) { code } }`,
    wakes: [tram("T1", "set: {seats: 50}"), tram("T3", `set: {line: {number: "1"}}`), remove("Tram", `{code: {eq: "T2"}}`)],
    sleeps: [
      add("Tram", `{code: "T4", seats: 90, line: {number: "2"}}`),
      tram("T4", "set: {seats: 95}"),
      add("Tram", `{code: "T5", seats: 20, line: {number: "1"}}`),
    ],
  },
  "links of links": {
    query: `queryPerson(filter: {login: {eq: "ann"}}) { drives { line { runs(order: {asc: code}, first: 1) { code } } } }`,
    wakes: [add("Tram", `{code: "T0", line: {number: "1"}}`), tram("T1", `set: {line: {number: "2"}}`)],
    sleeps: [add("Tram", `{code: "A0", line: {number: "2"}}`), tram("T3", "set: {seats: 3}")],
  },
  "a union": {
    query: `getLine(number: "1") { ends { ... on Halt { name } ... on Hub { tracks } } }`,
    wakes: [
      update("Line", `{number: {eq: "1"}}`, `set: {ends: [{hubRef: {name: "Dock", tracks: 2}}]}`),
      update("Hub", `{name: {eq: "Dock"}}`, "set: {tracks: 3}"),
    ],
    sleeps: [update("Hub", `{name: {eq: "Dock"}}`, "set: {seats: 9}"), update("Hub", `{name: {eq: "Central"}}`, "set: {tracks: 3}")],
  },
  "a count": {
    query: "aggregateTram(filter: {seats: {gt: 50}}) { count }",
    wakes: [tram("T1", "set: {seats: 51}"), remove("Tram", `{code: {eq: "T3"}}`)],
    sleeps: [tram("T2", "set: {seats: 61}"), tram("T1", "set: {wheels: 6}"), add("Tram", `{code: "T4", seats: 5}`)],
  },
  "a measure": {
    query: "aggregateTram { seatsMax }",
    wakes: [tram("T1", "set: {seats: 100}")],
    sleeps: [tram("T1", "set: {wheels: 6}"), add("Line", `{number: "9"}`)],
  },
  "a measure of links": {
    query: `getLine(number: "1") { runsAggregate { count seatsSum } }`,
    wakes: [tram("T1", "set: {seats: 100}"), tram("T3", `set: {line: {number: "1"}}`), remove("Tram", `{code: {eq: "T3"}}`)],
    sleeps: [tram("T1", "set: {wheels: 6}"), add("Tram", `{code: "T4", seats: 5, line: {number: "2"}}`), tram("T4", "set: {seats: 6}")],
  },
  "the number of links alone": {
    query: `getPerson(login: "ann") { likesAggregate { count } }`,
    wakes: [update("Person", `{login: {eq: "ann"}}`, `set: {likes: [{title: "a"}]}`), remove("Song", `{title: {eq: "a"}}`)],
    sleeps: [add("Song", `{title: "b"}`), update("Person", `{login: {eq: "bo"}}`, `set: {likes: [{title: "c"}]}`)],
  },
  "@cascade": {
    query: "queryTram @cascade { code driver { login } }",
    wakes: [tram("T3", `set: {driver: {login: "bo"}}`), update("Tram", `{code: {eq: "T3"}}`, `remove: {driver: {login: "bo"}}`)],
    sleeps: [tram("T2", "set: {seats: 5}"), update("Person", `{login: {eq: "ann"}}`, "set: {age: 5}"), add("Tram", `{code: "T4"}`)],
  },
  "what has links": {
    query: "queryPerson(filter: {not: {has: drives}}) { login }",
    wakes: [tram("T3", `set: {driver: {login: "bo"}}`), remove("Tram", `{code: {eq: "T3"}}`)],
    sleeps: [tram("T3", `set: {seats: 4}`), update("Person", `{login: {eq: "ann"}}`, "set: {age: 31}")],
  },
  "a filter by a related value": {
    query: `queryTram(filter: {line: {colour: {eq: "red"}}}) { code }`,
    wakes: [
      tram("T3", `set: {line: {number: "1"}}`),
      tram("T3", `remove: {line: {number: "1"}}`),
      update("Line", `{number: {eq: "1"}}`, `set: {colour: "pink"}`),
      update("Line", `{number: {eq: "1"}}`, `set: {colour: "red"}`),
      remove("Tram", `{code: {eq: "T2"}}`),
    ],
    sleeps: [
      tram("T3", "set: {seats: 3}"),
      add("Line", `{number: "3", colour: "green"}`),
      add("Tram", `{code: "T4", line: {number: "2"}}`),
      add("Halt", `{name: "Red", zone: 1}`),
    ],
  },
  "a filter by every related object": {
    query: "queryLine(filter: {runs: {every: {seats: {ge: 50}}}}) { number }",
    wakes: [
      tram("T1", "set: {seats: 50}"),
      tram("T1", "set: {seats: 49}"),
      remove("Tram", `{code: {eq: "T1"}}`),
      add("Tram", `{code: "T5", seats: 9, line: {number: "1"}}`),
      add("Line", `{number: "3"}`),
    ],
    sleeps: [tram("T1", "set: {wheels: 4}"), update("Line", `{number: {eq: "1"}}`, `set: {colour: "pink"}`), add("Person", `{login: "cy", age: 60}`)],
  },
  "a filter by what no related object may be": {
    query: "queryLine(filter: {runs: {none: {seats: {gt: 50}}}}) { number }",
    wakes: [tram("T3", "set: {seats: 10}"), tram("T3", "set: {seats: 90}"), remove("Tram", `{code: {in: ["T2", "T3"]}}`)],
    sleeps: [tram("T2", "set: {wheels: 4}"), update("Line", `{number: {eq: "1"}}`, `set: {colour: "pink"}`), add("Person", `{login: "cy", age: 60}`)],
  },
  "a filter by the number of links": {
    query: "queryLine(filter: {runs: {count: {ge: 2}}}) { number }",
    wakes: [add("Tram", `{code: "T4", line: {number: "2"}}`), remove("Tram", `{code: {eq: "T1"}}`), remove("Tram", `{code: {eq: "T4"}}`)],
    sleeps: [tram("T1", "set: {seats: 1}"), add("Person", `{login: "cy"}`), add("Tram", `{code: "T6"}`)],
  },
  "an order by a related value": {
    query: "queryTram(order: {line: {asc: colour}}, first: 2) { code }",
    wakes: [
      update("Line", `{number: {eq: "1"}}`, `set: {colour: "alabaster"}`),
      tram("T1", `remove: {line: {number: "1"}}`),
      add("Tram", `{code: "T0", line: {number: "1"}}`),
    ],
    sleeps: [tram("T1", "set: {seats: 4}"), add("Line", `{number: "3", colour: "aqua"}`), add("Person", `{login: "cy"}`)],
  },
  "an order by the number of links": {
    query: "queryLine(order: {runs: {desc: count}}, first: 1) { number }",
    wakes: [add("Tram", `{code: "T4", line: {number: "2"}}, {code: "T5", line: {number: "2"}}`), remove("Tram", `{code: {in: ["T4", "T5"]}}`)],
    sleeps: [tram("T1", "set: {seats: 4}"), add("Person", `{login: "cy"}`), add("Tram", `{code: "T6"}`)],
  },
  "a page by cursors": {
    query: "queryTramConnection(order: {desc: seats}, first: 2, filter: {seats: {gt: 10}}) { totalCount nodes { code } pageInfo { hasNextPage } }",
    wakes: [tram("T1", "set: {seats: 70}"), add("Tram", `{code: "T4", seats: 11}`), remove("Tram", `{code: {eq: "T4"}}`)],
    sleeps: [add("Tram", `{code: "T5", seats: 10}`), tram("T3", "set: {wheels: 8}"), add("Person", `{login: "cy"}`)],
  },
  "a page of links": {
    query: `getLine(number: "1") { runsConnection(order: {asc: seats}, first: 1) { totalCount nodes { code } } }`,
    wakes: [tram("T2", "set: {seats: 1}"), add("Tram", `{code: "T4", seats: 99, line: {number: "1"}}`), remove("Tram", `{code: {eq: "T4"}}`)],
    sleeps: [add("Tram", `{code: "T5", seats: 10, line: {number: "2"}}`), tram("T3", "set: {seats: 8}"), tram("T1", "set: {wheels: 3}")],
  },
  "groups by a value: one that gains its first member, one that loses its last": {
    query: "groupLine(by: [{field: colour}]) { key { colour } count }",
    wakes: [
      add("Line", `{number: "7", colour: "green"}`),
      update("Line", `{number: {eq: "7"}}`, `set: {colour: "red"}`),
      update("Line", `{number: {eq: "7"}}`, "remove: {colour: null}"),
      remove("Line", `{number: {eq: "7"}}`),
    ],
    sleeps: [update("Line", `{number: {eq: "1"}}`, `set: {colour: "red"}`), tram("T1", "set: {seats: 4}"), tram("T1", `set: {line: {number: "2"}}`)],
  },
  "groups by a link, with what they measure and filter": {
    query: `groupTram(by: [{field: line}, {field: built, unit: YEAR}], filter: {seats: {gt: 30}}) { key { line { colour } built } count seatsAvg }`,
    wakes: [
      tram("T1", `set: {line: {number: "2"}}`),
      tram("T2", "set: {seats: 61}"),
      tram("T1", "set: {seats: 20}"),
      tram("T3", `set: {built: "2022-06-01T00:00:00Z"}`),
      update("Line", `{number: {eq: "2"}}`, `set: {colour: "pink"}`),
    ],
    sleeps: [tram("T1", "set: {wheels: 5}"), add("Tram", `{code: "T6", seats: 30}`), add("Line", `{number: "8", colour: "red"}`)],
  },
  "groups beside a list": {
    query: `getLine(number: "1") { runsGroup(by: [{field: built, unit: YEAR}]) { key { built } count } }`,
    wakes: [
      add("Tram", `{code: "T8", line: {number: "1"}}`),
      tram("T1", `set: {built: "1999-01-01T00:00:00Z"}`),
      tram("T2", `set: {line: {number: "2"}}`),
    ],
    sleeps: [tram("T1", "set: {seats: 5}"), tram("T3", `set: {built: "1999-01-01T00:00:00Z"}`), add("Tram", `{code: "T9", line: {number: "2"}}`)],
  },
  "a rule by relation": {
    query: "queryTicket { code price }",
    asker: me("ann"),
    wakes: [
      update("Ticket", `{code: {eq: "K1"}}`, "set: {price: 4.5}"),
      add("Ticket", `{code: "K3", holder: {login: "ann"}}`),
      update("Person", `{login: {eq: "ann"}}`, `set: {login: "anne"}`),
    ],
    sleeps: [add("Ticket", `{code: "K4", holder: {login: "bo"}}`), update("Person", `{login: {eq: "bo"}}`, "set: {age: 50}")],
  },
};

describe("a page behind a cursor", () => {
  it("runs for what can be on the page, and for nothing before or behind it", async () => {
    await api.change(add("Tram", `{code: "T4", seats: 20}`));
    const pageOf = (args: string, shown: string) => `queryTramConnection(order: {desc: seats}, ${args}) { ${shown} }`;
    const first = await api.query(`{ ${pageOf("first: 1", "pageInfo { endCursor }")} }`);
    const { queryTramConnection } = first as { readonly queryTramConnection: { readonly pageInfo: { readonly endCursor: string } } };
    const cursor = queryTramConnection.pageInfo.endCursor;
    const text = `subscription { ${pageOf(`first: 1, after: "${cursor}"`, "nodes { code }")} }`;
    const client = await api.watch(text);
    const before = api.runs;
    for (const mutation of [
      tram("T3", "set: {seats: 81}"),
      add("Tram", `{code: "T5", seats: 99}`),
      tram("T1", "set: {seats: 41}"),
      remove("Tram", `{code: {eq: "T4"}}`),
      tram("T2", "set: {wheels: 4}"),
      add("Line", `{number: "3", runs: [{code: "T6", seats: 30}]}`),
    ]) {
      await api.change(mutation);
      await api.settled();
      expect(api.runs - before, mutation).toBe(0);
    }
    for (const mutation of [tram("T1", "set: {seats: 70}"), remove("Tram", `{code: {eq: "T1"}}`)]) {
      await api.change(mutation);
      await api.settled();
      expect(client.last, mutation).toEqual(await api.query(text));
    }
    expect(client.results).toHaveLength(3);
    client.subscription?.stop();
  });
});

describe("one commit of several writes", () => {
  const red = update("Line", `{number: {eq: "1"}}`, `set: {colour: "pink"}`).slice("mutation { ".length, -2);

  it.each([
    ["a transaction", `mutation @transaction { ${red} addTram(input: [{code: "T7", line: {number: "1"}}]) { numUids } }`],
    [
      "an object with what it links to",
      `mutation { updateLine(input: {filter: {number: {eq: "1"}}, set: {colour: "pink", runs: [{code: "T7"}]}}) { numUids } }`,
    ],
  ])("that is %s sends one result; the same beside another line sends none", async (_, mutation) => {
    const client = await api.watch(`subscription { getLine(number: "1") { colour runsAggregate { count } } }`);
    const before = api.runs;
    await api.change(mutation.replaceAll(`"1"`, `"2"`).replace("T7", "T8"));
    await api.settled();
    expect(api.runs - before).toBe(0);
    await api.change(mutation);
    await api.settled();
    expect(client.results).toHaveLength(2);
    client.subscription?.stop();
  });
});

describe.each(Object.entries(cases))("%s", (_, { query, asker, wakes, sleeps }) => {
  const text = `subscription { ${query} }`;
  // Everything in this town is changed by somebody whom no rule concerns.
  const change = async (mutation: string) => {
    const as = /Ticket/.test(mutation) ? me(/"K[13]"/.test(mutation) ? "ann" : "bo") : {};
    await api.query(mutation, as);
    await api.settled();
  };

  it("sends a result for each commit that changes the data", async () => {
    const client = await api.watch(text, asker);
    expect(client.results).toHaveLength(1);
    for (const [i, mutation] of wakes.entries()) {
      await change(mutation);
      expect(client.results, mutation).toHaveLength(i + 2);
      expect(client.last).toEqual(await api.query(text, asker));
    }
    client.subscription?.stop();
  });

  it("does not run for unrelated commits", async () => {
    if (sleeps.some((each) => each.includes("Dock"))) await change(wakes[0] ?? "");
    const client = await api.watch(text, asker);
    const before = api.runs;
    for (const mutation of sleeps) {
      await change(mutation);
      expect(api.runs - before, mutation).toBe(0);
    }
    expect(client.results).toHaveLength(1);
    expect(client.last).toEqual(await api.query(text, asker));
    client.subscription?.stop();
  });
});
