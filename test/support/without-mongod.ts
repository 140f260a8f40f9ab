// Stands in for the specs on MongoDB where there is none to run them on: skipped, with the reason for a name.

import { it } from "vitest";
import { howToGetMongod } from "./find-mongod.ts";
import { specsOnEveryStorage } from "./specs.ts";

it.skip(`${specsOnEveryStorage().length} specs and those of the adapter need a mongod. ${howToGetMongod}`, () => {});
