// Shared cases of schemas with access rules that must deploy, and of those that must be refused with exactly these errors.

import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment, QuernError } from "../../core/index.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";

interface GoldenCase {
  readonly name: string;
  readonly input: string;
  readonly errors?: readonly { readonly message: string }[];
}

const path = goldenPath("auth-rules.json");

describe.runIf(path !== undefined)("the shared cases of access rules", () => {
  const cases =
    path === undefined
      ? { valid: [], invalid: [] }
      : readGolden<{ readonly valid: readonly GoldenCase[]; readonly invalid: readonly GoldenCase[] }>(path);
  for (const each of cases.valid) it(`deploys: ${each.name}`, () => expect(errorsOf(each.input)).toEqual([]));
  for (const each of cases.invalid)
    it(`refuses: ${each.name}`, () => expect(errorsOf(each.input)).toEqual((each.errors ?? []).map(({ message }) => ({ message, locations: [] }))));
});

function errorsOf(schema: string): readonly { readonly message: string }[] {
  try {
    prepareDeployment(schema, standardPlugins(), undefined, "compatible");
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return error.errors.map(({ message, locations = [] }) => ({ message, locations }));
  }
}
