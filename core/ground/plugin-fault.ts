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

const placed = Symbol("the plugin and hook of a function");

/** Notes on a function which plugin's hook it is. */
export function markPlace<F extends object>(hook: F, place: PluginPlace): F & { readonly [placed]: PluginPlace } {
  return Object.assign(hook, { [placed]: place });
}

/** The plugin and hook that `markPlace` noted; undefined for other functions. */
export function placeOf(hook: { readonly [placed]?: PluginPlace }): PluginPlace | undefined {
  return hook[placed];
}
