// Checks options against a table of accepted values: reports unknown names, missing options and invalid values.

import { QuernError } from "../ground/errors.ts";
import { didYouMean } from "../ground/near-name.ts";

export { isObject } from "../ground/is-object.ts";

/** The values that an option accepts. */
export interface OptionKind {
  /** Whether an option may have the value. */
  readonly fits: (value: unknown) => boolean;
  /** Completes the sentence `it must be ...`. */
  readonly expected: string;
}
/** One entry for each option, so that the compiler reports a missing one. */
export type OptionKinds<Options> = { readonly [name in keyof Required<Options>]: OptionKind };

/** Which options object is checked. */
export interface OptionPlace {
  /** Subject of the messages: `The configuration`, `limits`. */
  readonly place: string;
  /** Names of options that must be present. */
  readonly required: readonly string[];
}

/** Problems of `options`, as `CONFIG_INVALID` errors; an option that is `undefined` counts as absent. */
export function checkOptions(
  options: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, OptionKind>>,
  { place, required }: OptionPlace,
): readonly QuernError[] {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const missing = required.filter((name) => options[name] === undefined);
  const messages = [
    ...given.flatMap(([name, value]) => checkOption(name, value, kinds, place)),
    ...missing.map((name) => `${place} has no ${name}; it must be ${kinds[name]?.expected}.`),
  ];
  return messages.map((message) => new QuernError("CONFIG_INVALID", message));
}

function checkOption(name: string, value: unknown, kinds: Readonly<Record<string, OptionKind>>, place: string): readonly string[] {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) {
    const names = Object.keys(kinds);
    return [`${place} has an unknown option "${name}"${didYouMean(name, names) || `; it takes ${names.join(", ")}.`}`];
  }
  return kind.fits(value) ? [] : [`${place} has a wrong ${name}: it must be ${kind.expected}.`];
}
