// The files of the GraphiQL page. The build copies the published browser files of other packages beside the built module, so that users of the
// package do not install a front-end tool chain. Before a build they are read from `node_modules`.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { packageFolder } from "../http/package-folder.ts";

const { resolve } = createRequire(import.meta.url);

/** Package and path in it; no package: a file of this folder. */
const origins = {
  "graphiql.min.css": { package: "graphiql", path: "graphiql.min.css" },
  "react.production.min.js": { package: "react", path: "umd/react.production.min.js" },
  "react-dom.production.min.js": { package: "react-dom", path: "umd/react-dom.production.min.js" },
  "graphiql.min.js": { package: "graphiql", path: "graphiql.min.js" },
  "page.js": { package: undefined, path: "page.js" },
} as const;

export type BrowserFile = keyof typeof origins;

export const browserFileNames = Object.keys(origins) as readonly BrowserFile[];

/** The packages whose files the page contains. */
export const browserPackages = ["graphiql", "react", "react-dom"] as const;

/** The folder of the copies in a build. */
export const builtFolder = join(packageFolder, "dist/adapters/server/graphiql/browser");

/** The file as published in its package. */
export function publishedFile(name: BrowserFile): string {
  const { package: from, path } = origins[name];
  return from === undefined ? join(packageFolder, "adapters/server/graphiql", path) : join(folderOf(from), path);
}

export function folderOf(name: (typeof browserPackages)[number]): string {
  return dirname(resolve(`${name}/package.json`));
}

/** The text of the copy; before a build, of the published file. */
export async function browserFile(name: BrowserFile): Promise<string> {
  try {
    return await readFile(join(builtFolder, name), "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return readFile(publishedFile(name), "utf8");
  }
}
