// How the server words its errors.

/**
 * `"plain"`: all mistakes of a schema at once, in words of this server. `"compatible"`: exactly the errors of Dgraph, in its number, order and words,
 * for clients and tools that compare them.
 */
export type ErrorStyle = "plain" | "compatible";

/** Every style. The first is the default. */
export const errorStyles: readonly ErrorStyle[] = ["plain", "compatible"];

/** For values of a configuration. */
export function isErrorStyle(value: unknown): value is ErrorStyle {
  return value === "plain" || value === "compatible";
}
