// Shared cases of schemas that must deploy, and of schemas that must be refused with exactly these errors.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { type ErrorStyle, prepareDeployment, QuernError } from "../../core/index.ts";
import { exceptionOf } from "./exceptions.ts";

interface GoldenError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
}
interface GoldenCase {
  readonly name: string;
  readonly input: string;
  readonly errors?: readonly GoldenError[];
}

const plugins = standardPlugins({ lambdaUrl: "http://127.0.0.1:9/" });

const file = resolve(process.env.QUERN_GOLDEN ?? resolve(import.meta.dirname, "../../../shared/golden"), "schema-rules.json");

if (!existsSync(file)) {
  console.info(`NOT RUN: the shared cases of schema rules are not at ${file}; set QUERN_GOLDEN to their folder.`);
  it.skip("shared cases are absent");
} else {
  const cases: { readonly valid: readonly GoldenCase[]; readonly invalid: readonly GoldenCase[] } = JSON.parse(readFileSync(file, "utf8"));
  describe("schemas that deploy", () => {
    for (const each of cases.valid) it(each.name, () => expect(errorsOf(each.input)).toEqual([]));
  });
  describe("schemas that are refused", () => {
    for (const each of cases.invalid) {
      it(each.name, () => {
        const errors = errorsOf(each.input);
        if (exceptionOf(`schema-rules/${each.name}`))
          expect(errors, "it passes: take it out of exceptions.json").not.toEqual(sorted(each.errors ?? []));
        else expect(errors).toEqual(sorted(each.errors ?? []));
        expect(errorsOf(each.input, "plain"), "the plain style reports these and the further ones").toEqual(expect.arrayContaining([...errors]));
      });
    }
  });
}

function errorsOf(schema: string, errors: ErrorStyle = "compatible"): readonly GoldenError[] {
  try {
    prepareDeployment(schema, plugins, undefined, errors);
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return sorted(error.errors.map(({ message, locations = [] }) => ({ message, locations })));
  }
}

function sorted(errors: readonly GoldenError[]): readonly GoldenError[] {
  return errors.map(({ message, locations = [] }) => ({ message, locations })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
