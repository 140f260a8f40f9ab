// The MongoDB storage, for any number of servers.

export type { AdoptOptions } from "./adopt/adoption.ts";
export { type MongodbStorageOptions, mongodbStorage } from "./mongodb-storage.ts";
