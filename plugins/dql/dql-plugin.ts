// DQL, the native query language: at `/query`, and in fields of `Query` with `@custom(dql:)`.

import {
  assertNoProblems,
  checkOptions,
  type DirectivePlugin,
  type Hooks,
  type ModelContext,
  type OptionKinds,
  QuernError,
} from "../../core/plugin.ts";
import { customDefinitions } from "../custom-sdl.ts";
import { readCustomFields } from "./custom/custom-fields.ts";
import { type CustomRootOptions, customRoot } from "./custom/custom-root.ts";
import { dqlRoutes } from "./http.ts";
import { dqlLanguage, dqlWriteLanguage } from "./language.ts";
import { recordLayout } from "./overlay/loose-records.ts";
import type { CatalogSource } from "./schema/catalog.ts";
import { defaultWorkLimits } from "./state/document-budget.ts";
import { defaultTransactionLimits, TransactionTable } from "./transactions/transaction-table.ts";
import { FactsCache } from "./write/facts.ts";

/** Options of `dqlPlugin`. */
export interface DqlOptions {
  /** Links that one document may follow or show. Default: 1,000,000. */
  readonly maxEdges?: number | undefined;
  /**
   * True: `@custom(dql:)` and `quern.dql` of a function obey the access rules of the caller. Nodes that the rules hide do not exist for it, in counts, variables, paths and groups
   * alike. False: as in Dgraph, such a field sees every node, unless a plugin narrows everywhere (`Hooks.narrowsEverywhere`). Permissions of the caller on fields hold in both cases. Default: false.
   */
  readonly rules?: boolean | undefined;
  /** How long a transaction over several requests lives, in milliseconds from its start; never longer than `limits.maxTimeMs`. Default: 30,000. */
  readonly transactionMs?: number | undefined;
  /** Transactions over several requests that have written and are open at once. Default: 100. */
  readonly maxTransactions?: number | undefined;
}

const count = { fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0, expected: "a whole number above 0" };

const kinds: OptionKinds<DqlOptions> = {
  maxEdges: count,
  transactionMs: count,
  maxTransactions: count,
  rules: { fits: (value) => typeof value === "boolean", expected: "true or false" },
};

/**
 * DQL: `@custom(dql:)`, the paths `/query`, `/mutate` and `/commit`, and live queries.
 *
 * @throws QuernError `CONFIG_INVALID` for an unknown option or a wrong value
 */
export function dqlPlugin(options: DqlOptions = {}): DirectivePlugin {
  assertNoProblems(checkOptions({ ...options }, kinds, { place: "dqlPlugin", required: [] }));
  const { maxEdges = defaultWorkLimits.maxEdges, rules = false } = options;
  const limits = { maxEdges };
  const facts = new FactsCache();
  const { transactionMs = defaultTransactionLimits.transactionMs, maxTransactions = defaultTransactionLimits.maxTransactions } = options;
  const table = new TransactionTable({ transactionMs, maxTransactions });
  return {
    name: "dql",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: customDefinitions,
    languages: [dqlLanguage({ limits, rules }), dqlWriteLanguage({ limits, rules, facts })],
    model: (context) => ({ ...hooksOf(context, { limits, rules }), layout: () => recordLayout, close: () => table.endAll() }),
    server: (kernel) => ({ routes: dqlRoutes({ kernel, limits, facts, table }) }),
  };
}

function hooksOf(context: ModelContext, options: Omit<CustomRootOptions, "schema">): Hooks | undefined {
  const { fields, warnings } = readCustomFields(context);
  if (fields.length === 0) return undefined;
  let compiled: CatalogSource | undefined;
  const schema = (): CatalogSource => {
    if (compiled) return compiled;
    throw new QuernError("INTERNAL", "DQL was asked for before its schema was compiled.");
  };
  return {
    warnings,
    compile: ({ model, layout, filters }) => {
      compiled = { model, layout, filters };
    },
    api: () => ({ roots: fields.map((field) => customRoot(field, { ...options, schema })) }),
  };
}
