// `quern print schema.graphql | head -1`: a reader that has seen enough.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./quern.ts";

const program = join(import.meta.dirname, "../../dist/adapters/cli/main.js");

it("a command ends in silence when nobody reads on", () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  // More than a pipe holds.
  const types = Array.from({ length: 200 }, (_, i) => `type Boat${i} { name: String! @id @search(by: [regexp])  note: String @search }`);
  writeFileSync(join(folder.path, "schema.graphql"), types.join("\n"));
  const script = `"${process.execPath}" "${program}" print schema.graphql 2>errors | head -1; status=\${PIPESTATUS[0]}; cat errors; echo "$status"`;
  const said = execFileSync("bash", ["-c", script], { cwd: folder.path, encoding: "utf8" });
  expect(said).toBe("#######################\n0\n");
});
