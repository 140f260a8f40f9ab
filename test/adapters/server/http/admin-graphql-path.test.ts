// `/admin/graphql`, `/admin/changes`, `/admin/readings`: what an administrator's tool reads, past the rules of the schema and no further.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpResponse, Outlet, OutletListener } from "../../../../core/transport.ts";
import { line } from "../../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

const schema = `type Berth @auth(query: { rule: "query ($WHO: String!) { queryBerth(filter: { owner: { eq: $WHO } }) { owner } }" }) {
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
  stack = await temporaryKernel({ admin: { token: "desk" }, envelop: [cache] });
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

  it("says how much was committed, and sends the sum to a client that was slow", async () => {
    const reader = new Reader(await changes(desk));
    expect(reader.text).toBe(":\n\n");
    await send("/admin/graphql", add, desk);
    await reader.until(() => reader.text.includes("data: "));
    expect(reader.text).toMatch(/data: \{"commits":1\}\n\n$/);
    reader.waiting = 10;
    for (const owner of ["cat", "dan", "eve"])
      await stack.kernel.execute({ query: `mutation { addBerth(input: { owner: "${owner}" }) { numUids } }` });
    reader.waiting = 0;
    reader.listener?.drained();
    await reader.until(() => /data: \{"commits":3\}\n\n$/.test(reader.text));
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
