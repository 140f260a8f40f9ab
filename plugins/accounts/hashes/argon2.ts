// `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`, and its siblings argon2i and argon2d.

import { isInstalled } from "../ground/optional-package.ts";
import type { ForeignHash } from "./hash.ts";

const form = /^\$argon2(?:id|i|d)\$(?:v=\d+\$)?m=(\d+),t=(\d+),p=(\d+)(?:,\w+=[^$]*)?\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** Every try to sign in costs as much: 256 MiB, ten passes, sixteen lanes. */
const most = { kibibytes: 262_144, passes: 10, lanes: 16 };

export function argon2Hash(text: string): ForeignHash | undefined {
  const [, memory, passes, lanes] = form.exec(text) ?? [];
  if (memory === undefined) return undefined;
  return {
    problem: problemOf({ memory: Number(memory), passes: Number(passes), lanes: Number(lanes) }),
    fits: async (password) => {
      const { verify } = await import("@node-rs/argon2");
      return await verify(text, password);
    },
  };
}

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

function problemOf({ memory, passes, lanes }: Cost): string | undefined {
  if (memory > most.kibibytes || passes > most.passes || lanes > most.lanes)
    return `passwordHash is of argon2 with m=${memory},t=${passes},p=${lanes}; up to m=${most.kibibytes},t=${most.passes},p=${most.lanes} are checked.`;
  if (isInstalled("@node-rs/argon2")) return undefined;
  return "passwordHash is of argon2, which needs the package @node-rs/argon2. Run: npm install @node-rs/argon2";
}
