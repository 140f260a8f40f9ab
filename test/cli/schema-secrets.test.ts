// The secrets of a schema reach the services for which they are meant, and nothing that the server or its commands print.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { json, remote } from "../plugins/custom/remote.ts";
import { eventually } from "../support/eventually.ts";
import { run, served, temporaryFolder } from "./quern.ts";

/** Each has a value that occurs nowhere else. */
const secrets = ["KEY", "OLD", "HOOK", "SIGN", "INTRO"];
const secretOf = (name: string) => `hidden-${name.toLowerCase()}-5521`;
const token = "an-admin-token-of-enough-characters";

const schemaAt = (url: string, field = "") => `
  type Hive @webhook(url: "${url}/hook", secretHeaders: ["X-Hook:HOOK"], signedBy: "SIGN") {
    label: String! @id
    ${field}
    price: Float @custom(http: { url: "${url}/price", method: POST, mode: BATCH, body: "{ l: $label }", secretHeaders: ["X-Key:KEY"] })
  }
  type Query {
    tides(at: String!): String @custom(http: { url: "${url}/tides/$at", method: GET, secretHeaders: ["X-Key:KEY", "X-Old:OLD"] })
    far: String @custom(http: { url: "${url}/far", method: POST, graphql: "query { far }", introspectionHeaders: ["X-In:INTRO"] })
  }
# Dgraph.Secret OLD "${secretOf("OLD")}"
${secrets.map((name) => `# Service.Secret ${name} "${secretOf(name)}"`).join("\n")}
`;

/** The schema of a service with the field `far`, as introspection shows it. */
const far = {
  queryType: { name: "Query" },
  types: [{ kind: "OBJECT", name: "Query", fields: [{ name: "far", args: [], type: { kind: "SCALAR", name: "String" } }] }],
};

it("prints secrets in no command, answer, plan, log line or metric, and shows them to administrators alone", async () => {
  const received: Record<string, unknown> = {};
  const service = await remote((request, response, body) => {
    received[request.url ?? ""] = [request.headers["x-key"], request.headers["x-old"], request.headers["x-hook"]];
    if (request.url === "/price") json([1])(request, response, body);
    else if (request.url === "/far") json({ data: body.includes("__schema") ? { __schema: far } : { far: null } })(request, response, body);
    else response.writeHead(500).end("no");
  });
  onTestFinished(() => service.close());
  const seen: Record<string, string> = {};
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder.path, name), text);
    return name;
  };
  for (const [name, value] of Object.entries({ QUERN_ADMIN_TOKEN: token, QUERN_LOG: "debug" })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const schema = write("schema.graphql", schemaAt(service.url));
  const { url, stop } = await served(folder.path, "--schema", schema);
  const at = (path: string) => new URL(path, url);
  const send = async (path: string, query: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ query, extensions: { plan: true } });
    const answer = await fetch(at(path), { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
    return await answer.text();
  };
  const admin = { "x-service-authtoken": token };
  const command = async (...args: readonly string[]) => {
    const { out, err } = await run(folder.path, ...args);
    return out + err;
  };

  // The services get them.
  await send("/graphql", 'mutation { addHive(input: [{ label: "a" }]) { hive { price } } }');
  await eventually(() => expect(service.received.filter((each) => each.startsWith("POST /hook"))).not.toEqual([]));

  const query = '{ tides(at: "x") far queryHive { label price } }';
  seen.answer = await send("/graphql", query);
  seen.plan = await send("/admin/graphql", query, admin);
  expect(seen.plan).toContain('"plan":[');
  seen.introspection = await send("/graphql", "{ __schema { directives { name } types { name description fields { name description } } } }");
  seen.schemaWithoutToken = await send("/admin", "{ getGQLSchema { schema generatedSchema } }");
  seen.metrics = await (await fetch(at("/metrics"), { headers: admin })).text();
  for (const path of ["/health", "/state", "/console", "/", "/graphiql"]) seen[path] = await (await fetch(at(path), { headers: admin })).text();
  seen.explain = await command("explain", query, "--url", url);
  const next = write("next.graphql", schemaAt(service.url, "more: Int").replace(secretOf("KEY"), "hidden-next-5521"));
  seen.diff = await command("diff", next, "--url", url);
  expect(seen.diff).toContain("more");
  for (const name of ["validate", "origins"]) seen[name] = await command(name, schema);
  // An excerpt shows the neighbours of a wrong line.
  const last = `${readFileSync(join(folder.path, schema), "utf8").trimEnd()}\ntype Wrong { at: Nowhere }\n# Service.Secret LAST "${secretOf("LAST")}"\n`;
  const wrong = write("wrong.graphql", last);
  for (const [name, ...more] of [["validate"], ["diff", "--url", url], ["deploy", "--url", url]]) {
    seen[`${name} of a wrong schema`] = await command(name ?? "", wrong, ...more);
    expect(seen[`${name} of a wrong schema`]).toContain("Nowhere");
  }
  const malformed = write("malformed.graphql", `${schemaAt(service.url)}\n# Service.Secret MORE ${secretOf("MORE")}\n`);
  for (const name of ["validate", "deploy"])
    seen[`${name} of a malformed line`] = await command(name, malformed, ...(name === "deploy" ? ["--url", url] : []));

  // To administrators the deployed text is shown, and only here.
  expect(await send("/admin", "{ getGQLSchema { schema } }", admin)).toContain(secretOf("KEY"));
  seen.deploy = await command("deploy", next, "--url", url);
  const { out, err, code } = await stop("SIGTERM");
  expect(code).toBe(0);
  seen.log = out + err;
  expect(seen.log).toContain('"level":"debug"');

  expect(received).toMatchObject({
    "/price": [secretOf("KEY"), undefined, undefined],
    "/tides/x": [secretOf("KEY"), secretOf("OLD"), undefined],
    "/hook": [undefined, undefined, secretOf("HOOK")],
  });
  for (const [where, text] of Object.entries(seen)) {
    expect(text, where).not.toBe("");
    expect(text, where).not.toMatch(/hidden-\w+-5521/);
  }
});
