// The shop as its README starts it: its transaction, its cascade, its rules, its live totals.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, run, started, temporaryFolder } from "../cli/quern.ts";
import { pixel } from "../support/pixel.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`../../examples/shop/${name}`, import.meta.url));
const requests = readFileSync(fileOf("requests.graphql"), "utf8");
const folder = temporaryFolder();
let shop: Running & { readonly url: string };
let staff = "";

beforeAll(async () => {
  process.env.DATA = join(folder.path, "data");
  shop = await started(folder.path, "--config", fileOf("quern.config.ts"));
  delete process.env.DATA;
  staff = await tokenOf({ ROLE: "STAFF" });
});
afterAll(async () => {
  shop?.child.kill("SIGINT");
  await shop?.ended;
  folder.remove();
});

async function tokenOf(claims: object): Promise<string> {
  const { out } = await run(folder.path, "token", "--schema", fileOf("schema.graphql"), "--claims", JSON.stringify(claims));
  return out.trim();
}

/** An operation of `requests.graphql`. */
function send(operationName: string, variables: object, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(shop.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: JSON.stringify({ query: requests, operationName, variables }),
  });
}

async function ask(operationName: string, variables: object = {}, token = staff): Promise<Record<string, unknown>> {
  const { data, errors } = await (await send(operationName, variables, token)).json();
  return errors ? { data, error: errors[0].message } : data;
}

const sale = (number: string, customer: string, sku: string, quantity: number, cents: number) => ({
  number,
  customer,
  sku,
  quantity,
  less: -quantity,
  cents,
});

/** The totals as they arrive. */
async function* totals(): AsyncGenerator<unknown> {
  const response = await send("Totals", {}, staff, { accept: "text/event-stream" });
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data) yield JSON.parse(data).data.groupLine;
    }
  }
}

describe("the shop", () => {
  it("sells in one transaction, and shows the totals live", async () => {
    expect(await ask("Fill")).toEqual({ addProduct: { numUids: 3 }, addCustomer: { numUids: 2 } });
    const live = totals();
    expect((await live.next()).value).toEqual([]);
    expect(await ask("Sell", sale("1001", "ada", "lamp-oil", 3, 750))).toMatchObject({ addOrder: { order: [{ number: "1001" }] } });
    expect((await live.next()).value).toEqual([{ key: { product: { name: "Lamp oil" } }, count: 1, quantitySum: 3, centsSum: 750 }]);
    await ask("Sell", sale("1002", "bob", "lantern", 1, 4900));
    expect((await live.next()).value).toMatchObject([{ key: { product: { name: "Lantern" } } }, { key: { product: { name: "Lamp oil" } } }]);
    await live.return(undefined);
  });

  it("sells nothing of what is not there: no order is made, and the stock stays", async () => {
    const refused = await ask("Sell", sale("1003", "ada", "lamp-oil", 3, 750));
    expect(refused).toEqual({ data: null, error: expect.stringContaining("stock") });
    expect(await ask("Sell", sale("1003", "ada", "lamp-oil", 2, 500))).toMatchObject({ updateProduct: { product: [{ stock: 0 }] } });
  });

  it("shows customers their own orders, and refuses their sales", async () => {
    const ada = await tokenOf({ USER: "ada" });
    const orders = async (token: string) => JSON.stringify(await ask("Orders", {}, token)).match(/10\d\d/g) ?? [];
    expect([await orders(staff), await orders(ada), await orders("")]).toEqual([["1003", "1002", "1001"], ["1003", "1001"], []]);
    expect(await ask("BoughtLanterns", {}, ada)).toEqual({ queryOrder: [] });
    expect(await ask("BoughtLanterns")).toEqual({ queryOrder: [{ number: "1002" }] });
    // A rule that refuses an add says so, and not why.
    expect(await ask("Sell", sale("1004", "ada", "wick", 1, 40), ada)).toEqual({ data: null, error: expect.stringContaining("access rules") });
  });

  it("shows everybody the picture that the staff gives a product, and none that a customer sends", async () => {
    const upload = async (name: string) => {
      const sent = await fetch(new URL(`/files?name=${name}`, shop.url), { method: "POST", headers: { "content-type": "image/png" }, body: pixel });
      return (await sent.json()).upload;
    };
    const ada = await tokenOf({ USER: "ada" });
    expect(await ask("Picture", { sku: "wick", upload: await upload("wick.png") }, ada)).toEqual({ updateProduct: { product: [] } });
    expect(await ask("Picture", { sku: "lamp-oil", upload: await upload("lamp.png") })).toMatchObject({ updateProduct: { product: [{}] } });
    const shown = { url: expect.stringMatching(/^\/files\/.*\/lamp\.png$/), type: "image/png", width: 1, height: 1 };
    const { queryProduct } = await ask("Catalogue", {}, "");
    expect(queryProduct).toMatchObject([
      { sku: "lamp-oil", image: shown },
      { sku: "lantern", image: null },
      { sku: "wick", image: null },
    ]);
    const [address = ""] = /\/files\/[^"]*/.exec(JSON.stringify(queryProduct)) ?? [];
    const picture = await fetch(new URL(address, shop.url));
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(pixel);
  });

  it("deletes the lines of a cancelled order, and no product that was sold", async () => {
    expect(await ask("Cancel", { number: "1002" })).toEqual({ deleteOrder: { numUids: 1 } });
    const headers = { "content-type": "application/graphql", authorization: `Bearer ${staff}` };
    const raw = async (body: string) => await (await fetch(shop.url, { method: "POST", headers, body })).json();
    expect(await raw("{ aggregateLine { count } }")).toMatchObject({ data: { aggregateLine: { count: 2 } } });
    const remove = (sku: string) => raw(`mutation { deleteProduct(filter: { sku: { eq: "${sku}" } }) { numUids } }`);
    expect(await remove("lantern")).toMatchObject({ data: { deleteProduct: { numUids: 1 } } });
    expect(await remove("lamp-oil")).toMatchObject({
      data: { deleteProduct: null },
      errors: [{ message: expect.stringContaining("Product.lines still leads to an object") }],
    });
  });
});
