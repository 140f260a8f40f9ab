// `checkpwd(p, "text")`.

import type { Stored } from "../../../core/plugin.ts";

/** bcrypt ignores the bytes of a password after these. */
const longestBytes = 72;

/** Whether `password` is the one that `hash` was made of. A node without a password has none that is right. */
export async function checkPassword(password: string, hash: Stored | undefined): Promise<boolean> {
  if (typeof hash !== "string" || Buffer.byteLength(password) > longestBytes) return false;
  const { compare } = await import("bcrypt");
  return await compare(password, hash);
}
