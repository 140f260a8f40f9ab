// Passwords: their hashes, and the attempts that may be made to guess them.

import { compare, hash } from "bcrypt";
import { QuernError } from "../../core/plugin.ts";
import { firstPassword } from "./directory.ts";

const rounds = 10;
const shortestBytes = 6;
/** bcrypt ignores further bytes. */
const longestBytes = 72;

/** Compared with when there is no hash, so that an unknown user takes as long as a wrong password. */
const nobodysHash = "$2b$10$4xXyorQcIqPW78A1NZzaGeW8smsSO.WTWtpNUT1UBj98i9nj16hFa";

/** Why a new password is refused; undefined: it is not. */
export function passwordProblem(password: string): string | undefined {
  const bytes = Buffer.byteLength(password);
  if (bytes < shortestBytes) return `Password too short, i.e. should have at least ${shortestBytes} chars`;
  return bytes > longestBytes ? `bcrypt: password length exceeds ${longestBytes} bytes` : undefined;
}

/** Computes few hashes at a time: each takes a thread of the pool that the store reads with. */
export class Passwords {
  readonly #turns = new Turns(2, 200);
  #first: Promise<string> | undefined;

  /** @param password one without a problem */
  hash(password: string): Promise<string> {
    return this.#turns.take(() => hash(password, rounds));
  }

  /** @param stored the user's hash; `first`: the first password; undefined: there is no such user */
  async matches(candidate: string, stored: string | "first" | undefined): Promise<boolean> {
    const known = stored === "first" ? await this.#firstHash() : stored;
    const matches = await this.#turns.take(() => compare(candidate, known ?? nobodysHash));
    return matches && known !== undefined && Buffer.byteLength(candidate) <= longestBytes;
  }

  #firstHash(): Promise<string> {
    this.#first ??= hash(firstPassword, rounds);
    return this.#first;
  }
}

/** Runs work in turns, so many at a time. */
class Turns {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#turn();
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) throw new QuernError("OVERLOADED", "too many logins at once; try again in a moment");
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
