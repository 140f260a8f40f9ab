// Supplies default values for the fields that an input object omits.

import { type InputChanges, type InputObject, QuernError, type Stored, type ValueField } from "../../core/plugin.ts";
import { type Default, now } from "./defaults.ts";
import { valueOfText } from "./value-of-text.ts";

/** An explicit null is a value and gets no default. A default that does not fit the field's type refuses the object. */
export function fillIn({ role, values }: InputObject, defaults: readonly Default[], time: string): InputChanges | undefined {
  if (role === "remove") return undefined;
  const absent = defaults.filter(({ field }) => !values.has(field.name));
  if (absent.length === 0) return undefined;
  try {
    return { whenCreated: filled(absent, "add", time), whenUpdated: filled(absent, "update", time) };
  } catch (error) {
    if (error instanceof QuernError) return { refuse: error };
    throw error;
  }
}

function filled(defaults: readonly Default[], when: "add" | "update", time: string): ReadonlyMap<string, Stored> {
  return new Map(
    defaults.flatMap((each) => {
      const text = each[when];
      return text === undefined ? [] : [[each.field.name, valueFor(each.field, text === now ? time : text)] as const];
    }),
  );
}

function valueFor(field: ValueField, text: string): Stored {
  const value = valueOfText(field, text);
  if (value !== undefined) return value;
  throw new QuernError("VALUE_INVALID", `the default "${text}" of ${field.owner.name}.${field.name} is no ${field.type.name}`);
}
