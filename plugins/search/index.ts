// `@search`, and the contract for custom index kinds.

export type { FieldSearch, IndexKind, KindArgument, Operator, Operators, SearchTarget, TokenSearch, ValueSearch } from "./ground/kind.ts";
export { type SearchOptions, searchPlugin } from "./search-plugin.ts";
export { fold, words } from "./text/words.ts";
