import { describe, expect, it, vi } from "vitest";
import { deploy } from "./harness.ts";
import { line, namespace, secret, signed, token } from "./token.ts";

const schema = `
type Berth @auth(query: { rule: "{$ROLE: {eq: \\"PILOT\\"}}" }) { number: Int! @id }
type Notice { title: String! @id }
`;
const berths = "{ queryBerth { number } }";
const header = { alg: "HS256", typ: "JWT" };
const pilot = { ROLE: "PILOT" };

async function harbour(settings = line) {
  const api = await deploy(`${schema}${settings}\n`);
  await api.ask('mutation { addBerth(input: [{number: 7}]) { numUids } addNotice(input: [{title: "fog"}]) { numUids } }', token(pilot));
  return api;
}

const seen = { data: { queryBerth: [{ number: 7 }] } };
const unseen = { data: { queryBerth: [] } };
const refused = (reason: string) => ({
  data: { queryBerth: [] },
  errors: [{ message: `couldn't rewrite query queryBerth because ${reason}`, path: ["queryBerth"] }],
});
const unusable = (reason: string) => refused(`unable to parse jwt token:${reason}`);

describe("the header", () => {
  it.each([
    ["bare", (text: string) => text],
    ["behind Bearer", (text: string) => `Bearer ${text}`],
    ["behind bearer in any letter case", (text: string) => `bEARER ${text}`],
    ["with blanks around", (text: string) => ` ${text} `],
  ])("holds a token %s", async (_, write) => expect(await (await harbour()).ask(berths, write(token(pilot)))).toEqual(seen));

  it.each([{}, { "x-harbour": "" }, { "x-harbour": "  " }, { authorization: `Bearer ${token(pilot)}` }])("%j contains no token", async (headers) =>
    expect(await (await harbour()).ask(berths, headers)).toEqual(unseen),
  );

  it.each(["Bearer a b", "Bearer  a"])("%j refuses the whole request, before the document is read; the error does not repeat it", async (value) => {
    const api = await harbour();
    expect(await api.ask("{ what is this", value)).toEqual({ errors: [{ message: "invalid Bearer-formatted header value for JWT" }] });
    expect(await api.ask(berths, value)).toEqual({ errors: [{ message: "invalid Bearer-formatted header value for JWT" }] });
  });

  it("is allowed by CORS", async () => {
    const { stack } = await harbour();
    const answer = await stack.kernel.http({ method: "OPTIONS", url: "/graphql", headers: {}, body: new Uint8Array() });
    expect(answer.headers["access-control-allow-headers"]).toMatch(/,X-Harbour$/);
  });
});

describe("a token", () => {
  const now = Math.floor(Date.now() / 1000);
  it.each([
    ["never ends without exp", {}, seen],
    ["counts before its end", { exp: now + 60 }, seen],
    ["is over at its end", { exp: now }, unusable("token has invalid claims: token is expired")],
    ["may name its end as text", { exp: String(now + 60) }, seen],
    ["may name its end with a fraction", { exp: now + 60.5 }, seen],
    ["may leave its end empty", { exp: null }, seen],
    ["ended long ago at zero", { exp: 0 }, unusable("token has invalid claims: token is expired")],
    ["does not count yet", { nbf: now + 60 }, unusable("token has invalid claims: token is not valid yet")],
    ["may be issued later than now", { iat: now + 600 }, seen],
    ["is for nobody here", { aud: "fleet" }, refused("audience value was expected but not provided")],
    ["is for somebody without a name", { aud: "" }, refused("audience value was expected but not provided")],
    ["is for anybody: null", { aud: null }, seen],
    ["is for anybody: an empty list", { aud: [] }, seen],
  ])("%s", async (_, root, answer) => expect(await (await harbour()).ask(berths, token(pilot, root))).toEqual(answer));

  it("with an exp that is not a number is malformed", async () => {
    const { errors } = await (await harbour()).ask(berths, token(pilot, { exp: "tomorrow" }));
    expect(errors?.[0]?.message).toMatch(/unable to parse jwt token:token is malformed: /);
  });

  const parts = token(pilot).split(".");
  it.each([
    ["two segments", `${parts[0]}.${parts[1]}`],
    ["four segments", `${token(pilot)}.x`],
    ["no text at all", "x"],
    ["a padded segment", `${parts[0]}=.${parts[1]}.${parts[2]}`],
    ["a header that is a list", signed([], {})],
    ["a payload that is a list", signed(header, [])],
    ["an audience that is a number", signed(header, { aud: 5 })],
    ["a namespace that is a text without JSON", signed(header, { [namespace]: "x" })],
    ["a namespace that is a list in a text", signed(header, { [namespace]: "[]" })],
  ])("with %s is malformed", async (_, text) => {
    const { data, errors } = await (await harbour()).ask(berths, text);
    expect(data).toEqual(unseen.data);
    expect(errors?.map((each) => each.message)).toEqual([expect.stringMatching(/because unable to parse jwt token:token is malformed: /)]);
  });

  it.each([
    ["by another secret", signed(header, { [namespace]: pilot }, `${secret}x`), "token signature is invalid: signature is invalid"],
    ["not at all", `${parts[0]}.${parts[1]}.`, "token signature is invalid: signature is invalid"],
    [
      "by another algorithm",
      signed({ alg: "HS512" }, {}),
      "token is unverifiable: error while executing keyfunc: unexpected signing method: Expected HS256 Found HS512",
    ],
    [
      "by none",
      `${Buffer.from('{"alg":"none"}').toString("base64url")}.${parts[1]}.`,
      "token is unverifiable: error while executing keyfunc: unexpected signing method: Expected HS256 Found none",
    ],
    ["by nobody says what", signed({}, {}), "token is unverifiable: signing method (alg) is unspecified"],
  ])("signed %s does not count", async (_, text, reason) => expect(await (await harbour()).ask(berths, text)).toEqual(unusable(reason)));

  it("that was valid is refused after it expires", async () => {
    const api = await harbour();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const begun = Date.now();
      const short = token(pilot, { exp: (begun + 400) / 1000 });
      vi.setSystemTime(begun + 399);
      expect(await api.ask(berths, short)).toEqual(seen);
      vi.setSystemTime(begun + 400);
      expect(await api.ask(berths, short)).toEqual(unusable("token has invalid claims: token is expired"));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the audience", () => {
  const settings = line.replace('"Algo"', '"Audience":["web","app"],"Algo"');
  it.each([
    ["web", true],
    [["fleet", "app"], true],
    [undefined, true],
    ["Web", false],
    [["fleet"], false],
  ])("%j fits: %s", async (aud, fits) => {
    const api = await harbour(settings);
    expect(await api.ask(berths, token(pilot, { aud }))).toEqual(fits ? seen : refused("JWT `aud` value doesn't match with the audience"));
  });
});

describe("claims", () => {
  it.each([
    ["of the namespace", { [namespace]: pilot }, seen],
    ["of the namespace as text", { [namespace]: JSON.stringify(pilot) }, seen],
    ["at the root", { ROLE: "PILOT" }, seen],
    ["of both: the namespace wins", { ROLE: "PILOT", [namespace]: { ROLE: "COOK" } }, unseen],
    ["of a namespace of another kind", { ROLE: "PILOT", [namespace]: 5 }, seen],
    ["inside other claims", { [namespace]: { user: pilot } }, unseen],
  ])("count in the namespace, or at the root where that holds none: %s", async (_, payload, answer) =>
    expect(await (await harbour()).ask(berths, signed(header, payload))).toEqual(answer),
  );

  it.each(["constructor", "__proto__", "toString"])("%s is an ordinary claim name", async (name) => {
    const api = await deploy(`type T @auth(query: { rule: "{$${name}: {in: [null]}}" }) { a: Int! @id }\n${line}\n`);
    await api.ask("mutation { addT(input: [{a: 1}]) { numUids } }");
    expect(await api.ask("{ queryT { a } }")).toEqual({ data: { queryT: [{ a: 1 }] } });
  });
});

describe("an invalid token", () => {
  const bad = `${parts()}x`;
  function parts(): string {
    return token(pilot);
  }
  const reason = "unable to parse jwt token:token signature is invalid: signature is invalid";

  it("is an error of each root field, also for types without rules, but not of introspection", async () => {
    const answer = await (await harbour()).ask(
      '{ a: queryNotice { title } getNotice(title: "fog") { title } aggregateNotice { count } __typename }',
      bad,
    );
    expect(answer).toEqual({
      data: { a: [], getNotice: null, aggregateNotice: null, __typename: "Query" },
      errors: ["a", "getNotice", "aggregateNotice"].map((key) => ({ message: `couldn't rewrite query ${key} because ${reason}`, path: [key] })),
    });
  });

  it("prevents all writes", async () => {
    const api = await harbour();
    expect(await api.ask('mutation { b: updateNotice(input: {filter: {}, set: {title: "sun"}}) { numUids } }', bad)).toEqual({
      data: { b: null },
      errors: [{ message: `couldn't rewrite mutation updateNotice because ${reason}`, path: ["b"] }],
    });
    expect(await api.ask("mutation { deleteNotice(filter: {}) { numUids } }", bad)).toEqual({
      data: { deleteNotice: null },
      errors: [{ message: `couldn't rewrite mutation deleteNotice because ${reason}`, path: ["deleteNotice"] }],
    });
    expect(await api.ask('mutation { addNotice(input: [{title: "sun"}]) { numUids } }', bad)).toEqual({ data: { addNotice: null } });
    expect(await api.ask("{ queryNotice { title } }")).toEqual({ data: { queryNotice: [{ title: "fog" }] } });
  });
});

describe("closed by default", () => {
  const settings = line.replace('"Algo"', '"ClosedByDefault":true,"Algo"');
  const missing = "a valid JWT is required but was not provided";

  it("every request without a token is refused", async () => {
    const api = await deploy(`${schema}${settings}\n`);
    expect(await api.ask("{ queryNotice { title } __typename }")).toEqual({
      data: { queryNotice: [], __typename: "Query" },
      errors: [{ message: `couldn't rewrite query queryNotice because ${missing}`, path: ["queryNotice"] }],
    });
    expect(await api.ask('mutation { addNotice(input: [{title: "fog"}]) { numUids } }')).toEqual({ data: { addNotice: null } });
  });

  it("types without rules are closed to every token; operations without a rule on ruled types are open", async () => {
    const api = await deploy(`${schema}${settings}\n`);
    expect(await api.ask('mutation { addNotice(input: [{title: "fog"}]) { numUids } }', token({}))).toEqual({ data: { addNotice: null } });
    expect(await api.ask("{ queryNotice { title } aggregateNotice { count } }", token({}))).toEqual({
      data: { queryNotice: [], aggregateNotice: null },
    });
    expect(await api.ask("mutation { addBerth(input: [{number: 1}]) { numUids } }", token({}))).toEqual({ data: { addBerth: { numUids: 1 } } });
  });

  it("types without rules are open to any token with the option", async () => {
    const api = await deploy(`${schema}${settings}\n`, { closedByDefault: "token" });
    expect(await api.ask('mutation { addNotice(input: [{title: "fog"}]) { notice { title } } }', token({}))).toEqual({
      data: { addNotice: { notice: [{ title: "fog" }] } },
    });
  });
});
