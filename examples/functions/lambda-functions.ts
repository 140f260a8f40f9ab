// The functions that schema.graphql leaves to the application. Written by: quern types --functions schema.graphql

import type { FunctionCall, LambdaEvent } from "quern/plugins/lambda";

/** What every function gets. */
type Shared = Omit<FunctionCall, "args" | "parents" | "event">;
/** A function of a field of Query or Mutation. */
type RootFunction<Args, Result> = (
  call: Shared & { readonly args: Args; readonly parents: never; readonly event: never },
) => Result | Promise<Result>;
/** A function of a field of a type: it gives one value for each parent, in order. */
type FieldFunction<Args, Parent, Result> = (
  call: Shared & { readonly args: Args; readonly parents: readonly Parent[]; readonly event: never },
) => Results<Result> | Promise<Results<Result>>;
type Results<Result> = readonly (Result | Promise<Result> | Error)[];
/** A function of `@lambdaOnMutate`. */
type EventFunction<Event> = (
  call: Shared & { readonly args: never; readonly parents: never; readonly event: Omit<LambdaEvent, "add" | "update" | "delete"> & Event },
) => unknown;

export type AddHiveInput = { readonly label: string; readonly honey?: number | null };
/** For `lambdaPlugin({ functions })`. */
export type LambdaFunctions = {
  readonly "Hive.greeting": FieldFunction<
    Readonly<Record<never, never>>,
    { readonly label: string; readonly honey?: number },
    string | number | boolean | null
  >;
  readonly "Hive.weather": FieldFunction<
    Readonly<Record<never, never>>,
    { readonly label: string; readonly honey?: number },
    string | number | boolean | null
  >;
  readonly "Hive.add": EventFunction<{ readonly add: { readonly rootUIDs: readonly string[]; readonly input: readonly AddHiveInput[] } }>;
  readonly "Query.heaviest": RootFunction<Readonly<Record<never, never>>, string | number | boolean | null>;
};
