// The S2 library. It is loaded at the first geometry, because it takes longer to load than every other package, and few schemas have geometries.

import { createRequire } from "node:module";

type Library = typeof import("s2js");

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

export function s2js(): Library {
  loaded ??= load();
  return loaded;
}

function load(): Library {
  return require("s2js");
}
