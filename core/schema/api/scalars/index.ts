// The kernel's own scalars. `String` and `Boolean` are those of the `graphql` package.

import type { GraphQLScalarType } from "graphql";
import { dateTime } from "./date-time.ts";
import { float } from "./float.ts";
import { id } from "./id.ts";
import { int } from "./int.ts";
import { int64 } from "./int64.ts";

export const scalars: ReadonlyMap<string, GraphQLScalarType> = new Map([dateTime, float, id, int, int64].map((scalar) => [scalar.name, scalar]));
