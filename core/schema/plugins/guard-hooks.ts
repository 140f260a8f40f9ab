// Validates the hooks that `model` returned, once, and wraps each hook.

import type { Hooks } from "../../contracts/plugin/hooks.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { withFrozenArguments } from "./frozen-arguments.ts";
import type { HookHost } from "./hook-host.ts";
import { hookRules, wrapped } from "./hook-table.ts";
import { hookProblem } from "./member-shapes.ts";

const hookNames = Object.keys(hookRules);

/**
 * Wraps the hooks of a plugin.
 *
 * @throws QuernError `CONFIG_INVALID` for a promise, an unknown hook, or a hook that is not a function
 */
export function guardHooks(plugin: string, hooks: Hooks, { host, freezesArguments = false }: GuardOptions & { readonly host: HookHost }): Hooks {
  assertHooks(plugin, hooks);
  return wrapped(hookRules, freezesArguments ? withFrozenArguments(hooks) : hooks, { host, placeOf: (hook) => ({ plugin, hook }) });
}

export interface GuardOptions {
  /** Hooks get frozen arguments: in development, and in the kit for authors. */
  readonly freezesArguments?: boolean | undefined;
}

function assertHooks(plugin: string, hooks: Hooks): void {
  const refuse = (problem: string): never => {
    throw new QuernError("CONFIG_INVALID", `Plugin "${plugin}", hook model: ${problem}`);
  };
  if (typeof hooks !== "object" || hooks === null || Array.isArray(hooks)) refuse("it must return hooks, or undefined if it finds nothing.");
  if (isPromise<unknown>(hooks)) {
    hooks.then(undefined, () => undefined);
    refuse("it returns a promise, but must return synchronously. Fetch in the hook open.");
  }
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook === undefined) continue;
    const shape = Object.entries(hookRules).find(([known]) => known === name)?.[1].shape;
    if (shape === undefined) refuse(`it returns "${name}", which is no hook${didYouMean(name, hookNames) || `; hooks are ${hookNames.join(", ")}.`}`);
    if (shape === "function" && typeof hook !== "function") refuse(`the hook ${name} must be a function.`);
    if (shape === "list" && !Array.isArray(hook)) refuse(`${name} must be a list.`);
    const problem = hookProblem(name, hook);
    if (problem !== undefined) refuse(problem);
  }
}
