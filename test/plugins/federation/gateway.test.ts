import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { apolloService, compose, quernService, type Service, type Supergraph, startSupergraph } from "./supergraph.ts";

const link = (...names: string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [${names.map((name) => `"@${name}"`).join(", ")}])`;

const products = `
  ${link("key", "inaccessible", "tag")}
  "What is sold."
  type Product @key(fields: "upc") @key(fields: "sku maker") @tag(name: "shop") {
    upc: String! @id
    sku: String!
    maker: String!
    name: String @search(by: [hash])
    price: Int @search
    shop: Point
    cost: Int @inaccessible
    related: [Product]
  }
`;

const reviews = `
  ${link("key", "external", "provides")}
  type Review @key(fields: "id") {
    id: ID!
    stars: Int @search
    body: String
    seenFrom: Point
    product: Product @hasInverse(field: reviews)
    author: User
  }
  extend type Product @key(fields: "upc") {
    upc: String! @id @external
    reviews: [Review]
  }
  type User @key(fields: "id", resolvable: false) { id: ID! }
`;

const users = `
  ${link("key")}
  type User @key(fields: "id") { id: ID!  name: String }
  type Product @key(fields: "sku maker") { sku: String!  maker: String!  stock: Int }
  type Query { me: User  bestseller: Product }
`;

const names: Readonly<Record<string, string>> = { u1: "Ada", u2: "Bob" };

describe("a supergraph of two Quern services and one of @apollo/subgraph", () => {
  const kernels: TemporaryKernel[] = [];
  let services: readonly Service[];
  let graph: Supergraph;

  beforeAll(async () => {
    for (const schema of [products, reviews]) {
      const temporary = await temporaryKernel();
      kernels.push(temporary);
      await temporary.kernel.deploy(schema);
    }
    const [first, second] = kernels.map(({ kernel }) => kernel);
    if (!first || !second) throw new Error("no kernels");
    services = [
      await quernService("products", first),
      await quernService("reviews", second),
      apolloService("users", users, {
        User: { __resolveReference: ({ id }: { id: string }) => (names[id] ? { id, name: names[id] } : null) },
        Product: { __resolveReference: (product: object) => ({ ...product, stock: 3 }) },
        Query: { me: () => ({ id: "u1", name: "Ada" }), bestseller: () => ({ sku: "S2", maker: "Mill" }) },
      }),
    ];
    graph = await startSupergraph(services);
  });
  afterAll(async () => {
    await graph?.stop();
    for (const { remove } of kernels) await remove();
  });

  it("is written through the gateway, each type in its own service", async () => {
    const added = await graph.ask(`mutation {
      addProduct(input: [
        { upc: "p1", sku: "S1", maker: "Mill", name: "Flour", price: 3, shop: { longitude: 1, latitude: 2 } }
        { upc: "p2", sku: "S2", maker: "Mill", name: "Bran", price: 2 }
        { upc: "p3", sku: "S1", maker: "Farm", name: "Rye" }
      ]) { numUids }
      addReview(input: [
        { stars: 5, body: "good", product: { upc: "p1" }, author: { id: "u1" } }
        { stars: 2, body: "dusty", product: { upc: "p1" }, author: { id: "u2" } }
        { stars: 4, body: "fine", product: { upc: "p2" }, author: { id: "u9" } }
      ]) { numUids review(order: { desc: stars }) { stars product { upc name } } }
    }`);
    expect(added).toEqual({
      data: {
        addProduct: { numUids: 3 },
        addReview: {
          // Three reviews, two products and three users are new in the service of reviews.
          numUids: 8,
          review: [
            { stars: 5, product: { upc: "p1", name: "Flour" } },
            { stars: 4, product: { upc: "p2", name: "Bran" } },
            { stars: 2, product: { upc: "p1", name: "Flour" } },
          ],
        },
      },
    });
  });

  it("answers one query from three services, in order, with null for what a service does not know", async () => {
    graph.log.length = 0;
    const answer = await graph.ask(`{
      queryProduct(order: { asc: upc }, filter: { price: { ge: 1 } }) {
        upc
        shop { longitude }
        stock
        reviews(order: { desc: stars }) { stars author { id name } }
        reviewsAggregate { count starsAvg }
      }
    }`);
    expect(answer).toEqual({
      data: {
        queryProduct: [
          {
            upc: "p1",
            shop: { longitude: 1 },
            stock: 3,
            reviews: [
              { stars: 5, author: { id: "u1", name: "Ada" } },
              { stars: 2, author: { id: "u2", name: "Bob" } },
            ],
            reviewsAggregate: { count: 2, starsAvg: 3.5 },
          },
          { upc: "p2", shop: null, stock: 3, reviews: [{ stars: 4, author: { id: "u9", name: null } }], reviewsAggregate: { count: 1, starsAvg: 4 } },
        ],
      },
    });
    expect(graph.log.filter(({ service }) => service === "reviews")).toHaveLength(1);
  });

  it("enters a Quern service by a compound key, and from there another by a simple one", async () => {
    const answer = await graph.ask("{ bestseller { sku maker name price reviews { body } } }");
    expect(answer).toEqual({ data: { bestseller: { sku: "S2", maker: "Mill", name: "Bran", price: 2, reviews: [{ body: "fine" }] } } });
  });

  it("gives null for a product that only another service knows", async () => {
    await graph.ask(`mutation { addReview(input: [{ stars: 1, product: { upc: "gone" } }]) { numUids } }`);
    const answer = await graph.ask("{ queryReview(filter: { stars: { eq: 1 } }) { product { upc name } } }");
    expect(answer).toEqual({ data: { queryReview: [{ product: { upc: "gone", name: null } }] } });
  });

  it("keeps inaccessible fields, and what is generated for them, out of the API", async () => {
    for (const query of ["{ queryProduct { cost } }", "{ aggregateProduct { costMax } }", "{ queryProduct(order: { asc: cost }) { upc } }"]) {
      const refused = await graph.ask(query).catch((error: Error) => error);
      expect(JSON.stringify(refused), query).toMatch(/cost|error/i);
    }
    const own = await services[0]?.answer({ query: "{ queryProduct(order: { asc: cost }) { cost } }" });
    expect(own?.errors).toBeUndefined();
  });

  it("keeps descriptions and tags for composition", () => {
    expect(services[0]?.sdl).toContain("What is sold.");
    expect(services[0]?.sdl).toContain('@tag(name: "shop")');
    expect(compose(services)).toContain("@inaccessible");
  });
});
