// Log events, their levels, and what the log never contains.

import { Writable } from "node:stream";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { pinoLogger } from "../../adapters/pino/index.ts";
import { type LogConfig, type LogEntry, type Logger, QuernError } from "../../core/index.ts";
import type { DirectivePlugin, HttpRequest } from "../../core/plugin.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(() => stack?.remove());

const schema = "type Clerk { name: String! @id  desk: String @search(by: [term])  pin: Int }";

interface Watched {
  readonly entries: LogEntry[];
  ask(query: string, more?: { variables?: object; headers?: HttpRequest["headers"] }): Promise<string>;
  of(event: string): readonly LogEntry[];
}

async function watched(log: Partial<LogConfig> = {}, config: TemporaryConfig = {}): Promise<Watched> {
  const entries: LogEntry[] = [];
  const to: Logger = { write: (entry) => void entries.push(entry) };
  const running = await compatibleKernel({ ...config, log: { level: "debug", to, ...log } });
  stack = running;
  await running.kernel.deploy(schema);
  return {
    entries,
    of: (event) => entries.filter((each) => each.event === event),
    async ask(query, { variables = {}, headers = {} } = {}) {
      const body = Buffer.from(JSON.stringify({ query, variables }));
      const response = await running.kernel.http({
        method: "POST",
        url: "/graphql?api-key=in-the-url",
        headers: { "content-type": "application/json", ...headers },
        body,
        remoteAddress: "127.0.0.1",
      });
      return String(response.body);
    },
  };
}

const add = 'mutation Hire { addClerk(input: [{ name: "Ann" }]) { numUids } }';

describe("a request", () => {
  it("writes one line with its operation and outcome", async () => {
    const { ask, of } = await watched();
    await ask(add);
    expect(of("request")).toEqual([
      {
        level: "debug",
        event: "request",
        message: "POST /graphql 200",
        facts: {
          requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: "mutation",
          operation: "Hire",
          outcome: "ok",
          touched: 1,
          durationMs: expect.any(Number),
          method: "POST",
          path: "/graphql",
          status: 200,
          bytes: expect.any(Number),
          from: "127.0.0.1",
        },
      },
    ]);
  });

  it("is logged with the request ID that the client receives", async () => {
    const { ask, of } = await watched();
    const { extensions } = JSON.parse(await ask(add));
    expect(of("request")[0]?.facts.requestID).toBe(extensions.requestID);
  });

  it("without a transport writes a line too", async () => {
    const { of } = await watched();
    await stack?.kernel.execute({ query: "query Look { queryClerk { name } }" });
    expect(of("request").map(({ message, facts }) => [message, facts.outcome])).toEqual([["query Look ok", "ok"]]);
  });

  it.each([
    ["{ queryClerk { name } }", "ok"],
    ["{ queryClerk { nam } }", "refused"],
    ["{ queryClerk", "refused"],
    ['mutation { addClerk(input: [{ name: "" }]) { numUids } }', "failed"],
  ])("%s has the outcome %s", async (query, outcome) => {
    const { ask, of } = await watched();
    await ask(query);
    expect(of("request").map((each) => each.facts.outcome)).toEqual([outcome]);
  });

  it("writes its line at the configured level, and none below the log level", async () => {
    const info = await watched({ level: "info", requests: "info" });
    await info.ask(add);
    expect(info.of("request").map((each) => each.level)).toEqual(["info"]);
    await stack?.remove();
    const quiet = await watched({ level: "info" });
    await quiet.ask(add);
    expect(quiet.of("request")).toEqual([]);
  });
});

describe("the life of a server", () => {
  it("is logged: opening, deploys with the built indexes, refusals without reasons, closing", async () => {
    const { entries, of } = await watched({ level: "info" });
    const { kernel } = stack ?? {};
    await expect(kernel?.deploy(`${schema} type Secret { word: sesame }`)).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
    // How many steps a migration has is the storage's affair.
    expect([...new Set(entries.map(({ level, event }) => `${level} ${event}`))]).toEqual([
      "info open",
      "info migration",
      "info deploy",
      "warn deploy",
    ]);
    expect(of("deploy").map((each) => each.message)).toEqual(["another schema is served", "a schema is refused: SCHEMA_INVALID"]);
    expect(JSON.stringify(entries)).not.toContain("sesame");
    await kernel?.close();
    expect(entries.at(-1)?.event).toBe("close");
    await kernel?.open();
  });

  it("includes plugins that start without their external resources", async () => {
    const needy: DirectivePlugin = {
      name: "needy",
      definitions: "",
      model: () => ({
        open: (why) => {
          if (why === "restart") throw new QuernError("OPERATION_FAILED", "nobody answers");
        },
      }),
    };
    const { of } = await watched({}, { plugins: [...standardPlugins(), needy] });
    await stack?.kernel.close();
    await stack?.kernel.open();
    expect(of("plugin").map(({ level, facts }) => [level, facts.plugin])).toEqual([["warn", "needy"]]);
  });
});

describe("a fault", () => {
  const burning: DirectivePlugin = {
    name: "burning",
    definitions: "directive @burns on OBJECT",
    model: () => ({
      request: ({ headers }) => {
        if (headers["x-burn"] === "1") throw Object.assign(new TypeError("the mill burns"), { request: { password: "in-an-error-property" } });
        return {};
      },
    }),
  };

  it("is logged in full with the request ID, while the client receives a fixed text", async () => {
    const { ask, of, entries } = await watched({}, { plugins: [...standardPlugins(), burning] });
    const body = await ask("{ queryClerk { name } }", { headers: { "x-burn": "1" } });
    expect(body).toContain("Internal Server Error");
    expect(body).not.toContain("burns");
    const [fault] = of("fault");
    expect(fault).toMatchObject({
      level: "error",
      message: 'Plugin "burning", hook request: the mill burns',
      facts: {
        error: { type: "PluginFault", cause: { type: "TypeError", message: "the mill burns", stack: expect.stringContaining("log.test.ts") } },
      },
    });
    expect(of("request")[0]?.facts).toMatchObject({ outcome: "fault", requestID: fault?.facts.requestID });
    expect(JSON.stringify(entries)).not.toContain("in-an-error-property");
  });
});

describe("a slow operation", () => {
  it("is logged with its masked document, hash and plan", async () => {
    const { ask, of } = await watched({ slowQueryMs: 0, level: "info" });
    const query =
      'query Find($d: String) { queryClerk(filter: { desk: { anyofterms: $d }, or: { name: { eq: "written-name" } } }, first: 5) { name desk } }';
    await ask(query, { variables: { d: "sent-desk" } });
    const [slow] = of("slow");
    expect(slow).toMatchObject({
      level: "warn",
      message: expect.stringMatching(/^query Find ok took \d+ ms$/),
      facts: { operation: "Find", touched: 0, documentHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(slow?.facts.document).toBe(query.replace('"written-name"', '"..."'));
    expect(slow?.facts.plan).toContain("first: 5): find Clerk\n    where Clerk.desk/term has any of (2) or Clerk.name = ...");
    expect(JSON.stringify(slow)).not.toMatch(/written-name|sent-desk|sent|desk"\]/);
  });

  it("is not logged below the threshold", async () => {
    const { ask, of } = await watched({ slowQueryMs: 10_000 });
    await ask("{ queryClerk { name } }");
    expect(of("slow")).toEqual([]);
  });

  it("is logged with a truncated document if it is long", async () => {
    const { ask, of } = await watched({ slowQueryMs: 0 });
    await ask(`{ ${Array.from({ length: 400 }, (_, i) => `a${i}: __typename`).join(" ")} }`);
    expect(String(of("slow")[0]?.facts.document)).toHaveLength(2_003);
  });
});

describe("secrets", () => {
  /** Each is put where its name says; none may come out of the log. */
  const secrets = {
    header: "SECRETheader",
    bearer: "SECRETbearer",
    admin: "SECRETadmin",
    key: "SECRETkey",
    cookie: "SECRETcookie",
    variable: "SECRETvariable",
    literal: "SECRETliteral",
    block: "SECRETblock",
    number: 987654321987,
    url: "SECRETurl",
    badJson: "SECRETbadjson",
    comment: "SECRETcomment",
    operationName: "SECRETname",
  };

  it("never appear in the log, at any level and for any error, also in pino's JSON", async () => {
    let written = "";
    const sink = new Writable({
      write(chunk, _encoding, done) {
        written += String(chunk);
        done();
      },
    });
    const to = pinoLogger({ pino: pino({ level: "debug" }, sink) });
    const running = await compatibleKernel({ log: { level: "debug", slowQueryMs: 0, to }, admin: { token: secrets.admin } });
    stack = running;
    await running.kernel.deploy(`${schema}\n# Quern comment ${secrets.comment}`);
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${secrets.bearer}`,
      "x-service-authtoken": secrets.admin,
      "x-auth-token": secrets.key,
      "x-other": secrets.header,
      cookie: `session=${secrets.cookie}`,
    };
    const send = async (body: unknown, url = `/graphql?token=${secrets.url}`, method = "POST") => {
      const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
      const response = await running.kernel.http({ method, url, headers, body: bytes, remoteAddress: "127.0.0.1" });
      return String(response.body);
    };
    const named = "query ($n: String!) { getClerk(name: $n) { name } }";
    const answers = [
      await send({ query: named, variables: { n: secrets.variable } }),
      await send({ query: named, variables: { n: { wrong: secrets.variable } } }),
      await send({ query: `{ getClerk(name: "${secrets.literal}") { name } }` }),
      await send({ query: `{ getClerk(name: """${secrets.block}""") { name } } # ${secrets.comment}` }),
      await send({ query: `mutation { addClerk(input: [{ name: "${secrets.literal}", pin: ${secrets.number} }]) { numUids } }` }),
      await send({ query: `mutation { addClerk(input: [{ name: "${secrets.literal}", pin: 1 }]) { numUids } }` }),
      await send({ query: `mutation { addClerk(input: [{ name: "${secrets.literal}", pin: 2 }]) { numUids } }` }),
      await send({
        query: `{ queryClerk(filter: { desk: { anyofterms: "${secrets.literal} x" } }) { name } }`,
        operationName: secrets.operationName,
      }),
      await send({ query: `{ unclosed(a: "${secrets.literal}` }),
      await send({ query: named, operationName: secrets.operationName, variables: { n: "a" } }),
      await send(`{"query": "{", "x": ${secrets.badJson}}`),
      await send(
        { query: `mutation { updateGQLSchema(input: { set: { schema: "type A { b: ${secrets.literal} }" } }) { gqlSchema { schema } } }` },
        "/admin",
      ),
      await send(`type Broken { field: ${secrets.literal} }`, "/admin/schema"),
      await send("", `/nowhere/${secrets.url}`, secrets.header),
      await send({ drop_all: secrets.literal }, "/alter"),
    ];
    await running.kernel.execute({ query: named, variables: { n: secrets.variable }, headers });
    await running.kernel.close();
    // The test means something: the requests did what they say, and were written down.
    expect(answers[5]).toContain('"numUids":1');
    expect(answers[6]).toContain("already exists");
    expect(written.match(/"event":"request"/g)?.length).toBeGreaterThanOrEqual(answers.length);
    expect(written.match(/"event":"slow"/g)?.length).toBeGreaterThan(5);
    const found = Object.entries(secrets).filter(([, secret]) => written.includes(String(secret)));
    expect(found).toEqual([]);
    await running.kernel.open();
  });
});

describe("a subscription", () => {
  const subscriptionNamed = (name: string) => `subscription ${name} { queryClerk { name } }`;

  it("writes one line at its end: operation, duration, number of results and reason", async () => {
    const { of } = await watched({}, { plugins: standardPlugins() });
    const { kernel } = stack ?? expect.unreachable();
    await kernel.deploy("type Clerk @withSubscription { name: String! @id }");
    const stopped = kernel.live<{ queryClerk: { name: string }[] }>({ query: subscriptionNamed("Stopped") });
    const ended = kernel.live<{ queryClerk: { name: string }[] }>({ query: subscriptionNamed("Ended") });
    expect((await stopped.next()).value).toMatchObject({ data: { queryClerk: [] } });
    expect((await ended.next()).value).toMatchObject({ data: { queryClerk: [] } });
    expect(of("subscription")).toEqual([]);
    await kernel.execute({ query: 'mutation { addClerk(input: [{ name: "in the data" }]) { numUids } }' });
    expect((await stopped.next()).value).toMatchObject({ data: { queryClerk: [{ name: "in the data" }] } });
    expect((await ended.next()).value).toMatchObject({ data: { queryClerk: [{ name: "in the data" }] } });
    await stopped.return?.();
    await kernel.deploy("type Clerk @withSubscription { name: String! @id  floor: Int }");
    await kernel.execute({ query: 'mutation { addClerk(input: [{ name: "in two schemas" }]) { numUids } }' });
    expect((await ended.next()).value?.data?.queryClerk).toHaveLength(2);
    await kernel.deploy("type Clerk @withSubscription { title: String! @id }");
    await expect(ended.next()).rejects.toThrow(/Cannot query field "name"/);
    const requestID = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const durationMs = expect.any(Number);
    expect(of("subscription")).toEqual([
      {
        level: "debug",
        event: "subscription",
        message: "subscription Stopped ended: client",
        facts: { requestID, operation: "Stopped", ended: "client", results: 2, durationMs },
      },
      {
        level: "debug",
        event: "subscription",
        message: "subscription Ended ended: redeployed",
        facts: { requestID, operation: "Ended", ended: "redeployed", results: 3, durationMs },
      },
    ]);
  });

  it("that was refused writes only its request line, as does a query sent like a subscription", async () => {
    const { of } = await watched({}, { plugins: standardPlugins() });
    const { kernel } = stack ?? expect.unreachable();
    await expect(kernel.live({ query: subscriptionNamed("Refused") }).next()).rejects.toThrow(/subscription/);
    expect((await kernel.live({ query: "query Asked { queryClerk { name } }" }).next()).value).toMatchObject({ data: { queryClerk: [] } });
    expect(of("subscription")).toEqual([]);
    expect(of("request").map(({ facts }) => [facts.kind, facts.operation, facts.outcome])).toEqual([
      ["subscription", undefined, "refused"],
      ["query", "Asked", "ok"],
    ]);
  });
});

describe("QUERN_LOG", () => {
  it("overrides the configuration, and is refused if it is not a level", async () => {
    process.env.QUERN_LOG = "error";
    try {
      const { entries } = await watched({ level: "debug" });
      expect(entries).toEqual([]);
      process.env.QUERN_LOG = "loud";
      await expect(compatibleKernel()).rejects.toThrow('QUERN_LOG has a wrong value: it must be "debug", "info", "warn", "error" or "silent".');
    } finally {
      delete process.env.QUERN_LOG;
    }
  });
});
