// Statements about the generated types, which the compiler proves. Nothing runs.

import { initGraphQLTada, type ResultOf, type VariablesOf } from "gql.tada";
import type { AddBoatInput, Boat, Kind, Named, QueryQueryBoatArgs, Sailor, SailorRef, Scalars, Thing } from "./generated/quern.d.ts";
import type { introspection } from "./generated/tada.d.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Proven<T extends true> = T;

const graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars }>();
const boats = graphql(
  "query ($built: DateTime, $first: Int) { queryBoat(filter: { built: { ge: $built } }, first: $first) { code seats built kind } }",
);

export type Proofs = [
  Proven<Equal<Kind, "TUG" | "FERRY">>,
  Proven<Equal<Boat["seats"], number | null>>,
  Proven<Equal<Boat["code"], string>>,
  Proven<Equal<Boat["crew"], ReadonlyArray<Sailor> | null>>,
  Proven<Equal<AddBoatInput["seats"], number | string | null | undefined>>,
  Proven<Equal<AddBoatInput["built"], string | number | null | undefined>>,
  Proven<Equal<AddBoatInput["crew"], ReadonlyArray<SailorRef> | null | undefined>>,
  Proven<Equal<QueryQueryBoatArgs["first"], number | null | undefined>>,
  Proven<Equal<Named["__typename"], "Boat">>,
  Proven<Equal<Thing["__typename"], "Boat" | "Sailor">>,
  Proven<{ built?: string; first: null } extends VariablesOf<typeof boats> ? true : false>,
  Proven<{ built: string; first: string } extends VariablesOf<typeof boats> ? false : true>,
  Proven<
    Equal<
      ResultOf<typeof boats>,
      { queryBoat: ({ code: string; seats: number | null; built: string | null; kind: "TUG" | "FERRY" | null } | null)[] | null }
    >
  >,
];
