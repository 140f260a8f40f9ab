// The toolkit for ordered key/value stores: give it an `OrderedStore`, get a `Storage`.

export { defaultCacheBytes, type OrderedStorageOptions, orderedStorage } from "./storage.ts";
export type { KeyRange, OrderedStore, StoreCursor, StoreOpenOptions, StoreOperation, StoreView } from "./store.ts";
