// The admin token of quern start: a given one, or one that it creates and stores.

import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { QuernError, type Storage } from "../../../core/storage.ts";
import type { QuernConfig } from "../../server/index.ts";
import { createPrivateFile, makePrivateFolder, readPrivateFile, stateFolder } from "../ground/private-file.ts";
import { codeOf, unreadable } from "../ground/read-file.ts";
import { configFile } from "../stack/load-config.ts";
import { controlsAccess } from "./access-control.ts";

/** The token itself is not an option: other users can read the arguments of a process. */
export interface TokenOptions {
  /** Path of a file that contains the token. */
  readonly adminTokenFile?: string;
}

export interface TokenChoice extends TokenOptions {
  /** Path of the configuration file given on the command line. */
  readonly config?: string;
}

/** A new token that is not stored yet. */
export interface CreatedToken {
  readonly token: string;
  readonly path: string;
}

/** The token from the given file, otherwise from `QUERN_ADMIN_TOKEN`; undefined if neither is set. */
export async function givenToken({ adminTokenFile }: TokenOptions): Promise<string | undefined> {
  if (adminTokenFile === undefined) return process.env.QUERN_ADMIN_TOKEN || undefined;
  const text = await readFile(adminTokenFile, "utf8").catch((error: unknown) => {
    throw unreadable("token file", adminTokenFile, error);
  });
  if (text.trim() !== "") return text.trim();
  throw new QuernError("CONFIG_INVALID", `The token file ${adminTokenFile} is empty; write the admin token into it.`);
}

/**
 * Adds a token to the configuration, unless `admin.open` makes it unnecessary. The first of these counts: the given file, `admin.token`,
 * `QUERN_ADMIN_TOKEN`, the stored token of an earlier start, a new token.
 */
export async function withAdminToken(
  config: QuernConfig,
  choice: TokenChoice,
): Promise<{ readonly config: QuernConfig; readonly created?: CreatedToken }> {
  const { admin } = config;
  const configured = choice.adminTokenFile === undefined ? admin?.token : undefined;
  const given = configured ?? (await givenToken(choice));
  if (given !== undefined) return { config: { ...config, admin: { ...admin, token: given } } };
  if (admin?.open !== undefined || controlsAccess(config)) return { config };
  const path = tokenPath(config.storage, choice);
  const stored = await readPrivateFile(path);
  if (stored) return { config: { ...config, admin: { ...admin, token: stored } } };
  const token = randomBytes(32).toString("base64url");
  return { config: { ...config, admin: { ...admin, token } }, created: { token, path } };
}

/** Stores a new token. Call it after the store is open, because that creates the folder. */
export async function storeToken({ token, path }: CreatedToken): Promise<void> {
  await makePrivateFolderOf(path);
  await createPrivateFile(path, `${token}\n`).catch((cause: unknown) => {
    const reason = codeOf(cause) === "EEXIST" ? "another server created one at the same time; start this server again" : String(cause);
    throw new QuernError("CONFIG_INVALID", `The admin token cannot be stored in ${path}: ${reason}`, { cause });
  });
}

/** Only the user's own folder is checked: the permissions of a store's folder are up to its owner. */
async function makePrivateFolderOf(path: string): Promise<void> {
  if (dirname(path) === tokenFolder()) await makePrivateFolder(dirname(path));
}

/** In the store's folder. A store without a folder uses the user's state folder, with a file per configuration. */
function tokenPath({ folder }: Storage, { config }: TokenChoice): string {
  if (folder !== undefined) return join(folder, "admin-token");
  const file = resolve(configFile(config, process.cwd()) ?? ".");
  return join(tokenFolder(), createHash("sha256").update(file).digest("hex").slice(0, 32));
}

function tokenFolder(): string {
  return join(stateFolder(), "tokens");
}
