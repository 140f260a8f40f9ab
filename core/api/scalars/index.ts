// Scalars that read values in our own way, by name.

import { GraphQLBoolean, type GraphQLScalarType, GraphQLString } from "graphql";
import { dateTimeScalar } from "./date-time.ts";
import { floatScalar } from "./float.ts";
import { idScalar } from "./id.ts";
import { intScalar } from "./int.ts";
import { int64Scalar } from "./int64.ts";

export const scalars: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [idScalar, intScalar, int64Scalar, floatScalar, dateTimeScalar, GraphQLString, GraphQLBoolean].map((each) => [
    each.name,
    each as GraphQLScalarType,
  ]),
);
