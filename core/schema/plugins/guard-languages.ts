// Wraps the query languages that plugins offer, as hooks are wrapped.

import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import type { QueryLanguage } from "../../contracts/plugin/query-language.ts";
import { patienceOf } from "../../ground/patience.ts";
import { guardAsync } from "./guard-call.ts";
import type { HookHost } from "./hook-host.ts";

/** The languages of all plugins. */
export function guardLanguages(plugins: readonly DirectivePlugin[], host: HookHost): readonly QueryLanguage[] {
  return plugins.flatMap(({ name, languages = [] }) => languages.map((language) => guarded(name, language, host)));
}

function guarded(plugin: string, language: QueryLanguage, host: HookHost): QueryLanguage {
  return {
    ...language,
    run: guardAsync((question) => language.run(question), {
      place: { plugin, hook: `run of the language ${language.name}` },
      host,
      patience: ([question]) => patienceOf(question) ?? host.work,
    }),
  };
}
