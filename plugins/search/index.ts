// `@search`, and what a further index kind is written with.

export type { FieldSearch, IndexKind, KindArgument, Operator, Operators, SearchTarget, TokenSearch, ValueSearch } from "./kinds/kind.ts";
export { type SearchOptions, searchPlugin } from "./search-plugin.ts";
export { fold, words } from "./text/words.ts";
