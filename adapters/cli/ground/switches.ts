// Texts that switch something on and off.

const off: ReadonlySet<string> = new Set(["0", "false", "no", "off"]);
const on: ReadonlySet<string> = new Set(["1", "true", "yes", "on"]);

/** Undefined: it is neither. */
export function readSwitch(text: string): boolean | undefined {
  const plain = text.toLowerCase();
  if (on.has(plain)) return true;
  return off.has(plain) ? false : undefined;
}
