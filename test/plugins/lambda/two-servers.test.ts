// Two servers on one database: one of them delivers, whichever committed.

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type LambdaEvent, lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { newPlace, type Place, storageName } from "../../support/storage.ts";

const schema = "type Hive @lambdaOnMutate(add: true, update: true) { label: String! @id  size: Int }";

interface Server {
  readonly kernel: Kernel;
  readonly events: LambdaEvent[];
}

async function server(place: Place): Promise<Server> {
  const events: LambdaEvent[] = [];
  const handle = async ({ event }: { readonly event: LambdaEvent }) => {
    await pause(Math.random() * 5);
    events.push(event);
  };
  const functions = { "Hive.add": handle, "Hive.update": handle };
  const kernel = createKernel({
    storage: place.storage(),
    plugins: [identityPlugin(), lambdaPlugin({ functions, leaseMs: 4_000 })],
    log: { level: "silent" },
  });
  await kernel.open();
  onTestFinished(() => kernel.close());
  return { kernel, events };
}

const grow = (size: number) => `mutation { updateHive(input: { filter: { label: { eq: "n" } }, set: { size: ${size} } }) { numUids } }`;

describe.runIf(storageName === "mongodb")("two servers on one database", () => {
  it("deliver each event once, in the order of its node, also when the one that delivers is closed", async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const first = await server(place);
    await first.kernel.deploy(schema);
    const second = await server(place);
    await first.kernel.execute({ query: `mutation { addHive(input: [{ label: "n" }]) { numUids } }` });
    const writers = [first, second, first, second];
    for (let size = 1; size <= 20; size++) await writers[size % 4]?.kernel.execute({ query: grow(size) });
    await vi.waitFor(() => expect(first.events.length + second.events.length).toBe(21), { timeout: 60_000 });
    expect([first.events.length, second.events.length].sort()).toEqual([0, 21]);
    const sizesOf = ({ events }: Server) => events.flatMap(({ update }) => (update ? [Reflect.get(Object(update.setPatch), "size")] : []));
    expect([...sizesOf(first), ...sizesOf(second)]).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));

    const [delivering, other] = first.events.length > 0 ? [first, second] : [second, first];
    await delivering.kernel.close();
    await other.kernel.execute({ query: grow(99) });
    await vi.waitFor(() => expect(sizesOf(other).at(-1)).toBe(99), { timeout: 60_000 });
  }, 90_000);
});

it.runIf(storageName !== "mongodb")("concerns databases that several servers share", () => expect(storageName).toBe("level"));
