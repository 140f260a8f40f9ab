// Hashes of passwords that other services have made. They are checked until their users sign in; then the password gets a hash of better-auth's own.

import { QuernError } from "../../../core/plugin.ts";
import { argon2Hash } from "./argon2.ts";
import { bcryptHash } from "./bcrypt.ts";
import { firebaseHash } from "./firebase-scrypt.ts";
import type { ForeignHash } from "./hash.ts";

const kinds: readonly ((text: string) => ForeignHash | undefined)[] = [bcryptHash, argon2Hash, firebaseHash];

/** Undefined: it is none. */
export function foreignHash(text: string): ForeignHash | undefined {
  for (const kind of kinds) {
    const found = kind(text);
    if (found) return found;
  }
  return undefined;
}

/** `salt:key`, by which better-auth writes its own. */
const ownForm = /^[0-9a-f]{32}:[0-9a-f]{128}$/;

/** @throws QuernError `REQUEST_REFUSED`, which does not show the hash, when nobody could sign in with it */
export function assertUsableHash(text: string): void {
  const found = foreignHash(text);
  const problem = found ? found.problem : ownForm.test(text) ? undefined : unknownForm;
  if (problem !== undefined) throw new QuernError("REQUEST_REFUSED", problem);
}

const unknownForm =
  "passwordHash has no form that is known. These are: $2b$ of bcrypt, $argon2id$ and its siblings, $fbscrypt$ of Firebase, and salt:key of better-auth.";
