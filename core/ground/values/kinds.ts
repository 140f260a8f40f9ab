// The kinds of values as a list, for checks of what authors of plugins write.

import type { ValueKind } from "./value.ts";

const known = {
  string: true,
  int: true,
  int64: true,
  float: true,
  boolean: true,
  dateTime: true,
  geo: true,
  password: true,
  vector: true,
} satisfies Record<ValueKind, true>;

export const valueKinds: readonly string[] = Object.keys(known);
