// `@secret`: a password that is kept as a bcrypt hash, is never shown, and can be checked.

import type { DirectivePlugin } from "../../core/index.ts";
import { passwordCheck } from "./check.ts";
import { hashPasswords } from "./hash.ts";
import { readSecrets } from "./secrets.ts";

export function secretPlugin(): DirectivePlugin {
  return {
    name: "secret",
    // The check names a node by its keys, so these are recorded before.
    follows: ["identity"],
    // In the texts that clients of such servers know.
    validatesArguments: true,
    definitions: "directive @secret(field: String!, pred: String) on OBJECT | INTERFACE",
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
