// Consoles in the browser that administrate a server of another origin, as Dgraph's do, with `admin: { origins: ["*"] }`.

import { describe, expect, it, onTestFinished } from "vitest";
import { type TemporaryConfig, temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

const token = "a-token-of-more-than-32-characters-0123456789";
const page = {
  origin: "https://cloud.example",
  "access-control-request-method": "POST",
  "access-control-request-headers": "content-type,x-dgraph-authtoken",
};
const paths = ["/admin", "/admin/schema", "/alter", "/query", "/mutate?commitNow=true", "/commit?startTs=1", "/state"];

async function served(admin: NonNullable<TemporaryConfig["admin"]>) {
  const stack = await temporaryKernel({ admin });
  onTestFinished(() => stack.remove());
  return stack.kernel;
}

describe("a console of another origin", () => {
  it.each(paths)("has its preflight of %s answered where any origin is configured, and not otherwise", async (path) => {
    const open = await ask(await served({ token, origins: ["*"] }), { method: "OPTIONS", path, headers: page });
    expect(open.status).toBe(200);
    expect(open.headers["access-control-allow-origin"]).toBe("*");
    const allowed = String(open.headers["access-control-allow-headers"]).toLowerCase().split(/,\s*/);
    expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-dgraph-authtoken"]));
    expect(String(open.headers["access-control-allow-methods"])).toContain("POST");
    const closed = await ask(await served({ token }), { method: "OPTIONS", path, headers: page });
    expect(Object.keys(closed.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  it("deploys with the token, as often as it polls, and an unchanged schema is served once", async () => {
    const kernel = await served({ token, origins: ["*"] });
    const query = 'mutation { updateGQLSchema(input: { set: { schema: "type Mill { name: String! @id }" } }) { gqlSchema { schema } } }';
    const deploy = (headers: Readonly<Record<string, string>>) =>
      ask(kernel, { path: "/admin", headers: { "content-type": "application/json", ...page, ...headers }, body: JSON.stringify({ query }) });
    for (let i = 0; i < 3; i++) {
      const answer = await deploy({ "x-dgraph-authtoken": token });
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(json(answer)).toMatchObject({ data: { updateGQLSchema: { gqlSchema: { schema: "type Mill { name: String! @id }" } } } });
    }
    expect(kernel.schemaUpdateCounter).toBe(1);
    expect(json(await deploy({}))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
  });
});
