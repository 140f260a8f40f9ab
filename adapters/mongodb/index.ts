// MongoDB, the storage of many servers.

export { type MongodbStorageOptions, mongodbStorage } from "./mongodb-storage.ts";
