// The files of the GraphiQL page. A build copies the published browser files of other packages beside the built module, so that whoever installs
// the package does not install a front-end tool chain. From the sources they are read where npm has put them.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { resolve } = createRequire(import.meta.url);

/** Package and path within it; no package: a file of this folder. */
const origins = {
  "graphiql.min.css": { package: "graphiql", path: "graphiql.min.css" },
  "react.production.min.js": { package: "react", path: "umd/react.production.min.js" },
  "react-dom.production.min.js": { package: "react-dom", path: "umd/react-dom.production.min.js" },
  "graphiql.min.js": { package: "graphiql", path: "graphiql.min.js" },
  "page.js": { package: undefined, path: "page.js" },
} as const;

export type BrowserFile = keyof typeof origins;

export const browserFileNames = Object.keys(origins) as readonly BrowserFile[];

/** Packages whose files the page holds. */
export const browserPackages = ["graphiql", "react", "react-dom"] as const;

/** Where the copies of a build are. */
export const builtFolder = join(import.meta.dirname, "browser");

/** The file as its package has published it. */
export function publishedFile(name: BrowserFile): string {
  const { package: from, path } = origins[name];
  return from === undefined ? join(import.meta.dirname, path) : join(packageFolder(from), path);
}

export function packageFolder(name: (typeof browserPackages)[number]): string {
  return dirname(resolve(`${name}/package.json`));
}

/** The text of the copy; of the published file where nothing was built. */
export async function browserFile(name: BrowserFile): Promise<string> {
  try {
    return await readFile(join(builtFolder, name), "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return readFile(publishedFile(name), "utf8");
  }
}
