import { describe, expect, it } from "vitest";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";

const operations = ["get", "query", "password", "aggregate", "add", "update", "delete"];
const off = (directive: string, type = "A") => {
  const found = typeOf(deploy(`interface I ${directive} { i: Int }\ntype A implements I ${type === "A" ? directive : ""} { a: Int }`), type);
  return operations.filter((operation) => !found.allows(operation));
};

describe("@generate", () => {
  it("disables the operations that are false, and no others", () => {
    expect(off("@generate(query: {get: false, query: true}, mutation: {delete: false})")).toEqual(["get", "delete"]);
    expect(off("@generate")).toEqual([]);
    expect(off("@generate(query: {other: 7})")).toEqual([]);
  });

  it("is not inherited", () => {
    const deployed = deploy("interface I @generate(query: {get: false}) { i: Int }\ntype A implements I { a: Int }");
    expect([typeOf(deployed, "I").allows("get"), typeOf(deployed, "A").allows("get")]).toEqual([false, true]);
  });

  it("records subscription as an operation of its own", () => {
    const allows = (text: string) => typeOf(deploy(`type A @generate(${text}) { a: Int }`), "A").allows("subscription");
    expect([allows("subscription: false"), allows("subscription: true")]).toEqual([false, true]);
  });

  it.each([
    ["query: true", "1:18 Type A; query argument for @generate directive should be of type Object."],
    ['mutation: "x"', "1:18 Type A; mutation argument for @generate directive should be of type Object."],
    ['query: {get: "false"}', "1:32 Type A; get field inside query argument of @generate directive can only be true/false, found: `false"],
    ["mutation: {add: 1}", "1:34 Type A; add field inside mutation argument of @generate directive can only be true/false, found: `1"],
    ["subscription: maybe", "1:9 Type A; subscription argument in @generate directive can only be true/false, found: `maybe`."],
  ])("takes true and false: %s", (text, error) => {
    expect(errorsOf(`type A @generate(${text}) { a: Int }`)).toEqual([error]);
  });
});
