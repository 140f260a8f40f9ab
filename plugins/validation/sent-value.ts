// Whether a caller has sent the value that breaks a rule. Texts name such values alone: others may be made of what was stored, as a sum or a longer list is.

import { type ChangesContext, isObject, type Stored } from "../../core/plugin.ts";

type Sent = ChangesContext["mutation"];

/** Whether the mutation sets a field of this name to the value. */
export function isSent({ kind, arguments: { input } }: Sent, name: string, value: Stored): boolean {
  const given = kind === "add" ? [input] : membersOf(input, "set");
  return given.some((each) => membersOf(each, name).some((sent) => isSame(sent, value)));
}

/** The members of this name, at any depth. */
function membersOf(given: unknown, name: string): readonly unknown[] {
  if (Array.isArray(given)) return given.flatMap((each) => membersOf(each, name));
  if (!isObject(given)) return [];
  return Object.entries(given).flatMap(([member, inner]) => [...(member === name ? [inner] : []), ...membersOf(inner, name)]);
}

/** An Int64 may be a number or a text. A list is stored together with what was there. */
function isSame(given: unknown, value: Stored): boolean {
  return (
    !Array.isArray(value) && (typeof given === "string" || typeof given === "number" || typeof given === "bigint") && String(given) === String(value)
  );
}
