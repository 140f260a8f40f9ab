// Shared cases of schemas that must deploy, and of schemas that must be refused with exactly these errors.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareDeployment, QuernError } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { authPlugin } from "../../plugins/auth/index.ts";
import { customPlugin } from "../../plugins/custom/index.ts";
import { defaultPlugin } from "../../plugins/default/index.ts";
import { embeddingPlugin } from "../../plugins/embedding/index.ts";
import { federationPlugin } from "../../plugins/federation/index.ts";
import { generatePlugin } from "../../plugins/generate/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { secretPlugin } from "../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../plugins/storage-names/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
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

const plugins: readonly DirectivePlugin[] = [
  identityPlugin(),
  federationPlugin(),
  secretPlugin(),
  storageNamesPlugin(),
  searchPlugin(),
  defaultPlugin(),
  generatePlugin(),
  subscriptionPlugin(),
  embeddingPlugin(),
  authPlugin(),
  customPlugin(),
];

/** Directives whose plugins are not written yet. */
const waiting = "lambda lambdaOnMutate".split(" ");

const file = resolve(process.env.QUERN_GOLDEN ?? resolve(import.meta.dirname, "../../../shared/golden"), "schema-rules.json");

if (!existsSync(file)) {
  console.warn(`NOT RUN: the shared cases of schema rules are not at ${file}; set QUERN_GOLDEN to their folder.`);
  it.skip("shared cases are absent");
} else {
  const cases: { readonly valid: readonly GoldenCase[]; readonly invalid: readonly GoldenCase[] } = JSON.parse(readFileSync(file, "utf8"));
  describe("schemas that deploy", () => {
    for (const each of ours(cases.valid)) it(each.name, () => expect(errorsOf(each.input)).toEqual([]));
  });
  describe("schemas that are refused", () => {
    for (const each of ours(cases.invalid)) {
      it(each.name, () => {
        const errors = errorsOf(each.input);
        if (exceptionOf(`schema-rules/${each.name}`))
          expect(errors, "it passes: take it out of exceptions.json").not.toEqual(sorted(each.errors ?? []));
        else expect(errors).toEqual(sorted(each.errors ?? []));
      });
    }
  });
  describe("left out until their plugins are there", () => {
    for (const each of [...cases.valid, ...cases.invalid]) {
      const reason = reasonToWait(each);
      if (reason) it.skip(`${each.name} (uses ${reason})`);
    }
  });
}

function ours(cases: readonly GoldenCase[]): readonly GoldenCase[] {
  return cases.filter((each) => !reasonToWait(each));
}

function reasonToWait({ input }: GoldenCase): string {
  if (/@custom\(dql:/.test(input)) return "@custom(dql:)";
  const used = new Set([...input.matchAll(/@(\w+)/g)].map(([, name]) => name ?? ""));
  return waiting
    .filter((name) => used.has(name))
    .map((name) => `@${name}`)
    .join(" ");
}

function errorsOf(schema: string): readonly GoldenError[] {
  try {
    prepareDeployment(schema, plugins);
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return sorted(error.errors.map(({ message, locations = [] }) => ({ message, locations })));
  }
}

function sorted(errors: readonly GoldenError[]): readonly GoldenError[] {
  return errors.map(({ message, locations = [] }) => ({ message, locations })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
