// The storage kit on every storage, each check in a store of its own.

import { it } from "vitest";
import { storageConformance } from "../conformance/index.ts";
import { newStorage } from "../support/storage.ts";

storageConformance({ test: it, create: () => newStorage() });
