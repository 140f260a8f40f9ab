// Options against a table of what fits: unknown names, missing ones, values of the wrong kind.

import { QuernError } from "../ground/errors.ts";
import { didYouMean } from "../ground/near-name.ts";

/** What fits each option, in words that follow `must be`. */
export interface OptionKind {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}
export type OptionKinds<Options> = { readonly [name in keyof Required<Options>]: OptionKind };

export interface OptionPlace {
  /** Begins the sentences: `The configuration`, `limits`. */
  readonly place: string;
  readonly required: readonly string[];
}

/** Problems of `options`; an option that is `undefined` counts as not given. */
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkOption(name: string, value: unknown, kinds: Readonly<Record<string, OptionKind>>, place: string): readonly string[] {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) {
    const names = Object.keys(kinds);
    return [`${place} has an unknown option "${name}"${didYouMean(name, names) || `; it takes ${names.join(", ")}.`}`];
  }
  return kind.fits(value) ? [] : [`${place} has a wrong ${name}: it must be ${kind.expected}.`];
}
