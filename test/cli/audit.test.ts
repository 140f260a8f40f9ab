// The audit of administrators, which the command line or the environment adds.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { chosenStack, type StackChoice } from "../../adapters/cli/stack/stack.ts";
import { temporaryFolder } from "./quern.ts";

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => folder.remove());

async function audits(choice: StackChoice = {}): Promise<number> {
  const { plugins = [] } = await chosenStack({ data: folder.path, ...choice });
  return plugins.filter(({ name }) => name === "audit").length;
}

it("keeps what administrators do where the command line or the environment says so, and only there", async () => {
  vi.stubEnv("QUERN_AUDIT", "");
  expect(await audits()).toBe(0);
  vi.stubEnv("QUERN_AUDIT", "false");
  expect(await audits()).toBe(0);
  vi.stubEnv("QUERN_AUDIT", "yes");
  expect(await audits()).toBe(1);
  vi.stubEnv("QUERN_AUDIT", "");
  expect(await audits({ audit: true })).toBe(1);
  vi.stubEnv("QUERN_AUDIT", "perhaps");
  await expect(audits()).rejects.toThrow("QUERN_AUDIT has a wrong value: it must be true or false.");
});

it("adds the audit to a configuration that has none, and no second one", async () => {
  const entry = (path: string) => JSON.stringify(join(import.meta.dirname, "../..", path));
  const configured = (plugins: string) => {
    const path = join(folder.path, `quern.config.${plugins.length}.mts`);
    const imports = `import { auditPlugin } from ${entry("plugins/audit/index.ts")}; import { memoryStorage } from ${entry("adapters/memory/index.ts")}; import { wsTransport } from ${entry("adapters/ws/index.ts")};`;
    writeFileSync(
      path,
      `${imports}\nexport default { storage: memoryStorage(), plugins: [${plugins}], transports: [wsTransport()] };\nvoid auditPlugin;`,
    );
    return path;
  };
  vi.stubEnv("QUERN_AUDIT", "true");
  expect(await audits({ config: configured("") })).toBe(1);
  expect(await audits({ config: configured("auditPlugin()") })).toBe(1);
});
