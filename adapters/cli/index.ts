// Entry quern/adapters/cli: the standard stack, for configurations that change a part of it.

export { accountsFromEnvironment } from "./stack/accounts.ts";
export { type StandardPluginsOptions, type StandardStackOptions, standardPlugins, standardStack } from "./stack/standard-stack.ts";
