// The kernel's door for plugins: what `model` returned is judged once, and each hook is wrapped so that what it throws, or returns against the
// contract, names the plugin. A hook that is not there is not wrapped: nothing is asked and nothing is checked.

import type { ApiAdditions, Hooks, LayoutAdditions } from "../../contracts/plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { markPlace, namedFault, PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { isStackOverflow, isTooLong } from "../../ground/too-deep.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { checkComputed, checkFacts, checkInputChanges, checkOperand, checkRootAnswer, checkVerdict } from "./hook-results.ts";

type HookNames = { readonly [name in keyof Required<Hooks>]: "function" | "list" };

const hookNames: HookNames = {
  layout: "function",
  api: "function",
  compile: "function",
  open: "function",
  headers: "list",
  admit: "function",
  request: "function",
  until: "function",
  narrow: "function",
  narrows: "list",
  masks: "list",
  operand: "function",
  values: "function",
  changes: "function",
  check: "function",
  commit: "function",
  close: "function",
};

const layoutNames = ["types", "fields", "indexes", "keys"];
const apiNames = ["definitions", "filters", "roots", "computed", "deprecated", "live"];

/**
 * The hooks of a plugin, guarded.
 *
 * @throws QuernError `CONFIG_INVALID` for what no plugin may return: a promise, an unknown hook, a hook that is no function
 */
export function guardHooks(plugin: string, hooks: Hooks): Hooks {
  assertHooks(plugin, hooks);
  const at = (hook: string): PluginPlace => ({ plugin, hook });
  const { layout, api, compile, open, admit, request, until, narrow, operand, values, changes, check, commit, close, masks } = bound(hooks);
  return {
    ...hooks,
    ...(layout && { layout: atOnce(at("layout"), () => known(at("layout"), layout(), layoutNames)) }),
    ...(api && { api: atOnce(at("api"), () => guardApi(plugin, known(at("api"), api(), apiNames))) }),
    ...(compile && { compile: atOnce(at("compile"), compile) }),
    ...(open && { open: guarded(at("open"), open) }),
    ...(admit && { admit: atOnce(at("admit"), admit) }),
    ...(request && { request: guarded(at("request"), request, checkFacts) }),
    ...(until && { until: atOnce(at("until"), until) }),
    ...(narrow && { narrow: guarded(at("narrow"), narrow, checkVerdict) }),
    ...(masks && {
      masks: masks.map((mask) => ({ ...mask, visible: guarded(at("masks"), (view) => mask.visible(view), checkVerdict) })),
    }),
    ...(operand && {
      operand: atOnce(at("operand"), (field, value) => checkOperand(at("operand"), operand(field, value), { field, value })),
    }),
    ...(values && { values: guarded(at("values"), values, checkInputChanges) }),
    ...(changes && { changes: guarded(at("changes"), changes) }),
    ...(check && { check: guarded(at("check"), check) }),
    ...(commit && { commit: guarded(at("commit"), commit) }),
    ...(close && { close: guarded(at("close"), close) }),
  };
}

/** Hooks may be methods of an object that they look into. */
function bound(hooks: Hooks): Hooks {
  const names = Object.keys(hookNames).filter((name) => name in hooks);
  const entries = names.map((name): [string, unknown] => [name, Reflect.get(hooks, name)]);
  return Object.fromEntries(entries.map(([name, hook]) => [name, typeof hook === "function" ? hook.bind(hooks) : hook]));
}

function guardApi(plugin: string, additions: ApiAdditions): ApiAdditions {
  const { filters, roots, computed } = additions;
  const at = (hook: string): PluginPlace => ({ plugin, hook });
  return {
    ...additions,
    ...(filters && {
      filters: filters.map((filter) => {
        const place = at(`predicate of ${filter.field.owner.name}.${filter.field.name}`);
        return { ...filter, predicate: atOnce(place, (operand) => filter.predicate(operand)) };
      }),
    }),
    ...(roots && {
      roots: roots.map((root) => {
        const place = at(`run of ${/\w+(?=\s*[(:])/.exec(root.signature)?.[0] ?? root.signature}`);
        return {
          ...root,
          run: guarded(
            place,
            (context) => root.run(context),
            (each, answer) => checkRootAnswer(each, answer, root),
          ),
        };
      }),
    }),
    ...(computed && {
      computed: computed.map((each) => {
        const place = at(`compute of ${each.field.owner.name}.${each.field.name}`);
        const compute: typeof each.compute = (parents, ...rest) => each.compute(parents, ...rest);
        return { ...each, compute: guarded(place, compute, checkComputed) };
      }),
    }),
  };
}

/** Judges a result where it was asked for. @throws PluginFault */
type Judge<A extends readonly unknown[], T> = (place: PluginPlace, result: T, asked: A) => T;

function guarded<A extends readonly unknown[], T>(
  place: PluginPlace,
  hook: (...asked: A) => MaybePromise<T>,
  judge: Judge<A, T> = (_, result) => result,
): (...asked: A) => MaybePromise<T> {
  const ask = (...asked: A): MaybePromise<T> => {
    try {
      const result = hook(...asked);
      if (!isPromise(result)) return judge(place, result, asked);
      return result.then(
        (value) => judge(place, value, asked),
        (thrown) => fail(place, thrown),
      );
    } catch (thrown) {
      return fail(place, thrown);
    }
  };
  return markPlace(ask, place);
}

function atOnce<A extends readonly unknown[], T>(place: PluginPlace, hook: (...asked: A) => T): (...asked: A) => T {
  return (...asked) => {
    let result: T;
    try {
      result = hook(...asked);
    } catch (thrown) {
      return fail(place, thrown);
    }
    if (typeof result === "object" && result !== null && isPromise<unknown>(result)) {
      result.then(undefined, () => undefined);
      throw new PluginFault(place, "it answers with a promise, and is asked to answer at once.");
    }
    return result;
  };
}

/** Refusals, and what bounds a request, speak for themselves. */
function fail(place: PluginPlace, thrown: unknown): never {
  if (thrown instanceof QuernError || isStackOverflow(thrown) || isTooLong(thrown)) throw thrown;
  throw namedFault(place, thrown);
}

function assertHooks(plugin: string, hooks: Hooks): void {
  const refuse = (problem: string): never => {
    throw new QuernError("CONFIG_INVALID", `Plugin "${plugin}", hook model: ${problem}`);
  };
  if (typeof hooks !== "object" || hooks === null || Array.isArray(hooks)) refuse("it must return hooks, or undefined where it finds nothing.");
  if (isPromise<unknown>(hooks)) {
    hooks.then(undefined, () => undefined);
    refuse("it returns a promise, and must answer at once. Fetch in the hook open.");
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

function known<T extends LayoutAdditions | ApiAdditions>(place: PluginPlace, additions: T, names: readonly string[]): T {
  for (const name of Object.keys(additions)) {
    if (names.includes(name)) continue;
    const meant = didYouMean(name, names) || `; it takes ${names.join(", ")}.`;
    throw new QuernError("CONFIG_INVALID", `Plugin "${place.plugin}", hook ${place.hook}: it returns "${name}", which is unknown${meant}`);
  }
  return additions;
}
