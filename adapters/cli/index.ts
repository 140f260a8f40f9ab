// The standard stack, for servers that start from it and change a part.

export { type StandardStackOptions, standardPlugins, standardStack } from "./standard-stack.ts";
