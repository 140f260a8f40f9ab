// How long an input is: the work on it is bounded by what it holds.

/** Whether a value holds more than `most` members and elements, nested ones included. Looks at no more than these. */
export function holdsMoreThan(most: number, value: unknown): boolean {
  return left(most, value) < 0;
}

/** How many members and elements there is still room for; below 0: none. */
function left(room: number, value: unknown): number {
  if (typeof value !== "object" || value === null) return room;
  let rest = room;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    rest = left(rest - 1, each);
    if (rest < 0) return rest;
  }
  return rest;
}
