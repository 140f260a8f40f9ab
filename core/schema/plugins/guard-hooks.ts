// Validates the hooks that `model` returned, once, and wraps each hook: an error, or a result that breaks the contract, then names the plugin.
// Absent hooks are not wrapped and cost nothing.

import type { ApiAdditions, LayoutAdditions } from "../../contracts/plugin/api-additions.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { markPlace, namedFault, PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong } from "../../ground/too-deep.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import { checkComputed, checkFacts, checkInputChanges, checkOperand, checkPermissions, checkRootAnswer, checkVerdict } from "./hook-results.ts";

type HookNames = { readonly [name in keyof Required<Hooks>]: "function" | "list" };

const hookNames: HookNames = {
  layout: "function",
  api: "function",
  compile: "function",
  open: "function",
  warnings: "list",
  survey: "function",
  headers: "list",
  admit: "function",
  request: "function",
  caller: "function",
  expiresAt: "function",
  recheckAt: "function",
  narrow: "function",
  narrows: "list",
  masks: "list",
  permissions: "function",
  operand: "function",
  values: "function",
  changes: "function",
  check: "function",
  append: "function",
  background: "list",
  commit: "function",
  close: "function",
};

const layoutNames = ["types", "fields", "indexes", "keys"];
const apiNames = [
  "definitions",
  "filters",
  "linkFilters",
  "linkOrders",
  "lists",
  "roots",
  "computed",
  "nearest",
  "updates",
  "deprecated",
  "live",
  "atomic",
  "jsonKeys",
];

/**
 * Wraps the hooks of a plugin.
 *
 * @throws QuernError `CONFIG_INVALID` for a promise, an unknown hook, or a hook that is not a function
 */
export function guardHooks(plugin: string, hooks: Hooks): Hooks {
  assertHooks(plugin, hooks);
  const at = (hook: string): PluginPlace => ({ plugin, hook });
  const all = bound(hooks);
  const { layout, api, compile, open, admit, request, caller, expiresAt, narrow, operand, values, changes, check, append, commit, close } = all;
  const { masks, permissions, background, survey, recheckAt } = all;
  return {
    ...hooks,
    ...(layout && { layout: guardSync(at("layout"), () => checkMembers(at("layout"), layout(), layoutNames)) }),
    ...(api && { api: guardSync(at("api"), () => guardApi(plugin, checkMembers(at("api"), api(), apiNames))) }),
    ...(compile && { compile: guardSync(at("compile"), compile) }),
    ...(open && { open: guardAsync(at("open"), open) }),
    ...(survey && { survey: guardAsync(at("survey"), survey) }),
    ...(admit && { admit: guardSync(at("admit"), admit) }),
    ...(request && { request: guardAsync(at("request"), request, checkFacts) }),
    ...(caller && { caller: guardSync(at("caller"), caller) }),
    ...(expiresAt && { expiresAt: guardSync(at("expiresAt"), expiresAt) }),
    ...(recheckAt && { recheckAt: guardSync(at("recheckAt"), recheckAt) }),
    ...(narrow && { narrow: guardAsync(at("narrow"), narrow, checkVerdict) }),
    ...(masks && {
      masks: masks.map((mask) => ({ ...mask, visible: guardAsync(at("masks"), (view) => mask.visible(view), checkVerdict) })),
    }),
    ...(permissions && { permissions: guardAsync(at("permissions"), permissions, checkPermissions) }),
    ...(operand && {
      operand: guardSync(at("operand"), (field, value) => checkOperand(at("operand"), operand(field, value), { field, value })),
    }),
    ...(values && { values: guardAsync(at("values"), values, checkInputChanges) }),
    ...(changes && { changes: guardAsync(at("changes"), changes) }),
    ...(check && { check: guardAsync(at("check"), check) }),
    ...(append && { append: guardAsync(at("append"), append) }),
    ...(background && {
      background: background.map((task) => ({ ...task, run: guardAsync(at(`background task ${task.name}`), (context) => task.run(context)) })),
    }),
    ...(commit && { commit: guardAsync(at("commit"), commit) }),
    ...(close && { close: guardAsync(at("close"), close) }),
  };
}

/** Hooks may be methods that use `this`. */
function bound(hooks: Hooks): Hooks {
  const names = Object.keys(hookNames).filter((name) => name in hooks);
  const entries = names.map((name): [string, unknown] => [name, Reflect.get(hooks, name)]);
  return Object.fromEntries(entries.map(([name, hook]) => [name, typeof hook === "function" ? hook.bind(hooks) : hook]));
}

function guardApi(plugin: string, additions: ApiAdditions): ApiAdditions {
  const { filters, linkFilters, linkOrders, roots, computed, nearest, updates } = additions;
  const at = (hook: string): PluginPlace => ({ plugin, hook });
  return {
    ...additions,
    ...(filters && {
      filters: filters.map((filter) => {
        const place = at(`predicate of ${filter.field.owner.name}.${filter.field.name}`);
        const { steps } = filter;
        return {
          ...filter,
          predicate: guardSync(place, (operand) => filter.predicate(operand)),
          ...(steps && { steps: (operand) => guardSteps(place, () => steps(operand)) }),
        };
      }),
    }),
    ...(linkFilters && {
      linkFilters: linkFilters.map((filter) => {
        const place = at(`condition of ${filter.field.owner.name}.${filter.field.name}`);
        return { ...filter, condition: guardSync(place, (operand) => filter.condition(operand)) };
      }),
    }),
    ...(linkOrders && {
      linkOrders: linkOrders.map((order) => {
        const place = at(`key of ${order.field.owner.name}.${order.field.name}`);
        return { ...order, key: guardSync(place, (operand) => order.key(operand)) };
      }),
    }),
    ...(roots && {
      roots: roots.map((root) => {
        const place = at(`run of ${/\w+(?=\s*[(:])/.exec(root.signature)?.[0] ?? root.signature}`);
        return {
          ...root,
          run: guardAsync(
            place,
            (context) => root.run(context),
            (each, answer) => checkRootAnswer(each, answer, root),
          ),
        };
      }),
    }),
    ...(nearest && {
      nearest: nearest.map((each) => ({ ...each, nearest: guardSync(at(`nearest of ${each.type.name}`), (operand) => each.nearest(operand)) })),
    }),
    ...(updates && {
      updates: updates.map((each) => ({
        ...each,
        ...(each.changes && { changes: guardAsync(memberPlace(at, each, "changes"), each.changes.bind(each)) }),
        ...(each.steps && { steps: guardSync(memberPlace(at, each, "steps"), each.steps.bind(each)) }),
      })),
    }),
    ...(computed && {
      computed: computed.map((each) => {
        const place = at(`compute of ${each.field.owner.name}.${each.field.name}`);
        const compute: typeof each.compute = (parents, ...rest) => each.compute(parents, ...rest);
        return { ...each, compute: guardAsync(place, compute, checkComputed) };
      }),
    }),
  };
}

function memberPlace(at: (hook: string) => PluginPlace, { signature, type }: UpdateMember, what: string): PluginPlace {
  return at(`${what} of ${signature} of Update${type.name}Input`);
}

/** Validates the result of a hook. @throws PluginFault */
type ResultCheck<A extends readonly unknown[], T> = (place: PluginPlace, result: T, args: A) => T;

function guardAsync<A extends readonly unknown[], T>(
  place: PluginPlace,
  hook: (...args: A) => MaybePromise<T>,
  check: ResultCheck<A, T> = (_, result) => result,
): (...args: A) => MaybePromise<T> {
  const call = (...args: A): MaybePromise<T> => {
    try {
      const result = hook(...args);
      if (!isPromise(result)) return check(place, result, args);
      return result.then(
        (value) => check(place, value, args),
        (thrown) => fail(place, thrown),
      );
    } catch (thrown) {
      return fail(place, thrown);
    }
  };
  return markPlace(call, place);
}

function guardSync<A extends readonly unknown[], T>(place: PluginPlace, hook: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    let result: T;
    try {
      result = hook(...args);
    } catch (thrown) {
      return fail(place, thrown);
    }
    if (typeof result === "object" && result !== null && isPromise<unknown>(result)) {
      result.then(undefined, () => undefined);
      throw new PluginFault(place, "it returns a promise, but must return its result synchronously.");
    }
    return result;
  };
}

function* guardSteps<T>(place: PluginPlace, begin: () => Work<T>): Work<T> {
  try {
    return yield* begin();
  } catch (thrown) {
    return fail(place, thrown);
  }
}

/** Refusals and exceeded limits pass unchanged; other errors become faults that name the plugin. */
function fail(place: PluginPlace, thrown: unknown): never {
  if (thrown instanceof QuernError || isStackOverflow(thrown) || isTooLong(thrown)) throw thrown;
  throw namedFault(place, thrown);
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
    const expected = Object.entries(hookNames).find(([known]) => known === name)?.[1];
    if (expected === undefined)
      refuse(
        `it returns "${name}", which is no hook${didYouMean(name, Object.keys(hookNames)) || `; hooks are ${Object.keys(hookNames).join(", ")}.`}`,
      );
    if (expected === "function" && typeof hook !== "function") refuse(`the hook ${name} must be a function.`);
    if (expected === "list" && !Array.isArray(hook)) refuse(`${name} must be a list.`);
  }
}

function checkMembers<T extends LayoutAdditions | ApiAdditions>(place: PluginPlace, additions: T, names: readonly string[]): T {
  for (const name of Object.keys(additions)) {
    if (names.includes(name)) continue;
    const meant = didYouMean(name, names) || `; it takes ${names.join(", ")}.`;
    throw new QuernError("CONFIG_INVALID", `Plugin "${place.plugin}", hook ${place.hook}: it returns "${name}", which is unknown${meant}`);
  }
  return additions;
}
