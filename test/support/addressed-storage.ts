// Opens the data of a `Place` in a process of its own.

import { leveldbStorage } from "../../adapters/level/index.ts";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import type { Storage } from "../../core/storage.ts";
import { layoutOfRun } from "./mongodb-layout.ts";

/** @param address `Place.address`: a folder, or the URI of a replica set, `#` and the name of a database */
export function storageAt(address: string): Storage {
  if (!address.startsWith("mongodb://")) return leveldbStorage({ path: address });
  const [uri = "", database = ""] = address.split("#");
  return mongodbStorage({ uri, database, ...layoutOfRun });
}
