// Bytes of answers, and what is left of them in a process that has dropped them.

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { mappedBytes } from "../../../core/ground/json/mapped-bytes.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { Resident } from "./mapped-program.ts";

it.each([0, 1, 16_383, 16_384, 65_536, 100_001])("holds the UTF-8 bytes of a text of %i characters, and no others", (length) => {
  const text = "aé😀".repeat(length).slice(0, length).toWellFormed();
  const bytes = mappedBytes(text);
  expect(Buffer.from(bytes).equals(Buffer.from(text))).toBe(true);
  if (length >= 16_384) expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
});

it.runIf(process.platform === "linux")("gives the memory of dropped texts back to the system", () => {
  const { before, held, after }: Resident = JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", builtProgram(new URL("./mapped-program.ts", import.meta.url))], { encoding: "utf8" }),
  );
  expect(held - before).toBeGreaterThan(120);
  expect(after - before).toBeLessThan(40);
});
