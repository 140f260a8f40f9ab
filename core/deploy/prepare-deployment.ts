// From schema text to everything that is served, short of what storage says to it.

import { generateApi } from "../api/generate.ts";
import type { DirectivePlugin } from "../contracts/plugin.ts";
import { buildDeployment } from "./build-deployment.ts";
import type { PreparedDeployment } from "./deployment.ts";

/** @throws QuernError `SCHEMA_INVALID` with all errors of the stage that refuses; `PLUGIN_MISSING`, `PLUGIN_CLASH` */
export function prepareDeployment(text: string, plugins: readonly DirectivePlugin[]): PreparedDeployment {
  const { definitions, ...built } = buildDeployment(text, plugins);
  const api = generateApi({
    model: built.model,
    definitions,
    directiveDefinitions: plugins.map((plugin) => plugin.definitions),
    additions: built.hooks.map(({ hooks }) => hooks.api?.() ?? {}),
  });
  return { ...built, api };
}
