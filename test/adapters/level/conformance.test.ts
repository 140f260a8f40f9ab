// The storage kit on real LevelDB, each check in a folder of its own.

import { it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { storageConformance } from "../../conformance/index.ts";
import { temporaryFolder } from "./folders.ts";

// Answered when the operating system has them: the kit asks what is right, the crash tests ask what is durable.
storageConformance({ test: it, create: async () => leveldbStorage({ path: await temporaryFolder(), durability: "os-crash-may-lose-commits" }) });
