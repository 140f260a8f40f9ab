// What the members of a plugin are.

import { type DirectivePlugin, pluginContract } from "../contracts/plugin/directive-plugin.ts";
import type { QueryLanguage } from "../contracts/plugin/query-language.ts";
import { QuernError } from "../ground/errors.ts";
import { aFlag, aFunction, anySdl, aText, listOf, type MemberKind, type MemberKinds, problemOf, required, texts } from "../ground/member-kinds.ts";

const language: MemberKinds<QueryLanguage> = {
  name: required({ fits: (value) => typeof value === "string" && /^[a-z][a-z0-9-]*$/u.test(value), expected: "a name in lower case" }),
  run: required(aFunction),
};

const languages: MemberKind = { fits: (value) => problemOf(value, language) === undefined, expected: "" };

const members: MemberKinds<DirectivePlugin> = {
  contract: { fits: (value) => typeof value === "number", expected: `the version of the contract, such as ${pluginContract}` },
  name: required(aText),
  after: texts,
  follows: texts,
  definitions: required(anySdl),
  unstored: texts,
  definitionsFor: aFunction,
  typesFor: aFunction,
  inherited: texts,
  kept: texts,
  stores: { fits: (value) => typeof value === "object" && value !== null, expected: "an object with types, fields, indexes and keys" },
  outside: { fits: (value) => typeof value === "object" && value !== null, expected: "an object with name, check, copyTo and copyFrom" },
  languages: listOf(languages, "a list of { name, run }, with names in lower case"),
  settings: texts,
  alsoReads: texts,
  validatesArguments: aFlag,
  mainThreadOnly: aFlag,
  checkSettings: aFunction,
  watchedFiles: texts,
  serving: aFunction,
  model: required(aFunction),
  liveEngine: aFunction,
  server: aFunction,
  access: aFunction,
};

/** What is wrong with the members of `plugin`. It may have members beyond the contract, but none whose name is nearly one of the contract. */
export function memberProblems(plugin: DirectivePlugin): readonly QuernError[] {
  const problem = problemOf(plugin, { ...members });
  return problem === undefined ? [] : [new QuernError("CONFIG_INVALID", `Plugin "${plugin.name}" ${problem}`)];
}
