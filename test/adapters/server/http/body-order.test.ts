// The order in which long bodies are read.

import { describe, expect, it } from "vitest";
import { BodyOrder } from "../../../../adapters/server/http/body-order.ts";

const mebibyte = 1024 * 1024;

describe("the order of long bodies", () => {
  /** Reads that end when they are told to. */
  function reads() {
    const order = new BodyOrder(({ headers }) => headers.caller ?? "");
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const read = (name: string, { caller = "one", bytes = 10_000, onGone = (_listener: () => void) => {} } = {}) =>
      order.inOrder({ method: "POST", url: "/graphql", headers: { caller }, body: new Uint8Array(0), onGone }, bytes, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const end = (name: string) => ends.get(name)?.();
    return { read, begun, end };
  }

  it("is that in which they arrive, one after the other of each caller", async () => {
    const { read, begun, end } = reads();
    const answers = [read("a"), read("b"), read("c")];
    await expect.poll(() => begun).toEqual(["a"]);
    end("a");
    await expect.poll(() => begun).toEqual(["a", "b"]);
    end("b");
    await expect.poll(() => begun).toEqual(["a", "b", "c"]);
    end("c");
    expect(await Promise.all(answers)).toEqual(["a", "b", "c"]);
  });

  it("lets another caller pass, and a body of a mebibyte those that are longer", async () => {
    const { read, begun } = reads();
    void read("first", { bytes: mebibyte + 1 });
    void read("second", { bytes: mebibyte + 1 });
    void read("other", { caller: "two" });
    void read("short", { bytes: mebibyte });
    await expect.poll(() => begun).toEqual(["first", "other", "short"]);
  });

  it("goes on after a body that cannot be read", async () => {
    const order = new BodyOrder(() => "");
    const request = { method: "POST", url: "/graphql", headers: {}, body: new Uint8Array(0) };
    const failed = order.inOrder(request, 10_000, () => Promise.reject(new SyntaxError("no JSON")));
    const next = order.inOrder(request, 10_000, async () => "read");
    await expect(failed).rejects.toThrow("no JSON");
    expect(await next).toBe("read");
  });

  it("leaves out a body whose client has gone while it waited", async () => {
    const { read, begun, end } = reads();
    const gone: (() => void)[] = [];
    const first = read("first");
    const left = read("left", { onGone: (listener) => gone.push(listener) });
    const last = read("last");
    for (const each of gone) each();
    await expect.poll(() => begun).toEqual(["first"]);
    end("first");
    await expect(left).rejects.toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => begun).toEqual(["first", "last"]);
    end("last");
    expect(await Promise.all([first, last])).toEqual(["first", "last"]);
  });
});
