// The storage kit on a real MongoDB, each check in a database of its own.

import { it } from "vitest";
import { storageConformance } from "../../conformance/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

storageConformance({ test: it, create: async () => (await mongodbPlace()).storage() });
