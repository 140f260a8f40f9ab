// Firebase's scrypt, in the form in which Supabase writes it, with the parameters of the project: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=KEY$salt$hash`.

import { createCipheriv, scrypt, timingSafeEqual } from "node:crypto";
import type { ForeignHash } from "./hash.ts";

const form =
  /^\$fbscrypt\$v=1,n=(\d+),r=(\d+),p=(\d+)(?:,ss=([A-Za-z0-9+/]*={0,2}))?,sk=([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]*={0,2})\$([A-Za-z0-9+/]+={0,2})$/;

/** As for argon2: every try to sign in costs as much. */
const maxBytes = 256 << 20;

export function firebaseHash(text: string): ForeignHash | undefined {
  const [, n = "", r = "", p = "", separator = "", key = "", salt = "", hash = ""] = form.exec(text) ?? [];
  if (hash === "") return undefined;
  const cost = { N: 2 ** Number(n), r: Number(r), p: Number(p) };
  const bytes = 128 * cost.N * cost.r;
  return {
    problem: bytes * cost.p > maxBytes ? `passwordHash is of scrypt with n=${n},r=${r},p=${p}, which needs more than ${maxBytes} bytes.` : undefined,
    fits: async (password) => {
      const derived = await scryptOf(password, Buffer.concat([bytesOf(salt), bytesOf(separator)]), { ...cost, maxmem: 2 * bytes });
      const cipher = createCipheriv("aes-256-ctr", derived, Buffer.alloc(16));
      const made = Buffer.concat([cipher.update(bytesOf(key)), cipher.final()]);
      const expected = bytesOf(hash);
      return made.byteLength === expected.byteLength && timingSafeEqual(made, expected);
    },
  };
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

type Cost = NonNullable<Parameters<typeof scrypt>[3]>;

function scryptOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password, salt, 32, cost, (error, derived) => {
      if (error) reject(error);
      else resolve(derived);
    }),
  );
}
