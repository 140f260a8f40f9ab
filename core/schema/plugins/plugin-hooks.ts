// The hooks that one plugin has for a deployed schema.

import type { Hooks } from "../../contracts/plugin/hooks.ts";

export interface PluginHooks {
  readonly plugin: string;
  readonly hooks: Hooks;
}
