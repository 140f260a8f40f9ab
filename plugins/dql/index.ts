// DQL, the native query language.

export { type DqlOptions, dqlPlugin } from "./dql-plugin.ts";
