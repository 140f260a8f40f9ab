// A rename that one server deploys holds on all that share the database, also when the text stops saying so.

import { expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { wasPlugin } from "../../../plugins/was/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";
import { eventually } from "./eventually.ts";

async function ask(kernel: Kernel, query: string): Promise<unknown> {
  return JSON.parse((await kernel.execute({ query })).body).data;
}

it("a rename on one server is a rename on every server", async () => {
  const place = await mongodbPlace();
  const kernels = Array.from({ length: 2 }, () =>
    createKernel({ storage: place.storage(), plugins: [identityPlugin(), wasPlugin()], log: { level: "error" } }),
  );
  onTestFinished(async () => {
    await Promise.all(kernels.map((each) => each.close()));
    await place.remove();
  });
  for (const each of kernels) await each.open();
  const [one, two] = kernels;
  if (!one || !two) throw new Error("There are two.");

  const serves = (kernel: Kernel, text: string) => eventually(() => kernel.deployment?.document === text);
  const first = "type Author { name: String! @id  age: Int }";
  await one.deploy(first);
  await serves(two, first);
  await ask(two, 'mutation { addAuthor(input: [{ name: "Ada", age: 36 }]) { numUids } }');

  const renamed = 'type Author { fullName: String! @id @was(name: "name")  years: Int @was(name: "age") }';
  await one.deploy(renamed);
  await serves(two, renamed);
  expect(await ask(two, '{ getAuthor(fullName: "Ada") { years } }')).toEqual({ getAuthor: { years: 36 } });

  const bare = "type Author { fullName: String! @id  years: Int }";
  await two.deploy(bare);
  await serves(one, bare);
  for (const kernel of kernels) expect(await ask(kernel, '{ getAuthor(fullName: "Ada") { years } }')).toEqual({ getAuthor: { years: 36 } });
});
