// Internal errors of plugins. The log names the plugin and the hook; clients get the fixed text of all internal errors.

/** A hook threw something other than a `QuernError`, or returned a result that breaks the contract. */
export class PluginFault extends Error {
  override readonly name = "PluginFault";
  readonly plugin: string;
  readonly hook: string;

  /** @param problem the end of the message, after `Plugin "x", hook y: ` */
  constructor({ plugin, hook }: PluginPlace, problem: string, options?: ErrorOptions) {
    super(`Plugin "${plugin}", hook ${hook}: ${problem}`, options);
    this.plugin = plugin;
    this.hook = hook;
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

const places = new WeakMap<object, PluginPlace>();

/** Remembers which plugin's hook a function is. */
export function markPlace<F extends object>(hook: F, place: PluginPlace): F {
  places.set(hook, place);
  return hook;
}

/** The plugin and hook that `markPlace` set; undefined for other functions. */
export function placeOf(hook: object): PluginPlace | undefined {
  return places.get(hook);
}
