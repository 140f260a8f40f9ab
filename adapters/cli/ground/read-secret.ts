// Reads a secret from a file: it is no option, because other users can read the arguments of a process.

import { readFile } from "node:fs/promises";
import { QuernError } from "../../../core/index.ts";
import { unreadable } from "./read-file.ts";

/** The text of the file without the line break at its end. @param what in messages: `password` */
export async function readSecretFile(what: string, path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw unreadable(`${what} file`, path, error);
  });
  const secret = text.replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new QuernError("CONFIG_INVALID", `The ${what} file ${path} is empty; write the ${what} into it.`);
}
