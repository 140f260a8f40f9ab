// quern start with namespaces: what it needs, and what it cannot have beside them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, temporaryFolder } from "./quern.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "secret"), "a secret of the specs: 0123456789abcdef");
});
afterEach(() => folder.remove());

describe("quern start --namespaces", () => {
  it.each([
    { options: [], reason: "needs access control, whose tokens name them; add --acl-secret <file>" },
    { options: ["--acl-secret", "secret", "--workers", "2"], reason: "has no read workers" },
    { options: ["--acl-secret", "secret", "--accounts"], reason: "has no accounts" },
  ])("refuses to start with the options $options", async ({ options, reason }) => {
    const { code, out, err } = await run(folder.path, "start", "--port", "0", "--namespaces", ...options);
    expect(err).toContain(reason);
    expect({ code, out }).toEqual({ code: 1, out: "" });
  });
});
