// Checks the length of new passwords and hashes them on the thread pool.

import { type InputChanges, type InputObject, QuernError } from "../../core/plugin.ts";
import { passwordOf } from "./secret-fields.ts";

const rounds = 10;
const shortestBytes = 6;
/** bcrypt ignores further bytes. */
export const longestBytes = 72;

/** Replaces the password of an input object by its hash. Refuses a password that is too short or too long. */
export async function hashPasswords({ type, role, values }: InputObject): Promise<InputChanges | undefined> {
  const field = passwordOf(type);
  const given = field && values.get(field.name);
  if (!field || role === "remove" || typeof given !== "string") return undefined;
  const problem = lengthProblem(given);
  if (problem !== undefined) return { refuse: new QuernError("VALUE_INVALID", problem) };
  const { hash } = await import("bcrypt");
  return { values: new Map([[field.name, await hash(given, rounds)]]) };
}

function lengthProblem(password: string): string | undefined {
  const bytes = Buffer.byteLength(password);
  if (bytes < shortestBytes) return `Password too short, i.e. should have at least ${shortestBytes} chars`;
  return bytes > longestBytes ? `bcrypt: password length exceeds ${longestBytes} bytes` : undefined;
}
