// `$2b$10$...`, of Supabase and Auth0 among others.

import type { ForeignHash } from "./hash.ts";

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** A second of a core is 2^14 rounds or so. */
const maxCost = 15;

/** bcrypt ignores the rest: longer ones that only begin alike would pass. */
const longestBytes = 72;

export function bcryptHash(text: string): ForeignHash | undefined {
  const [, cost] = form.exec(text) ?? [];
  if (cost === undefined) return undefined;
  return {
    problem: Number(cost) > maxCost ? `passwordHash is of bcrypt with the cost ${Number(cost)}; up to ${maxCost} are checked.` : undefined,
    fits: async (password) => {
      const { compare } = await import("bcrypt");
      // PHP writes $2y$ for what others write $2b$.
      return (await compare(password, text.replace(/^\$2y/, "$2b"))) && Buffer.byteLength(password) <= longestBytes;
    },
  };
}
