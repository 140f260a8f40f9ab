// What `@withSubscription` makes live, and where it is refused.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { QuernError } from "../../../core/index.ts";
import { prepareDeployment } from "../../../core/prepare-deployment.ts";

const plugins = standardPlugins();
const fieldsOf = (schema: string) => Object.keys(prepareDeployment(schema, plugins).api.schema.getSubscriptionType()?.getFields() ?? {});

describe("a live query", () => {
  it.each([
    ["type A @withSubscription { k: String! @id }\ntype B { n: Int }", ["getA", "queryA", "aggregateA"]],
    ["type A @withSubscription @generate(query: {aggregate: false}) { n: Int }", ["queryA"]],
    ["type A @generate(subscription: true) { n: Int }", ["queryA", "aggregateA"]],
    ["type A @generate(subscription: false) @withSubscription { n: Int }", ["queryA", "aggregateA"]],
    ["interface I @withSubscription { k: String! @id }\ntype A implements I { n: Int }", ["getI", "queryI", "aggregateI"]],
    ["interface I { k: String! @id }\ntype A implements I @withSubscription { n: Int }", ["getA", "queryA", "aggregateA"]],
    ['type A @withSubscription @secret(field: "pin") { k: String! @id }', ["getA", "queryA", "aggregateA"]],
    ["type A { n: Int }", []],
  ])("exists for the queries of types that allow it: %s", (schema, fields) => expect(fieldsOf(schema)).toEqual(fields));

  it("is absent without a use: the API has no type Subscription", () => {
    expect(prepareDeployment("type A { n: Int }", plugins).api.sdl).not.toContain("type Subscription");
  });
});

describe("an invalid @withSubscription", () => {
  const elsewhere = (type: string, field: string) =>
    `Type ${type}; Field ${field}: @withSubscription directive is applicable only on types and custom dql queries`;
  it.each([
    ["type A { n: Int @withSubscription }", [`1:10 ${elsewhere("A", "n")}`]],
    ["interface I { n: Int @withSubscription }\ntype A implements I { m: Int }", [`1:15 ${elsewhere("I", "n")}`]],
    [
      "type A { n: Int }\nunion U @withSubscription = A",
      ["2:10 Type U; has the @withSubscription directive, but it is not applicable on types of UNION kind."],
    ],
  ])("is refused at its place: %s", (schema, errors) => expect(errorsOf(schema)).toEqual(errors));
});

function errorsOf(schema: string): readonly string[] {
  try {
    prepareDeployment(schema, plugins);
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    return thrown.errors.map(({ message, locations }) => `${locations?.[0]?.line}:${locations?.[0]?.column} ${message}`);
  }
  return [];
}
