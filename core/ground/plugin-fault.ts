// Internal errors of plugins. The log names the plugin and the hook; clients get fixed texts.

import { type ErrorCode, QuernError } from "./errors.ts";

/** A hook threw something other than a `QuernError`, or returned a result that breaks the contract. */
export class PluginFault extends Error {
  override readonly name: string = "PluginFault";
  readonly plugin: string;
  readonly hook: string;

  /** @param problem the end of the message, after `Plugin "x", hook y: ` */
  constructor({ plugin, hook }: PluginPlace, problem: string, options?: ErrorOptions) {
    super(`Plugin "${plugin}", hook ${hook}: ${problem}`, options);
    this.plugin = plugin;
    this.hook = hook;
  }
}

/** A promise of a hook has not settled in time. */
export class PluginTimeout extends PluginFault {
  override readonly name = "PluginTimeout";
  readonly code = "PLUGIN_TIMEOUT" satisfies ErrorCode;

  /** @param limit `within 5000 ms (limits.hookMs)` */
  constructor(place: PluginPlace, limit: string) {
    super(place, `its promise has not settled ${limit}.`);
  }
}

/** A hook of a plugin, as messages name it: `{ plugin: "search", hook: "values" }`. */
export interface PluginPlace {
  readonly plugin: string;
  readonly hook: string;
}

/** Wraps what a hook threw, so that the message names the plugin. */
export function namedFault(place: PluginPlace, thrown: unknown): PluginFault {
  if (thrown instanceof PluginFault) return thrown;
  return new PluginFault(place, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** For whom installs the plugin, such as the caller of a deploy: the fault as an expected error. Anything else stays what it is. */
export function shownFault(thrown: unknown): unknown {
  if (!(thrown instanceof PluginFault)) return thrown;
  const { plugin, hook } = thrown;
  const code = thrown instanceof PluginTimeout ? thrown.code : "PLUGIN_FAILED";
  return new QuernError(code, thrown.message, { cause: thrown, details: { plugin, hook } });
}

const placed = Symbol("the plugin and hook of a function");

/** Notes on a function which plugin's hook it is. */
export function markPlace<F extends object>(hook: F, place: PluginPlace): F & { readonly [placed]: PluginPlace } {
  return Object.assign(hook, { [placed]: place });
}

/** The plugin and hook that `markPlace` noted; undefined for other functions. */
export function placeOf(hook: { readonly [placed]?: PluginPlace }): PluginPlace | undefined {
  return hook[placed];
}
