// Requests to a kernel that is not open, and names of headers.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../core/index.ts";
import type { DirectivePlugin, RequestView } from "../../core/plugin.ts";
import { newStorage } from "../support/storage.ts";

const closed = { errors: [{ message: "The kernel is not open.", extensions: { code: "STORE_CLOSED" } }] };
const answer = async (kernel: Kernel, query = "{ queryBoat { name } }") => JSON.parse((await kernel.execute({ query })).body);

it("says STORE_CLOSED before the kernel opens and after it closes, and not that a schema is missing", async () => {
  const kernel = createKernel({ errors: "compatible", storage: await newStorage() });
  expect(await answer(kernel)).toEqual(closed);
  await kernel.open();
  expect((await answer(kernel)).errors[0].message).toContain("There's no GraphQL schema");
  await kernel.deploy("type Boat { name: String }");
  expect(await answer(kernel)).toEqual({ data: { queryBoat: [] } });
  await kernel.close();
  expect(await answer(kernel)).toEqual(closed);
  expect(await answer(kernel, "mutation { addBoat(input: [{}]) { numUids } }")).toEqual(closed);
});

it("says so to who subscribes, and to who deploys", async () => {
  const kernel = createKernel({ errors: "compatible", storage: await newStorage() });
  const ended = new Promise((end) =>
    kernel.subscribe({ query: "subscription { queryBoat { name } }" }, { next: () => undefined, ready: () => true, end }),
  );
  expect(await ended).toMatchObject({ kind: "refused", errors: closed.errors });
  await expect(kernel.deploy("type Boat { name: String }")).rejects.toMatchObject({ code: "STORE_CLOSED" });
});

it("answers again when it is opened again", async () => {
  const kernel = createKernel({ errors: "compatible", storage: await newStorage() });
  onTestFinished(() => kernel.close());
  await kernel.open();
  await kernel.deploy("type Boat { name: String }");
  await kernel.close();
  await kernel.open();
  expect(await answer(kernel)).toEqual({ data: { queryBoat: [] } });
});

it("gives plugins the names of headers in lower case, however they are written", async () => {
  const seen: RequestView["headers"][] = [];
  const admitted: unknown[] = [];
  const plugin: DirectivePlugin = {
    name: "listener",
    definitions: "",
    model: () => ({
      admit: (headers) => void admitted.push(headers.authorization),
      request: ({ headers }) => {
        seen.push(headers);
        return {};
      },
      api: () => ({
        roots: [
          {
            operation: "query",
            signature: "again: Int",
            async run({ execute }) {
              await execute({ query: "{ queryBoat { name } }", headers: { AUTHORIZATION: "nested" } });
              return { json: 1 };
            },
          },
        ],
      }),
    }),
  };
  const kernel = createKernel({ errors: "compatible", storage: await newStorage(), plugins: [plugin] });
  onTestFinished(() => kernel.close());
  await kernel.open();
  await kernel.deploy("type Boat { name: String }");
  await kernel.execute({ query: "{ queryBoat { name } }", headers: { Authorization: "Bearer a", "X-Mast": "tall", plain: "b" } });
  expect(seen.splice(0)).toEqual([{ authorization: "Bearer a", "x-mast": "tall", plain: "b" }]);
  await kernel.execute({ query: "{ again }", headers: { aUTHORIZATION: "outer" } });
  expect(seen.map(({ authorization }) => authorization)).toEqual(["outer", "nested"]);
  expect(admitted).toEqual(["Bearer a", "outer", "nested"]);
});
