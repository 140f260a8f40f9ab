// Converts a thrown value to log facts: type, message, stack and causes. Other properties are omitted: drivers attach
// documents and connection strings to their errors.

import type { Json } from "../ground/values/value.ts";

const maxStack = 8_000;
const maxMessage = 2_000;
const maxCauses = 5;

export function faultFacts(thrown: unknown, causes = maxCauses): Json {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: cut(String(thrown), maxMessage) };
  const { name, message, stack, cause } = thrown;
  const code: unknown = "code" in thrown ? thrown.code : undefined;
  return {
    type: name,
    message: cut(message, maxMessage),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(stack === undefined ? {} : { stack: cut(stack, maxStack) }),
    ...(cause === undefined || causes === 0 ? {} : { cause: faultFacts(cause, causes - 1) }),
  };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
