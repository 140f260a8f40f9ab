// A plugin of an author with a fault in one of its hooks.

import type { ApiAdditions, DirectivePlugin, Hooks } from "../../../core/plugin.ts";

/** The hook returns a promise that never settles, or throws. */
export type HookFault = "hangs" | "throws";

/** The hooks, and members of what they return, that may return promises. */
export type HookName = (typeof names)[number];

const names = [
  ...(["open", "survey", "request", "narrow", "permissions", "values", "changes", "check", "append", "commit", "close"] as const),
  ...(["masks", "background", "roots", "computed", "updates"] as const),
];

/** What an injected error says: clients must not see it. */
export const injectable = { message: "the kit has put an error into a hook" };

type Call = (...args: never[]) => unknown;

export class Injected {
  readonly plugin: DirectivePlugin;
  readonly #found = new Set<HookName>();
  #armed: { readonly hook: HookName; readonly fault: HookFault } | undefined;
  /** How often the hook was called that has the fault. */
  calls = 0;

  constructor(create: () => DirectivePlugin) {
    const plugin = create();
    const own = plugin.model.bind(plugin);
    const model: DirectivePlugin["model"] = (context) => {
      const hooks = own(context);
      return hooks && this.#hooks(hooks);
    };
    // Its methods may use `this`.
    this.plugin = Object.isFrozen(plugin) ? { ...plugin, model } : Object.assign(plugin, { model });
  }

  get name(): string {
    return this.plugin.name;
  }

  /** The hooks that the plugin has for the deployed schema. */
  get found(): readonly HookName[] {
    return names.filter((name) => this.#found.has(name));
  }

  arm(hook: HookName, fault: HookFault): void {
    this.#armed = { hook, fault };
    this.calls = 0;
  }

  disarm(): void {
    this.#armed = undefined;
  }

  #hooks(hooks: Hooks): Hooks {
    const plain = Object.fromEntries(
      Object.entries(hooks).map(([name, hook]) => [name, isName(name) && typeof hook === "function" ? this.#injected(name, hook.bind(hooks)) : hook]),
    );
    const { masks, background, api } = hooks;
    return {
      ...plain,
      ...(masks && { masks: this.#each("masks", masks, "visible") }),
      ...(background && { background: this.#each("background", background, "run") }),
      ...(api && { api: () => this.#additions(api.call(hooks)) }),
    };
  }

  #additions({ roots, computed, updates, ...others }: ApiAdditions): ApiAdditions {
    return {
      ...others,
      ...(roots && { roots: this.#each("roots", roots, "run") }),
      ...(computed && { computed: this.#each("computed", computed, "compute") }),
      ...(updates && { updates: this.#each("updates", updates, "changes") }),
    };
  }

  #each<T extends object, Name extends keyof T>(name: HookName, all: readonly T[], member: Name): readonly T[] {
    return all.map((each) => {
      const call = each[member];
      return typeof call === "function" ? { ...each, [member]: this.#injected(name, call.bind(each)) } : each;
    });
  }

  #injected(name: HookName, call: Call): Call {
    this.#found.add(name);
    return (...args) => {
      if (this.#armed?.hook !== name) return call(...args);
      this.calls++;
      if (this.#armed.fault === "throws") throw new Error(injectable.message);
      return new Promise(() => undefined);
    };
  }
}

function isName(name: string): name is HookName {
  return names.some((each) => each === name);
}
