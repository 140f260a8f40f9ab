import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorCodes } from "../../core/index.ts";

it("lists the same error codes, with the same meanings, in the catalogue and in core/README.md", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../core/README.md"), "utf8");
  const documented = Object.fromEntries([...readme.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, text]) => [code, text]));
  expect(documented).toEqual(errorCodes);
});
