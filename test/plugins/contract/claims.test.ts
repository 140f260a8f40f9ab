// Claims that a plugin gives, as one with sessions does: rules read them, a token wins, and a revoked session ends what its caller watches.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin, Json, KernelAccess } from "../../../core/plugin.ts";
import { eventually } from "../../support/eventually.ts";
import { compatibleKernel, type TemporaryConfig } from "../../support/kernel.ts";
import { Client } from "../../support/live-clients.ts";
import { line, namespace, secret, token } from "../auth/token.ts";

type Claims = Readonly<Record<string, Json>>;

/** Sessions by the value of a cookie, in memory. */
class Sessions {
  readonly claims = new Map<string, Claims>();
  access: KernelAccess | undefined;
  checks = 0;
  /** What a look-up waits for before it answers. */
  hold: Promise<void> | undefined;

  revoke(id: string): void {
    this.claims.delete(id);
    this.access?.recheckCallers(({ facts }) => facts.session === id);
  }

  plugin(): DirectivePlugin {
    return {
      name: "sessions",
      definitions: "",
      server: (kernel) => {
        this.access = kernel;
        return {};
      },
      model: () => ({
        headers: ["cookie"],
        request: ({ headers }) => {
          this.checks++;
          const id = headers.cookie ?? "";
          const claims = this.claims.get(id);
          const facts = claims ? { claims, session: id } : {};
          return this.hold ? this.hold.then(() => facts) : facts;
        },
      }),
    };
  }
}

const rule = 'query: { rule: "query($USER: String!) { queryNote(filter: { owner: { eq: $USER } }) { id } }" }';
const type = `type Note @withSubscription @auth(${rule}) { id: ID!  owner: String! @search(by: [hash]) }`;
const closed = `# Service.Authorization ${JSON.stringify({ Header: "X-Harbour", Namespace: namespace, VerificationKey: secret, Algo: "HS256", ClosedByDefault: true })}`;

async function open(schema: string, place: "before" | "after" = "before", config: TemporaryConfig = {}) {
  const sessions = new Sessions();
  const plugins = place === "before" ? [sessions.plugin(), ...standardPlugins()] : [...standardPlugins(), sessions.plugin()];
  const stack = await compatibleKernel({ plugins, ...config });
  onTestFinished(() => stack.remove());
  const { kernel } = stack;
  await kernel.deploy(schema);
  await kernel.execute({ query: 'mutation { addNote(input: [{ owner: "ada" }, { owner: "bob" }]) { numUids } }', as: "system" });
  sessions.claims.set("s1", { USER: "ada" }).set("s2", { USER: "bob" });
  const ask = async (headers: Readonly<Record<string, string>> = {}) =>
    JSON.parse((await kernel.execute({ query: "{ queryNote { owner } }", headers })).body);
  const watch = async (cookie: string) => {
    const client = new Client();
    client.subscription = kernel.subscribe({ query: "subscription { queryNote { owner } }", headers: { cookie } }, client);
    await client.subscription.planned;
    await eventually(() => expect(client.results.length + (client.ending ? 1 : 0)).toBeGreaterThan(0));
    return client;
  };
  return { sessions, kernel, ask, watch };
}

const owners = (...names: readonly string[]) => ({ data: { queryNote: names.map((owner) => ({ owner })) } });
const expired = { kind: "expired", limit: "token", errors: [{ message: expect.any(String), extensions: { code: "SUBSCRIPTION_EXPIRED" } }] };

describe("claims that a plugin gives", () => {
  it("are what rules read, without a line about tokens and beside one", async () => {
    const without = await open(type);
    expect(await without.ask({ cookie: "s1" })).toMatchObject(owners("ada"));
    expect(await without.ask({ cookie: "s3" })).toMatchObject(owners());
    const beside = await open(`${line}\n${type}`);
    expect(await beside.ask({ cookie: "s2" })).toMatchObject(owners("bob"));
    expect(await beside.ask({ "x-harbour": token({ USER: "ada" }) })).toMatchObject(owners("ada"));
  });

  it.each([
    ["before", "ada"],
    ["after", "bob"],
  ] as const)("lose to a token beside the cookie where the plugin comes before auth: %s", async (place, owner) => {
    const { ask } = await open(`${line}\n${type}`, place);
    expect(await ask({ cookie: "s2", "x-harbour": token({ USER: "ada" }) })).toMatchObject(owners(owner));
  });

  it("count as identification where every request needs a token; no claims do not", async () => {
    const { ask } = await open(`${closed}\n${type}`);
    expect(await ask({ cookie: "s1" })).toMatchObject(owners("ada"));
    expect((await ask({ cookie: "s3" })).errors[0].message).toContain("a valid JWT is required but was not provided");
    expect((await ask({ cookie: "s1", "x-harbour": "forged" })).errors).toHaveLength(1);
  });

  it("must be a plain object", async () => {
    const { sessions, ask } = await open(type);
    sessions.claims.set("s1", ["ada"] as unknown as Claims);
    expect((await ask({ cookie: "s1" })).errors).toHaveLength(1);
  });
});

describe("recheckCallers", () => {
  it("ends the subscriptions of a revoked session at once, and no others", async () => {
    const { sessions, watch } = await open(type);
    const [one, again, other, nobody] = [await watch("s1"), await watch("s1"), await watch("s2"), await watch("")];
    expect(one.last).toEqual({ queryNote: [{ owner: "ada" }] });
    sessions.checks = 0;
    sessions.revoke("s1");
    expect(one.ending).toEqual(expired);
    expect(again.ending).toEqual(expired);
    expect([other.ending, nobody.ending]).toEqual([undefined, undefined]);
    expect(sessions.checks).toBe(2);
  });

  it("ends subscriptions of callers whose claims are others now; without a choice it looks at all", async () => {
    const { sessions, kernel, watch } = await open(type);
    const [one, other] = [await watch("s1"), await watch("s2")];
    sessions.claims.set("s1", { USER: "ada", ROLE: "ADMIN" });
    kernel.recheckCallers();
    expect(one.ending).toEqual(expired);
    expect(other.ending).toBeUndefined();
  });

  it("reaches a subscription that is about to begin", async () => {
    const { sessions, kernel } = await open(type);
    const gate: (() => void)[] = [];
    sessions.hold = new Promise((resolve) => gate.push(resolve));
    sessions.checks = 0;
    const client = new Client();
    const subscription = kernel.subscribe({ query: "subscription { queryNote { owner } }", headers: { cookie: "s1" } }, client);
    await eventually(() => expect(sessions.checks).toBe(1));
    sessions.hold = undefined;
    sessions.revoke("s1");
    for (const open of gate) open();
    await subscription.planned;
    await eventually(() => expect(client.results.length).toBe(1));
    expect(client.last).toEqual({ queryNote: [] });
  });

  it("ends subscriptions whose caller cannot be identified", async () => {
    const { sessions, kernel, watch } = await open(type, "before", { log: { level: "silent" } });
    const one = await watch("s1");
    sessions.claims.get = () => {
      throw new Error("the sessions are broken");
    };
    kernel.recheckCallers();
    expect(one.ending).toEqual(expired);
  });
});
