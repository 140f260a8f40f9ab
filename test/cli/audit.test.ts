// The audit of administrators in the standard stack, and how it is left out.

import { afterEach, expect, it, vi } from "vitest";
import { chosenStack } from "../../adapters/cli/stack/stack.ts";
import { temporaryFolder } from "./quern.ts";

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

it("keeps what administrators do unless the command line or the environment leaves it out", async () => {
  vi.stubEnv("QUERN_NO_AUDIT", "");
  const has = async (choice: { readonly audit?: boolean } = {}) =>
    ((await chosenStack({ data: folder.path, ...choice })).plugins ?? []).some(({ name }) => name === "audit");
  expect(await has()).toBe(true);
  vi.stubEnv("QUERN_NO_AUDIT", "false");
  expect(await has({ audit: true })).toBe(true);
  vi.stubEnv("QUERN_NO_AUDIT", "yes");
  expect(await has()).toBe(false);
  vi.stubEnv("QUERN_NO_AUDIT", "");
  expect(await has({ audit: false })).toBe(false);
  vi.stubEnv("QUERN_NO_AUDIT", "perhaps");
  await expect(chosenStack({ data: folder.path })).rejects.toThrow("QUERN_NO_AUDIT has a wrong value: it must be true or false.");
});
