// `@version`, `@increment`, `@unique`, `@onDelete`: what holds between the objects of a store, also while many write at the same time.

import type { Change, ChangesContext, DirectivePlugin } from "../../core/plugin.ts";
import { allDefinitions, definitionsFor } from "./constraint-definitions.ts";
import { incrementMembers, readIncrements } from "./increment.ts";
import { deleteHooks, readDeleteRules } from "./on-delete.ts";
import { guardCombinations, readCombinations, uniqueKeys } from "./unique.ts";
import { countVersions, readVersions, versionFilters } from "./version.ts";

/** `@version`, `@increment`, `@unique` and `@onDelete`. */
export function constraintsPlugin(): DirectivePlugin {
  return {
    name: "constraints",
    definitions: allDefinitions,
    definitionsFor,
    model(context) {
      const versions = readVersions(context);
      const increments = readIncrements(context);
      const combinations = readCombinations(context);
      const { rules, warnings } = readDeleteRules(context);
      if (versions.length + increments.length + combinations.length + rules.length === 0) return undefined;
      const deletes = rules.length > 0 ? deleteHooks(rules) : undefined;
      const isCombined = combinations.some(({ fields }) => fields.length > 1);
      const guards = isCombined ? guardCombinations(combinations) : undefined;
      const counts = versions.length > 0 ? countVersions(versions) : undefined;
      return {
        warnings,
        layout: () => ({ keys: uniqueKeys(combinations) }),
        api: () => ({ filters: versionFilters(versions), ...incrementMembers(increments) }),
        ...((deletes || guards || counts) && { changes: inTurn(deletes?.changes, guards, counts) }),
        ...(deletes && { check: deletes.check }),
      };
    },
  };
}

type Changing = (context: ChangesContext) => Promise<readonly Change[] | undefined>;

/** Each sees the changes of those before it. */
function inTurn(...steps: readonly (Changing | undefined)[]): Changing {
  return async (context) => {
    let made: readonly Change[] | undefined;
    for (const step of steps) made = (step && (await step({ ...context, changes: made ?? context.changes }))) ?? made;
    return made;
  };
}
