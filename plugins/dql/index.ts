// DQL, the native query language.

export { type DqlOptions, dqlPlugin } from "./dql-plugin.ts";
export { type QueryDqlOptions, queryDql } from "./query-dql.ts";
export type { DqlVariables } from "./request/run-text.ts";
