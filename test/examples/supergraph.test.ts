import { afterAll, expect, it } from "vitest";
import products from "../../examples/supergraph/products.config.ts";
import reviews from "../../examples/supergraph/reviews.config.ts";
import { quernService, startSupergraph } from "../plugins/federation/supergraph.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const stacks: TemporaryKernel[] = [];
afterAll(async () => {
  for (const { remove } of stacks) await remove();
});

it("the services of the example compose, and its commands answer as the page says", async () => {
  const services = await Promise.all(
    Object.entries({ products, reviews }).map(async ([name, { plugins = [], schema = "" }]) => {
      const stack = await temporaryKernel({ plugins });
      stacks.push(stack);
      await stack.kernel.deploy(schema);
      return quernService(name, stack.kernel);
    }),
  );
  const graph = await startSupergraph(services);
  const added = await graph.ask(
    'mutation { addProduct(input: [{ upc: "p1", name: "Flour", cents: 250 }]) { numUids } addReview(input: [{ stars: 5, text: "fine", product: { upc: "p1" } }]) { numUids } }',
  );
  expect(added).toEqual({ data: { addProduct: { numUids: 1 }, addReview: { numUids: 2 } } });
  const answer = await graph.ask("{ queryProduct { name cents reviews { stars text } } }");
  expect(answer).toEqual({ data: { queryProduct: [{ name: "Flour", cents: 250, reviews: [{ stars: 5, text: "fine" }] }] } });
  await graph.stop();
});
