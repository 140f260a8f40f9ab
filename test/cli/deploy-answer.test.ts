// What `quern deploy --url` makes of a server's answer: of today's, of an earlier version's, and of one that breaks off.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { compareWith, deployTo } from "../../adapters/cli/client/deploy-answer.ts";
import { explainFailure } from "../../adapters/cli/ground/failure.ts";

const schema = { name: "boat.graphql", text: "type Boat {\n  name: Strin\n}\n" };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serverThat(answers: RequestListener): Promise<string> {
  server = createServer(answers).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (value: object): RequestListener => {
  return (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
};

/** What people read of a deploy that fails. */
const shown = (url: string) => deployTo({ url }, schema, () => undefined).then(() => expect.unreachable(), explainFailure);

it("deployTo requests details and progress, and reports each step when its line is complete", async () => {
  const told: unknown[] = [];
  let asked: string | undefined;
  const url = await serverThat((request, response) => {
    asked = request.url;
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const lines =
      '{"step":{"what":"index Böte","done":1,"total":2}}\n\n{"step":{"what":"index Böte","done":2,"total":2}}\n{"data":{"unreachable":[]}}\n';
    const bytes = Buffer.from(lines);
    // In the middle of the ö.
    const cut = bytes.indexOf("B") + 2;
    response.write(bytes.subarray(0, cut));
    setImmediate(() => response.end(bytes.subarray(cut)));
  });
  expect(await deployTo({ url }, schema, (step) => told.push(step))).toEqual({ unreachable: [], warnings: [] });
  expect(asked).toBe("/admin/schema?details=true&progress=true");
  expect(told).toEqual([
    { what: "index Böte", done: 1, total: 2 },
    { what: "index Böte", done: 2, total: 2 },
  ]);
});

it("deployTo works with a server of an earlier version: hidden data are undefined, and an error points at the first word of its line", async () => {
  expect(await deployTo({ url: await serverThat(json({ data: { code: "Success", message: "Done" } })) }, schema, () => undefined)).toEqual({
    unreachable: undefined,
    warnings: [],
  });
  server?.close();
  const message = "resolving updateGQLSchema failed because input:2: Undefined type Strin.\n (Locations: [{Line: 3, Column: 4}])";
  expect(await shown(await serverThat(json({ errors: [{ message, extensions: { code: "Error" } }] })))).toBe(
    "Undefined type Strin.\nboat.graphql:2:3\n1 | type Boat {\n2 |   name: Strin\n  |   ^\n3 | }",
  );
});

it("a refused deploy shows every error with its location, excerpt and hint", async () => {
  const errors = [
    { message: "Undefined type Strin.", locations: [{ line: 2, column: 9 }], extensions: { code: "SCHEMA_INVALID", hint: 'did you mean "String"?' } },
    { message: "Two nodes share a key.\ninput: as it is", extensions: { code: "MIGRATION_REFUSED" } },
  ];
  const excerpt = 'Undefined type Strin.\ndid you mean "String"?\nboat.graphql:2:9\n1 | type Boat {\n2 |   name: Strin\n  |         ^\n3 | }';
  expect(await shown(await serverThat(json({ errors })))).toBe(`${excerpt}\n\nTwo nodes share a key.\ninput: as it is`);
});

it("an unauthorized deploy shows how to supply the token or which setting lists the addresses", async () => {
  const unauthorized = { errors: [{ message: "Invalid X-Dgraph-AuthToken", extensions: { code: "ErrorUnauthorized" } }] };
  expect(await shown(await serverThat(json(unauthorized)))).toMatch(
    /^Invalid X-Dgraph-AuthToken\nSet the server's admin token .* QUERN_ADMIN_TOKEN, .* --admin-token-file\./,
  );
  server?.close();
  const message = "resolving updateGQLSchema failed because unauthorized ip address: 203.0.113.7 (Locations: [{Line: 3, Column: 4}])";
  expect(await shown(await serverThat(json({ errors: [{ message, extensions: { code: "Error" } }] })))).toMatch(
    /^unauthorized ip address: 203\.0\.113\.7\nadmin\.allow in the server's configuration lists/,
  );
});

it("a broken connection is reported as an unknown outcome", async () => {
  const begin: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" }).write('{"step":{"what":"index","done":1,"total":2}}\n');
  };
  const broken = await serverThat((request, response) => {
    begin(request, response);
    setImmediate(() => response.destroy());
  });
  expect(await shown(broken)).toMatch(/^The connection to http:\S+ ended before the server answered\.\nThe server may still carry out the request/);
  server?.close();
  const ended = await serverThat((request, response) => {
    begin(request, response);
    response.end();
  });
  expect(await shown(ended)).toMatch(/ended its answer without the result of the deploy\.$/);
  server?.close();
  const silent = await serverThat((request) => request.socket.destroy());
  expect(await shown(silent)).toMatch(/ended before the server answered\./);
});

it("an unreachable server, or one that is not Quern, is one readable error", async () => {
  const nowhere = await serverThat(() => expect.unreachable());
  await new Promise((closed) => server?.close(closed));
  expect(await shown(nowhere)).toBe(`No server answers at ${nowhere}; start one (quern start), or check --url.`);
  const url = await serverThat((_, response) => response.end("<html>"));
  expect(await shown(url)).toBe(`${url}/admin/schema?details=true&progress=true answers with status 200, but not with JSON. Is it a Quern server?`);
  await expect(compareWith({ url }, schema)).rejects.toThrow("not with JSON");
});
