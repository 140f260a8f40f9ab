// Prepares a deployment as a pure function: for tools that print, validate and compare schemas without a store.

import type { DirectivePlugin } from "./contracts/plugin/directive-plugin.ts";
import type { ErrorStyle } from "./ground/error-style.ts";
import { runAtOnce } from "./ground/work.ts";
import { compilePattern } from "./query/read/pattern.ts";
import type { PreparedDeployment } from "./schema/deployment/deployment.ts";
import { prepareSchema } from "./schema/deployment/prepare-deployment.ts";
import type { History } from "./schema/model/kept-names.ts";

/**
 * Builds model, API and storage layout of `text`. Touches no storage and starts nothing.
 *
 * @param plugins the directive plugins, in the order in which their hooks run
 * @param history what was deployed before; by default nothing
 * @param errors by default `"plain"`
 * @throws QuernError `SCHEMA_INVALID` with all located errors in `errors`, or in the style `"compatible"` with those of the failing stage; `PLUGIN_CLASH` when plugins contradict each other
 */
export function prepareDeployment(text: string, plugins: readonly DirectivePlugin[], history?: History, errors?: ErrorStyle): PreparedDeployment {
  return runAtOnce(prepareSchema(text, { plugins, compilePattern, history, errors }));
}
