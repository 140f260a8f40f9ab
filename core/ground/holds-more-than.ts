// How long an input is: the work on it is bounded by what it holds.

/** Whether a value holds more than `most` members and elements, nested ones included. Looks at no more than these. */
export function holdsMoreThan(most: number, value: unknown): boolean {
  return left(most, value) < 0;
}

/** How many members and elements there is still room for; below 0: none. */
function left(room: number, value: unknown): number {
  if (typeof value !== "object" || value === null) return room;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let rest = room - members.length;
  for (let i = 0; i < members.length && rest >= 0; i++) rest = left(rest, members[i]);
  return rest;
}
