// A kernel with a live type, for specs of protocols.

import type { Kernel } from "../../../../core/index.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../../support/kernel.ts";

export const names = "subscription { queryBoat(order: {asc: name}) { name } }";
export const ketch = { queryBoat: [{ name: "Ketch" }] };

export async function boats(config: TemporaryConfig = {}, lines = ""): Promise<TemporaryKernel> {
  const stack = await compatibleKernel(config);
  await stack.kernel.deploy(`type Boat @withSubscription { name: String! @id  masts: Int64 }\n${lines}`);
  await add(stack.kernel, "Ketch");
  return stack;
}

export async function add(kernel: Kernel, name: string): Promise<void> {
  await kernel.execute({ query: "mutation ($name: String!) { addBoat(input: [{name: $name}]) { numUids } }", variables: { name } });
}
