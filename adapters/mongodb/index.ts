// The MongoDB storage, for any number of servers.

export { type MongodbStorageOptions, mongodbStorage } from "./mongodb-storage.ts";
