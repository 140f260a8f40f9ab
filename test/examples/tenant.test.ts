// `@tenant` of the examples: objects of other tenants exist nowhere, in DQL neither. `@softDelete` hides from DQL too.

import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { softDeletePlugin } from "../../examples/soft-delete-plugin/soft-delete-plugin.ts";
import { tenantPlugin } from "../../examples/tenant-plugin/tenant-plugin.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;
afterEach(() => stack.remove());

const schema = `
  type Invoice @tenant { id: ID!  cents: Int! @search  lines: [Line] @hasInverse(field: invoice) }
  type Line @tenant { text: String  invoice: Invoice }
  type Currency { code: String! @id }
  type Query {
    invoices: [Invoice] @custom(dql: "{ invoices(func: type(Invoice), orderasc: Invoice.cents) { cents: Invoice.cents lines: Invoice.lines { text: Line.text } } }")
  }`;

async function start() {
  stack = await temporaryKernel({ plugins: [...standardPlugins(), tenantPlugin({ tenantOf: ({ headers }) => headers["x-tenant"] })] });
  await stack.kernel.deploy(schema);
  return async (tenant: string | undefined, query: string) => {
    const { body } = await stack.kernel.execute({ query, headers: tenant === undefined ? {} : { "x-tenant": tenant } });
    const { data, errors } = JSON.parse(body);
    return errors ? { data, errors: errors.length } : data;
  };
}

const add = (cents: number) => `mutation { addInvoice(input: [{ cents: ${cents}, lines: [{ text: "of ${cents}" }] }]) { invoice { cents } } }`;
const all = "{ queryInvoice { cents lines { text } } aggregateInvoice { count centsMax } invoices { cents lines { text } } }";

describe("@tenant", () => {
  it("shows each tenant its own objects, in queries, aggregates and DQL", async () => {
    const ask = await start();
    expect(await ask("a", add(1))).toEqual({ addInvoice: { invoice: [{ cents: 1 }] } });
    await ask("ab", add(2));
    const own = (cents: number) => [{ cents, lines: [{ text: `of ${cents}` }] }];
    expect(await ask("a", all)).toEqual({ queryInvoice: own(1), aggregateInvoice: { count: 1, centsMax: 1 }, invoices: own(1) });
    expect(await ask("ab", all)).toEqual({ queryInvoice: own(2), aggregateInvoice: { count: 1, centsMax: 2 }, invoices: own(2) });
  });

  it("lets nobody change or link objects of another tenant", async () => {
    const ask = await start();
    await ask("a", add(1));
    expect(await ask("b", "mutation { deleteInvoice(filter: {}) { numUids } }")).toEqual({ deleteInvoice: { numUids: 0 } });
    expect(await ask("b", "mutation { updateInvoice(input: { filter: { cents: { ge: 0 } }, set: { cents: 5 } }) { numUids } }")).toEqual({
      updateInvoice: { numUids: 0 },
    });
    const [{ id }] = (await ask("a", "{ queryInvoice { id } }")).queryInvoice;
    expect(await ask("b", `mutation { addLine(input: [{ text: "x", invoice: { id: "${id}" } }]) { numUids } }`)).toMatchObject({ errors: 1 });
    expect(await ask("a", "{ queryInvoice { cents lines { text } } }")).toEqual({ queryInvoice: [{ cents: 1, lines: [{ text: "of 1" }] }] });
  });

  it("shows nothing and creates nothing for a request without a tenant; other types are everyone's", async () => {
    const ask = await start();
    await ask("a", add(1));
    expect(await ask(undefined, add(3))).toEqual({ data: { addInvoice: null }, errors: 1 });
    await ask(undefined, 'mutation { addCurrency(input: [{ code: "EUR" }]) { numUids } }');
    expect(await ask(undefined, "{ queryInvoice { cents } invoices { cents } queryCurrency { code } }")).toEqual({
      queryInvoice: [],
      invoices: [],
      queryCurrency: [{ code: "EUR" }],
    });
    expect(await ask("a", "{ aggregateInvoice { count } }")).toEqual({ aggregateInvoice: { count: 1 } });
  });
});

describe("@softDelete", () => {
  it("hides deleted objects from DQL too", async () => {
    stack = await temporaryKernel({ plugins: [...standardPlugins(), softDeletePlugin()] });
    await stack.kernel.deploy(`
      type Note @softDelete { text: String! @id }
      type Query { notes: [Note] @custom(dql: "{ notes(func: type(Note)) { text: Note.text } }") }`);
    const ask = async (query: string) => JSON.parse((await stack.kernel.execute({ query })).body).data;
    await ask(
      'mutation { addNote(input: [{ text: "gone" }, { text: "stays" }]) { numUids } deleteNote(filter: { text: { eq: "gone" } }) { numUids } }',
    );
    expect(await ask("{ notes { text } }")).toEqual({ notes: [{ text: "stays" }] });
  });
});
