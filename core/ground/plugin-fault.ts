// What goes wrong inside a plugin and is no refusal of its own. The log names the plugin and the hook; clients hear the one text of all faults.

/** Something that a hook threw, or a result that breaks the contract. */
export class PluginFault extends Error {
  override readonly name = "PluginFault";
  readonly plugin: string;
  readonly hook: string;

  /** @param problem what is wrong, after "Plugin "x", hook y: " */
  constructor({ plugin, hook }: PluginPlace, problem: string, options?: ErrorOptions) {
    super(`Plugin "${plugin}", hook ${hook}: ${problem}`, options);
    this.plugin = plugin;
    this.hook = hook;
  }
}

/** A hook of a plugin, as messages name it: `values`, `run of todayIs`. */
export interface PluginPlace {
  readonly plugin: string;
  readonly hook: string;
}

/** What a hook threw, with its plugin named. */
export function namedFault(place: PluginPlace, thrown: unknown): PluginFault {
  if (thrown instanceof PluginFault) return thrown;
  return new PluginFault(place, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

const places = new WeakMap<object, PluginPlace>();

/** Remembers whose hook a guarded function is. */
export function markPlace<F extends object>(hook: F, place: PluginPlace): F {
  places.set(hook, place);
  return hook;
}

export function placeOf(hook: object): PluginPlace | undefined {
  return places.get(hook);
}
