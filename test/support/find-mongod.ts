// Which mongod the specs of MongoDB run on: a server that is given, a binary, or one that is downloaded when asked for.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export type MongodSource =
  | { readonly kind: "uri"; readonly uri: string }
  | { readonly kind: "binary"; readonly path: string }
  | { readonly kind: "download"; readonly version: string };

/** In the order of preference; undefined when there is none. */
export function findMongod(env: Readonly<Record<string, string | undefined>> = process.env): MongodSource | undefined {
  const { QUERN_TEST_MONGODB_URI: uri, QUERN_TEST_MONGOD: named, QUERN_TEST_MONGOD_DOWNLOAD: version, PATH = "" } = env;
  if (uri) return { kind: "uri", uri };
  const path =
    named ||
    PATH.split(delimiter)
      .map((folder) => join(folder, "mongod"))
      .find(canRun);
  if (path) return { kind: "binary", path };
  return version ? { kind: "download", version } : undefined;
}

/** For people who have none. */
export const howToGetMongod =
  "Put a mongod on the PATH, or set QUERN_TEST_MONGOD=$(.ci/fetch-mongod) or =<binary>, " +
  "QUERN_TEST_MONGODB_URI=<replica set>, or QUERN_TEST_MONGOD_DOWNLOAD=7.0.14 to have that version downloaded.";

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
