// `@secret`: a password that is stored as a bcrypt hash, is never returned, and can be checked.

import type { DirectivePlugin } from "../../core/plugin.ts";
import { passwordCheck } from "./check.ts";
import { hashPasswords } from "./hash-passwords.ts";
import { readSecrets } from "./secret-fields.ts";

/** `@secret`: a password of a type, kept as a bcrypt hash. */
export function secretPlugin(): DirectivePlugin {
  return {
    name: "secret",
    // The password check identifies a node by its keys, so `@id` must be read before.
    follows: ["identity"],
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: `
      "A password: stored as a hash, returned by no query, checked by check<Type>Password."
      directive @secret(field: String!, pred: String) on OBJECT | INTERFACE
    `,
    inherited: ["secret"],
    model(context) {
      const types = readSecrets(context);
      if (types.length === 0) return undefined;
      return {
        api: () => ({ roots: types.flatMap((type) => passwordCheck(type) ?? []) }),
        values: hashPasswords,
      };
    },
  };
}
