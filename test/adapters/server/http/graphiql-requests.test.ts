// What GraphiQL's page sends and shows: its script `page.js` in a browser's place, against a server on a socket.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { browserFileNames, browserPackages, folderOf, publishedFile } from "../../../../adapters/server/graphiql/browser-files.ts";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { Listening, Transport } from "../../../../core/transport.ts";
import { line, token } from "../../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";

const schema = `
  type Boat @withSubscription @auth(query: { rule: "{$CREW: { eq: \\"yes\\" } }" }) { name: String! @id }
  ${line}
`;
const crew = { "X-Harbour": token({ CREW: "yes" }) };

interface Observer {
  readonly next: (result: unknown) => void;
  readonly error: (error: unknown) => void;
  readonly complete: () => void;
}
interface Page {
  readonly query?: string;
  readonly fetcher: (params: object, options: object) => Promise<unknown> & { subscribe(observer: Observer): { unsubscribe(): void } };
  readonly onEditQuery: (query: string) => void;
}

describe.each<[string, () => Transport]>([
  ["ws", () => wsTransport()],
  ["yoga", () => yogaTransport()],
])("GraphiQL over %s", (_name, transport) => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeEach(async () => {
    stack = await temporaryKernel();
    await stack.kernel.deploy(schema);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await opened().fetcher({ query: 'mutation { addBoat(input: [{ name: "Aurora" }]) { numUids } }' }, {});
  });
  afterEach(async () => {
    await server.close(0);
    await stack.remove();
  });

  /** The page as it is opened with `search` in its address; `addresses` receives what it writes there. */
  function opened(search = "", addresses: string[] = []): Page {
    let props: Page | undefined;
    const window = {
      React: { createElement: (_component: unknown, given: Page) => (props = given) },
      ReactDOM: { createRoot: () => ({ render() {} }) },
      location: { pathname: "/graphql", search },
      history: { replaceState: (_state: unknown, _title: string, address: string) => void addresses.push(address) },
    };
    const document = { getElementById: () => null };
    const here = (path: string, init: RequestInit) => fetch(server.url + path, init);
    runInNewContext(readFileSync(publishedFile("page.js"), "utf8"), {
      window,
      document,
      fetch: here,
      URLSearchParams,
      AbortController,
      TextDecoderStream,
    });
    if (props === undefined) throw new Error("The page renders nothing.");
    return props;
  }

  const subscribing = { query: "subscription { queryBoat { name } }" };
  const documentAST = { definitions: [{ kind: "OperationDefinition", operation: "subscription" }] };

  /** The first result of a subscription, and its end. */
  function firstResult(options: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const running = opened()
        .fetcher(subscribing, { documentAST, ...options })
        .subscribe({
          next: (result) => {
            running.unsubscribe();
            resolve(result);
          },
          error: reject,
          complete: () => reject(new Error("no result")),
        });
    });
  }

  it("sends the headers of its editor with a query", async () => {
    const query = { query: "{ queryBoat { name } }" };
    expect(await opened().fetcher(query, {})).toMatchObject({ data: { queryBoat: [] } });
    expect(await opened().fetcher(query, { headers: crew })).toMatchObject({ data: { queryBoat: [{ name: "Aurora" }] } });
  });

  it("sends them with a subscription", async () => {
    expect(await firstResult({})).toMatchObject({ data: { queryBoat: [] } });
    expect(await firstResult({ headers: crew })).toMatchObject({ data: { queryBoat: [{ name: "Aurora" }] } });
  });

  it("shows each change of a subscription until it is stopped", async () => {
    const seen: unknown[] = [];
    let look = () => {};
    const running = opened()
      .fetcher(subscribing, { documentAST, headers: crew })
      .subscribe({
        next: (result) => {
          seen.push(result);
          look();
        },
        error: (error) => seen.push(error),
        complete: () => seen.push("complete"),
      });
    const results = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => seen.length >= count && resolve();
        look();
      });
    await results(1);
    await opened().fetcher({ query: 'mutation { addBoat(input: [{ name: "Bee" }]) { numUids } }' }, {});
    await results(2);
    running.unsubscribe();
    expect(seen).toMatchObject([{ data: { queryBoat: [{ name: "Aurora" }] } }, { data: { queryBoat: [{ name: "Aurora" }, { name: "Bee" }] } }]);
  });

  it("shows why a subscription is refused", async () => {
    const result = await firstResult({ headers: { "X-Harbour": "nonsense" } });
    expect(result).toMatchObject({ errors: [{ message: expect.any(String) }] });
  });

  it("keeps the operation in the address", () => {
    const addresses: string[] = [];
    const page = opened("?query=%7Ba%7D", addresses);
    expect(page.query).toBe("{a}");
    page.onEditQuery("{b}");
    page.onEditQuery("");
    expect(addresses).toEqual(["/graphql?query=%7Bb%7D", "/graphql"]);
  });
});

it("holds files of the packages' own releases, each with its licence in a build", () => {
  for (const name of browserFileNames) expect(readFileSync(publishedFile(name), "utf8").length).toBeGreaterThan(1_000);
  for (const name of browserPackages) expect(readFileSync(join(folderOf(name), "LICENSE"), "utf8")).toMatch(/MIT License/);
});
