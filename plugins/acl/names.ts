// Names of users and groups, and predicates of rules.

const maxNameBytes = 512;

/** Why a name cannot be used; undefined: it can. */
export function nameProblem(name: string): string | undefined {
  if (!name.isWellFormed()) return "a name is not well-formed text";
  const bytes = Buffer.byteLength(name);
  return bytes > maxNameBytes ? `a name has at most ${maxNameBytes} bytes, and this one has ${bytes}` : undefined;
}
