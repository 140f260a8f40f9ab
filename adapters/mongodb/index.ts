// The MongoDB storage, for any number of servers.

export type { AdoptOptions } from "./adopt/adoption.ts";
export { type MongodbNamespaces, type MongodbNamespacesOptions, mongodbNamespaces } from "./mongodb-namespaces.ts";
export { type MongodbStorageOptions, mongodbStorage } from "./mongodb-storage.ts";
