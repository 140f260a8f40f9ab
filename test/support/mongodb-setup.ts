// Once per run, before the specs on MongoDB: the server they share.

import type { TestProject } from "vitest/node";
import { findMongod } from "./find-mongod.ts";
import { startReplicaSet } from "./mongod.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The storage that specs run on. */
    readonly storage: "level" | "mongodb";
    /** The replica set of this run; only where `storage` is `mongodb`. */
    readonly mongodbUri: string;
  }
}

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const source = findMongod();
  if (source?.kind === "uri") {
    project.provide("mongodbUri", source.uri);
    return undefined;
  }
  const { uri, stop } = await startReplicaSet();
  project.provide("mongodbUri", uri);
  return stop;
}
