// The toolkit for ordered key/value stores: give it an `OrderedStore`, get a `Storage`.

export type { KeyRange, OrderedStore, StoreCursor, StoreOpenOptions, StoreOperation, StoreView } from "./ground/store.ts";
export { defaultCacheBytes, type OrderedStorageOptions, orderedStorage } from "./storage.ts";
