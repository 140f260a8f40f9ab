// Long documents are parsed, validated and planned in turns of the event loop: who asks little meanwhile does not wait for all of it.

import { afterEach, describe, expect, it } from "vitest";
import { parseJson } from "../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

const roots = (name: string) => `{ ${Array.from({ length: 300 }, (_, i) => `${name}${i}: queryMill(first: 1) { name power }`).join(" ")} }`;
const short = `{ getMill(name: "a") { name } }`;

async function mills() {
  stack = await temporaryKernel({ limits: { maxLongRequests: 1 } });
  await stack.kernel.deploy("type Mill { name: String! @id  power: Int @search }");
  await stack.kernel.execute({ query: `mutation { addMill(input: [{ name: "a", power: 1 }]) { numUids } }` });
  return stack.kernel;
}

describe("a long document", () => {
  it("is answered after a short one that comes later", async () => {
    const kernel = await mills();
    const order: string[] = [];
    const asked = ["long", "long too", "short"].map(async (label, i) => {
      const { body } = await kernel.execute({ query: label === "short" ? short : roots(`a${i}_`) });
      order.push(label);
      return Object.keys(Object(Object(parseJson(body)).data)).length;
    });
    expect(await Promise.all(asked)).toEqual([300, 300, 1]);
    expect(order[0]).toBe("short");
  });

  it("is one of 2,000 characters whose fields are compared with one another, until it is known", async () => {
    const kernel = await mills();
    const compared = `{ queryMill { ${"name ".repeat(400)} } }`;
    const ordered = async () => {
      const order: string[] = [];
      await Promise.all([compared, short].map((query) => Promise.resolve(kernel.execute({ query })).then(() => order.push(query))));
      return order;
    };
    expect(await ordered()).toEqual([short, compared]);
    expect(await ordered()).toEqual([compared, short]);
  });

  it.each([
    ["has a syntax error", (text: string) => `${text.slice(0, -1)} {`, /^Syntax Error/],
    ["is invalid", (text: string) => text.replace("name power", "name powers"), /Cannot query field/],
    ["has a name", (text: string) => text.replace("{", "query A {"), undefined],
  ])("gets its answer when it %s", async (_, damage, message) => {
    const kernel = await mills();
    const { errors } = Object(parseJson((await kernel.execute({ query: damage(roots("b")) })).body));
    if (message) expect(errors).toMatchObject([{ message: expect.stringMatching(message) }]);
    else expect(errors).toBeUndefined();
  });

  it("of a live query leaves no place of a long request behind", async () => {
    const kernel = await mills();
    await kernel.deploy("type Mill @withSubscription { name: String! @id  power: Int @search }");
    const members = Array.from({ length: 2_000 }, (_, i) => `m${i}: name`).join(" ");
    const live = kernel.live({ query: `subscription { queryMill { ${members} } }` });
    expect((await live.next()).done).toBe(false);
    expect(kernel.gauges.read().longRequestsRunning).toBe(0);
    await live.return?.();
  });
});
