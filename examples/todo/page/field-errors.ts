// The errors of a mutation by the field of the form that they are about.

import { CombinedGraphQLErrors } from "@apollo/client/errors";

/** Messages by field name; "" for those that are about no single field, such as a server that does not answer. */
export function fieldErrors(error: Error | undefined): Readonly<Record<string, string>> {
  if (error === undefined) return {};
  if (!CombinedGraphQLErrors.is(error)) return { "": error.message };
  return Object.fromEntries(error.errors.map(({ message, extensions }) => [fieldOf(extensions?.input), message]));
}

/** `["input", 0, "title"]` leads to the field `title`. */
function fieldOf(input: unknown): string {
  const steps: readonly unknown[] = Array.isArray(input) ? input : [];
  return String(steps.findLast((step) => typeof step === "string") ?? "");
}
