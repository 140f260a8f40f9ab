// The admin token that quern start serves with: the one that is given, or one that it makes and keeps.

import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { QuernError, type Storage } from "../../core/index.ts";
import type { QuernConfig } from "../server/index.ts";
import { configFile } from "./load-config.ts";
import { createPrivateFile, makePrivateFolder, readPrivateFile, stateFolder } from "./private-file.ts";
import { codeOf, unreadable } from "./read-file.ts";

/** A token must not stand among the arguments of a process: other users can read these. */
export interface TokenOptions {
  /** A file that holds the token. */
  readonly adminTokenFile?: string;
}

export interface TokenChoice extends TokenOptions {
  /** The configuration file that was named. */
  readonly config?: string;
}

/** A token that was made and is not kept yet. */
export interface MadeToken {
  readonly token: string;
  readonly path: string;
}

/** The token in the file that was named, else in `QUERN_ADMIN_TOKEN`; undefined: none is given. */
export async function givenToken({ adminTokenFile }: TokenOptions): Promise<string | undefined> {
  if (adminTokenFile === undefined) return process.env.QUERN_ADMIN_TOKEN || undefined;
  const text = await readFile(adminTokenFile, "utf8").catch((error: unknown) => {
    throw unreadable("token file", adminTokenFile, error);
  });
  if (text.trim() !== "") return text.trim();
  throw new QuernError("CONFIG_INVALID", `The token file ${adminTokenFile} is empty; write the admin token into it.`);
}

/**
 * The configuration with a token, unless it does without one. In this order: the file that was named, `admin.token`,
 * `QUERN_ADMIN_TOKEN`, the token of an earlier start, a new one.
 */
export async function withAdminToken(config: QuernConfig, choice: TokenChoice): Promise<{ readonly config: QuernConfig; readonly made?: MadeToken }> {
  const { admin } = config;
  const configured = choice.adminTokenFile === undefined ? admin?.token : undefined;
  const given = configured ?? (await givenToken(choice));
  if (given !== undefined) return { config: { ...config, admin: { ...admin, token: given } } };
  if (admin?.open !== undefined) return { config };
  const path = tokenPath(config.storage, choice);
  const kept = await readPrivateFile(path);
  if (kept) return { config: { ...config, admin: { ...admin, token: kept } } };
  const token = randomBytes(32).toString("base64url");
  return { config: { ...config, admin: { ...admin, token } }, made: { token, path } };
}

/** Called when the store is open, so that its folder is there. */
export async function keepToken({ token, path }: MadeToken): Promise<void> {
  await makePrivateFolderOf(path);
  await createPrivateFile(path, `${token}\n`).catch((cause: unknown) => {
    const reason = codeOf(cause) === "EEXIST" ? "another server has made one at the same time; start this one again" : String(cause);
    throw new QuernError("CONFIG_INVALID", `The admin token cannot be kept in ${path}: ${reason}`, { cause });
  });
}

/** The folder of a store is its owner's business. */
async function makePrivateFolderOf(path: string): Promise<void> {
  if (dirname(path) === tokenFolder()) await makePrivateFolder(dirname(path));
}

/** In the store's folder; for a store without one, in the user's state folder, by the configuration that names the store. */
function tokenPath({ folder }: Storage, { config }: TokenChoice): string {
  if (folder !== undefined) return join(folder, "admin-token");
  const file = resolve(configFile(config, process.cwd()) ?? ".");
  return join(tokenFolder(), createHash("sha256").update(file).digest("hex").slice(0, 32));
}

function tokenFolder(): string {
  return join(stateFolder(), "tokens");
}
