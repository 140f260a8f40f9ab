// The packages that accounts need, and that applications install.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { betterAuthVersion } from "../../../plugins/accounts/accounts-service.ts";
import { assertInstalled } from "../../../plugins/accounts/ground/optional-package.ts";

const root = join(import.meta.dirname, "../../..");

it("messages and the README name the one version of better-auth whose tables are written down", () => {
  const { peerDependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect([peerDependencies["better-auth"], devDependencies["better-auth"]]).toEqual([betterAuthVersion, betterAuthVersion]);
  for (const file of ["plugins/accounts/README.md", "docs/accounts.md"]) {
    expect(readFileSync(join(root, file), "utf8"), file).toContain(`better-auth@${betterAuthVersion}`);
  }
});

it("a package that is missing is named with the command that installs it, and one that is there is not", () => {
  expect(() => assertInstalled("better-auth-of-nobody", "npm install it")).toThrow(
    /better-auth-of-nobody, which is not installed. Run: npm install it/,
  );
  for (const name of ["better-auth", "nodemailer"]) assertInstalled(name, "");
});
