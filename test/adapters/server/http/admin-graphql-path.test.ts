// `/admin/graphql`, `/admin/changes`, `/admin/readings`: what an administrator's tool reads, past the rules of the schema and no further.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpResponse, Outlet, OutletListener } from "../../../../core/transport.ts";
import { line, token } from "../../../plugins/auth/token.ts";
import { compatibleKernel, type TemporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

const schema = `type Pier @auth(add: { rule: "{ $ROLE: { eq: \\"MASTER\\" } }" }) { name: String! @id }
type Berth @auth(query: { rule: "query ($WHO: String!) { queryBerth(filter: { owner: { eq: $WHO } }) { owner } }" }) {
  owner: String! @id
  length: Int @default(add: { value: "7" })
}
${line}
`;

let stack: TemporaryKernel;
let cached: string[];
beforeEach(async () => {
  cached = [];
  const cache = {
    onExecute: () => ({
      onExecuteDone: ({ result }: { readonly result: unknown }) => {
        cached.push(JSON.stringify(result));
      },
    }),
  };
  stack = await compatibleKernel({ admin: { token: "desk" }, envelop: [cache] });
  await stack.kernel.deploy(schema);
});
afterEach(() => stack.remove());

const send = (path: string, query: string, headers: Readonly<Record<string, string>>, more: object = {}) =>
  ask(stack.kernel, { path, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify({ query, ...more }) });
const desk = { "x-service-authtoken": "desk" };
const add = 'mutation { addBerth(input: [{ owner: "ann" }, { owner: "bob" }]) { numUids } }';

describe("/admin/graphql", () => {
  it("reads and writes past the rules; values of plugins still apply", async () => {
    expect(json(await send("/admin/graphql", add, desk))).toMatchObject({ data: { addBerth: { numUids: 2 } } });
    const all = "{ queryBerth(order: { asc: owner }) { owner length } }";
    expect(json(await send("/admin/graphql", all, desk))).toMatchObject({
      data: {
        queryBerth: [
          { owner: "ann", length: 7 },
          { owner: "bob", length: 7 },
        ],
      },
    });
    expect(json(await send("/graphql", all, desk))).toMatchObject({ data: { queryBerth: [] } });
  });

  it("refuses a caller without the token, whatever else it sends, and changes nothing", async () => {
    for (const headers of [{}, { "x-service-authtoken": "desks" }, { "x-quern-as": "system" }]) {
      const response = await send("/admin/graphql", add, headers);
      expect(json(response)).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
      expect(json(response)).not.toHaveProperty("data");
    }
    expect(json(await send("/admin/graphql", "{ aggregateBerth { count } }", desk))).toMatchObject({ data: { aggregateBerth: { count: 0 } } });
  });

  it("shows the plan when it is asked for, which `/graphql` does in debug mode alone", async () => {
    const plan = { extensions: { plan: true } };
    expect(json(await send("/admin/graphql", "{ queryBerth { owner } }", desk, plan))).toMatchObject({
      extensions: { plan: expect.arrayContaining([expect.stringContaining("Berth")]) },
    });
    expect(json(await send("/admin/graphql", "{ queryBerth { owner } }", desk))).not.toHaveProperty("extensions.plan");
    expect(json(await send("/graphql", "{ queryBerth { owner } }", desk, plan))).not.toHaveProperty("extensions.plan");
  });

  it("passes no plugin of the pipeline, so that none can keep its answers for callers", async () => {
    await send("/admin/graphql", add, desk);
    expect(cached).toEqual([]);
    await send("/graphql", "{ queryBerth { owner } }", {});
    expect(cached).toEqual([expect.stringContaining('"queryBerth":[]')]);
  });
});

describe("/admin/graphql as a client", () => {
  const whoever = (headers: Readonly<Record<string, unknown>>, more: object = {}) => ({ extensions: { plan: true, as: { headers }, ...more } });
  const all = "{ queryBerth { owner } }";
  beforeEach(() => send("/admin/graphql", add, desk));

  it("answers as to a client with these headers, and says which plugin left which nodes for what", async () => {
    const asAnn = json(await send("/admin/graphql", all, desk, whoever({ "X-Harbour": token({ WHO: "ann" }) })));
    expect(asAnn).toMatchObject({ data: { queryBerth: [{ owner: "ann" }] } });
    expect(asAnn).toHaveProperty("extensions.rules", [
      { plugin: "auth", type: "Berth", purpose: "query", leaves: expect.stringMatching(/^Berth\.owner.*"=?ann"/) },
    ]);
    expect(asAnn).toHaveProperty("extensions.plan");
    const asNobody = json(await send("/admin/graphql", all, desk, whoever({})));
    expect(asNobody).toMatchObject({ data: { queryBerth: [] }, extensions: { rules: [{ type: "Berth", leaves: "nothing" }] } });
  });

  it("uses no header of the administrator, and nothing of the plan shows without being asked for", async () => {
    const own = { ...desk, "x-harbour": token({ WHO: "bob" }) };
    expect(json(await send("/admin/graphql", all, own, whoever({})))).toMatchObject({ data: { queryBerth: [] } });
    const quiet = json(await send("/admin/graphql", all, own, { extensions: { as: { headers: { "x-harbour": token({ WHO: "ann" }) } } } }));
    expect(quiet).toMatchObject({ data: { queryBerth: [{ owner: "ann" }] } });
    expect(quiet).not.toHaveProperty("extensions.rules");
    expect(quiet).not.toHaveProperty("extensions.plan");
  });

  it("refuses what a client's token refuses, headers that are no strings, and callers who are no administrators", async () => {
    const refused = json(await send("/admin/graphql", all, desk, whoever({ "x-harbour": "no.such.token" })));
    expect(refused).toMatchObject({ errors: [{ message: expect.stringContaining("unable to parse jwt token") }] });
    expect(json(await send("/admin/graphql", all, desk, whoever({ "x-harbour": 7 })))).toMatchObject({
      errors: [{ message: expect.stringContaining('the header x-harbour in "extensions.as.headers" must be a string') }],
    });
    const asks = whoever({ "x-harbour": token({ WHO: "ann" }) });
    expect(json(await send("/admin/graphql", all, {}, asks))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
    // At /graphql the member has no meaning.
    const public_ = json(await send("/graphql", all, desk, asks));
    expect(public_).toMatchObject({ data: { queryBerth: [] } });
    expect(public_).not.toHaveProperty("extensions.rules");
  });

  it("notes the rules of writes too, and no plugin of the pipeline keeps an explained answer", async () => {
    cached = [];
    const build = 'mutation { addPier(input: [{ name: "North" }]) { numUids } }';
    const answer = json(await send("/admin/graphql", build, desk, whoever({ "x-harbour": token({ ROLE: "MATE" }) })));
    expect(answer).toMatchObject({
      data: { addPier: null },
      extensions: {
        rules: expect.arrayContaining([{ plugin: "auth", type: "Pier", purpose: "add", leaves: "nothing" }]),
        hiddenErrors: ["mutation failed because authorization failed"],
      },
    });
    const master = json(await send("/admin/graphql", build, desk, whoever({ "x-harbour": token({ ROLE: "MASTER" }) })));
    expect(master).toMatchObject({ data: { addPier: { numUids: 1 } } });
    expect(master).not.toHaveProperty("extensions.hiddenErrors");
    expect(cached).toEqual([]);
  });
});

/** What a client reads of a stream. */
class Reader implements Outlet {
  text = "";
  waiting = 0;
  ended = false;
  readonly listener: OutletListener | undefined;
  #look = () => {};

  constructor({ stream }: HttpResponse) {
    this.listener = stream?.(this);
  }

  send(text: string): void {
    this.text += text;
    this.#look();
  }

  end(): void {
    this.ended = true;
    this.listener?.closed();
    this.#look();
  }

  async until(isThere: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#look = () => isThere() && resolve();
      this.#look();
    });
  }
}

describe("/admin/changes", () => {
  const changes = (headers: Readonly<Record<string, string>>) => ask(stack.kernel, { method: "GET", path: "/admin/changes", headers });
  const event = (commits: number) => `data: {"commits":${commits},"schema":${stack.kernel.schemaUpdateCounter}}\n\n`;

  it("says how much was committed, and sends the sum to a client that was slow", async () => {
    const reader = new Reader(await changes(desk));
    expect(reader.text).toBe(event(0));
    await send("/admin/graphql", add, desk);
    await reader.until(() => reader.text.includes('"commits":1'));
    expect(reader.text).toBe(event(0) + event(1));
    reader.waiting = 10;
    for (const owner of ["cat", "dan", "eve"])
      await stack.kernel.execute({ query: `mutation { addBerth(input: { owner: "${owner}" }) { numUids } }` });
    reader.waiting = 0;
    reader.listener?.drained();
    await reader.until(() => reader.text.endsWith(event(3)));
    reader.listener?.closed();
  });

  it("names the schema, which is another one after a deploy", async () => {
    const reader = new Reader(await changes(desk));
    const before = stack.kernel.schemaUpdateCounter;
    await stack.kernel.deploy("type Berth { id: ID!  owner: String  depth: Int }");
    await reader.until(() => reader.text.includes(`"schema":${before + 1}}`));
    reader.listener?.closed();
  });

  it("ends when the server stops, and needs the token", async () => {
    const reader = new Reader(await changes(desk));
    await stack.kernel.close();
    await reader.until(() => reader.ended);
    expect(json(await changes({}))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
  });
});

describe("/admin/readings", () => {
  const readings = (headers: Readonly<Record<string, string>>) => ask(stack.kernel, { method: "GET", path: "/admin/readings", headers });

  it("has the numbers of storage and kernel without configured metrics, for administrators", async () => {
    await send("/admin/graphql", add, desk);
    expect(json(await readings(desk))).toMatchObject({
      data: { storage: expect.any(String), statistics: expect.objectContaining({ "nodes.Berth": 2 }), gauges: { liveSubscriptions: 0 } },
    });
    expect(json(await readings({}))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
  });
});
