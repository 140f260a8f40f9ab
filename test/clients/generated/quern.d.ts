// The API of harbor.graphql, for clients. Written by: quern types --client harbor.graphql

/** Scalars as answers contain them. */
export interface Scalars {
  readonly String: string;
  readonly Int: number;
  readonly ID: string;
  readonly Int64: number;
  readonly DateTime: string;
  readonly Float: number;
  readonly Boolean: boolean;
}

/** Scalars as variables take them. */
export interface ScalarInputs {
  readonly String: string;
  readonly Int: number;
  readonly ID: string | number;
  readonly Int64: number | string;
  readonly DateTime: string | number;
  readonly Float: number;
  readonly Boolean: boolean;
}

/** The codes of errors (`docs/errors.md`). */
export type QuernErrorCode =
  | "SCHEMA_INVALID"
  | "PLUGIN_MISSING"
  | "PLUGIN_CLASH"
  | "PLUGIN_FAILED"
  | "PLUGIN_TIMEOUT"
  | "CONFIG_INVALID"
  | "REQUEST_INVALID"
  | "REQUEST_REFUSED"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "PERSISTED_QUERY_NOT_FOUND"
  | "DOCUMENT_NOT_TRUSTED"
  | "LIMIT_REACHED"
  | "OVERLOADED"
  | "DRAINING"
  | "TOO_MANY_REQUESTS"
  | "CANCELLED"
  | "NO_SCHEMA"
  | "OPERATION_FAILED"
  | "NOT_EXECUTED"
  | "FIELD_FAILED"
  | "NOT_FOUND"
  | "VALUE_INVALID"
  | "VALUE_MISSING"
  | "OUT_OF_RANGE"
  | "BAD_FORMAT"
  | "NOT_UNIQUE"
  | "KEY_TAKEN"
  | "END_TAKEN"
  | "RESTRICTED"
  | "COUNT_MISMATCH"
  | "CONFLICT"
  | "STALE_LAYOUT"
  | "SUBSCRIPTION_EXPIRED"
  | "VIEW_EXPIRED"
  | "TOO_LARGE"
  | "MIGRATION_REFUSED"
  | "OUTCOME_UNKNOWN"
  | "COMMITTED"
  | "STORE_CLOSED"
  | "STORE_LOCKED"
  | "STORE_UNAVAILABLE"
  | "STORE_CORRUPT"
  | "ADDRESS_IN_USE"
  | "ADDRESS_UNAVAILABLE"
  | "INTERNAL";

/** `extensions` of an error. */
export interface QuernErrorExtensions {
  readonly code: QuernErrorCode;
  /** The same request may succeed when it is sent again. */
  readonly retryable: boolean;
  /** The place in the arguments that is at fault. */
  readonly input?: readonly (string | number)[];
  /** The directive that a value breaks, with its arguments. */
  readonly rule?: { readonly name: string; readonly [argument: string]: unknown };
}

export interface AddBoatInput {
  readonly name: ScalarInputs["String"];
  readonly code: ScalarInputs["String"];
  readonly seats?: ScalarInputs["Int64"] | null;
  readonly built?: ScalarInputs["DateTime"] | null;
  readonly place?: PointRef | null;
  readonly kind?: Kind | null;
  readonly crew?: ReadonlyArray<SailorRef> | null;
}

export interface AddBoatPayload {
  readonly __typename: "AddBoatPayload";
  readonly boat: ReadonlyArray<Boat | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of AddBoatPayload.boat. */
export interface AddBoatPayloadBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoatOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface AddBoxInput {
  readonly label: ScalarInputs["String"];
  readonly things?: ReadonlyArray<ThingRef> | null;
}

export interface AddBoxPayload {
  readonly __typename: "AddBoxPayload";
  readonly box: ReadonlyArray<Box | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of AddBoxPayload.box. */
export interface AddBoxPayloadBoxArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoxFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoxOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface AddSailorInput {
  readonly nick?: ScalarInputs["String"] | null;
  readonly boat?: BoatRef | null;
}

export interface AddSailorPayload {
  readonly __typename: "AddSailorPayload";
  readonly sailor: ReadonlyArray<Sailor | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of AddSailorPayload.sailor. */
export interface AddSailorPayloadSailorArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: SailorOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** A rule, or several in combination. */
export interface AuthRule {
  /** All of these hold. */
  readonly and?: ReadonlyArray<AuthRule | null> | null;
  /** One of these holds. */
  readonly or?: ReadonlyArray<AuthRule | null> | null;
  /** This one does not hold. */
  readonly not?: AuthRule | null;
  /** A query that must find the object: query($USER: String!) { queryTask(filter: { owner: { eq: $USER } }) { id } }. Or a condition on a claim: {$ROLE: { eq: "ADMIN" } }. */
  readonly rule?: ScalarInputs["String"] | null;
}

/**
 * Goes to sea.
 * *\/ is no end of it.
 */
export interface Boat {
  readonly __typename: "Boat";
  readonly name: Scalars["String"];
  readonly code: Scalars["String"];
  readonly seats: Scalars["Int64"] | null;
  readonly built: Scalars["DateTime"] | null;
  readonly place: Point | null;
  readonly kind: Kind | null;
  readonly crew: ReadonlyArray<Sailor> | null;
  readonly crewAggregate: SailorAggregateResult | null;
}

/** Arguments of Boat.crew. */
export interface BoatCrewArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: SailorOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Boat.crewAggregate. */
export interface BoatCrewAggregateArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
}

export interface BoatAggregateResult {
  readonly __typename: "BoatAggregateResult";
  readonly count: Scalars["Int"] | null;
  readonly nameMin: Scalars["String"] | null;
  readonly nameMax: Scalars["String"] | null;
  readonly codeMin: Scalars["String"] | null;
  readonly codeMax: Scalars["String"] | null;
  readonly seatsMin: Scalars["Int64"] | null;
  readonly seatsMax: Scalars["Int64"] | null;
  readonly seatsSum: Scalars["Int64"] | null;
  readonly seatsAvg: Scalars["Float"] | null;
  readonly builtMin: Scalars["DateTime"] | null;
  readonly builtMax: Scalars["DateTime"] | null;
}

export interface BoatFilter {
  readonly name?: StringExactFilter_StringTermFilter | null;
  readonly code?: StringHashFilter | null;
  readonly seats?: Int64Filter | null;
  readonly built?: DateTimeFilter | null;
  readonly place?: PointGeoFilter | null;
  readonly has?: ReadonlyArray<BoatHasFilter | null> | null;
  readonly and?: ReadonlyArray<BoatFilter | null> | null;
  readonly or?: ReadonlyArray<BoatFilter | null> | null;
  readonly not?: BoatFilter | null;
}

export type BoatHasFilter = "name" | "code" | "seats" | "built" | "place" | "kind" | "crew";

export interface BoatOrder {
  readonly asc?: BoatOrderable | null;
  readonly desc?: BoatOrderable | null;
  readonly then?: BoatOrder | null;
}

export type BoatOrderable = "name" | "code" | "seats" | "built";

export interface BoatPatch {
  readonly name?: ScalarInputs["String"] | null;
  readonly code?: ScalarInputs["String"] | null;
  readonly seats?: ScalarInputs["Int64"] | null;
  readonly built?: ScalarInputs["DateTime"] | null;
  readonly place?: PointRef | null;
  readonly kind?: Kind | null;
  readonly crew?: ReadonlyArray<SailorRef> | null;
}

export interface BoatRef {
  readonly name?: ScalarInputs["String"] | null;
  readonly code?: ScalarInputs["String"] | null;
  readonly seats?: ScalarInputs["Int64"] | null;
  readonly built?: ScalarInputs["DateTime"] | null;
  readonly place?: PointRef | null;
  readonly kind?: Kind | null;
  readonly crew?: ReadonlyArray<SailorRef> | null;
}

export interface Box {
  readonly __typename: "Box";
  readonly label: Scalars["String"];
  readonly things: ReadonlyArray<Thing> | null;
}

/** Arguments of Box.things. */
export interface BoxThingsArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: ThingFilter | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface BoxAggregateResult {
  readonly __typename: "BoxAggregateResult";
  readonly count: Scalars["Int"] | null;
  readonly labelMin: Scalars["String"] | null;
  readonly labelMax: Scalars["String"] | null;
}

export interface BoxFilter {
  readonly label?: StringHashFilter | null;
  readonly has?: ReadonlyArray<BoxHasFilter | null> | null;
  readonly and?: ReadonlyArray<BoxFilter | null> | null;
  readonly or?: ReadonlyArray<BoxFilter | null> | null;
  readonly not?: BoxFilter | null;
}

export type BoxHasFilter = "label" | "things";

export interface BoxOrder {
  readonly asc?: BoxOrderable | null;
  readonly desc?: BoxOrderable | null;
  readonly then?: BoxOrder | null;
}

export type BoxOrderable = "label";

export interface BoxPatch {
  readonly label?: ScalarInputs["String"] | null;
  readonly things?: ReadonlyArray<ThingRef> | null;
}

export interface BoxRef {
  readonly label?: ScalarInputs["String"] | null;
  readonly things?: ReadonlyArray<ThingRef> | null;
}

/** What an area contains: a point or another area. */
export interface ContainsFilter {
  /** Lies in the area. */
  readonly point?: PointRef | null;
  /** Lies in the area as a whole. */
  readonly polygon?: PolygonRef | null;
}

/** A request to another service, which resolves the field. */
export interface CustomHTTP {
  /** Its URL. $name stands for an argument, or for a field of the object. */
  readonly url: ScalarInputs["String"];
  /** Its method. With graphql: POST. */
  readonly method: HTTPMethod;
  /** A template of its JSON body: { hive: $id }. */
  readonly body?: ScalarInputs["String"] | null;
  /** The operation to send to a GraphQL service, without a selection set: query($id: ID!) { hive(id: $id) }. */
  readonly graphql?: ScalarInputs["String"] | null;
  /** Whether one request is for many objects. SINGLE when it is left out. */
  readonly mode?: Mode | null;
  /** Headers of the client's request that are passed on. */
  readonly forwardHeaders?: ReadonlyArray<ScalarInputs["String"]> | null;
  /** Headers from secrets of the schema, as Header:secret, or the name of both. */
  readonly secretHeaders?: ReadonlyArray<ScalarInputs["String"]> | null;
  /** As secretHeaders, for the question after the remote schema. */
  readonly introspectionHeaders?: ReadonlyArray<ScalarInputs["String"]> | null;
  /** Deploys without a look at the remote schema. */
  readonly skipIntrospection?: ScalarInputs["Boolean"] | null;
}

/** Compares instants. All conditions must hold. */
export interface DateTimeFilter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["DateTime"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["DateTime"] | null> | null;
  /** Less than or equal to. */
  readonly le?: ScalarInputs["DateTime"] | null;
  /** Less than. */
  readonly lt?: ScalarInputs["DateTime"] | null;
  /** Greater than or equal to. */
  readonly ge?: ScalarInputs["DateTime"] | null;
  /** Greater than. */
  readonly gt?: ScalarInputs["DateTime"] | null;
  /** From the one to the other, both included. */
  readonly between?: DateTimeRange | null;
}

/** From min to max, both included. */
export interface DateTimeRange {
  /** The lower bound. */
  readonly min: ScalarInputs["DateTime"];
  /** The upper bound. */
  readonly max: ScalarInputs["DateTime"];
}

export interface DeleteBoatPayload {
  readonly __typename: "DeleteBoatPayload";
  readonly boat: ReadonlyArray<Boat | null> | null;
  readonly msg: Scalars["String"] | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of DeleteBoatPayload.boat. */
export interface DeleteBoatPayloadBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoatOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface DeleteBoxPayload {
  readonly __typename: "DeleteBoxPayload";
  readonly box: ReadonlyArray<Box | null> | null;
  readonly msg: Scalars["String"] | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of DeleteBoxPayload.box. */
export interface DeleteBoxPayloadBoxArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoxFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoxOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface DeleteNamedPayload {
  readonly __typename: "DeleteNamedPayload";
  readonly named: ReadonlyArray<Named | null> | null;
  readonly msg: Scalars["String"] | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of DeleteNamedPayload.named. */
export interface DeleteNamedPayloadNamedArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: NamedFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: NamedOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface DeleteSailorPayload {
  readonly __typename: "DeleteSailorPayload";
  readonly sailor: ReadonlyArray<Sailor | null> | null;
  readonly msg: Scalars["String"] | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of DeleteSailorPayload.sailor. */
export interface DeleteSailorPayloadSailorArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: SailorOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** A default. */
export interface DgraphDefault {
  /** The value as text: "5", "true", or $now for the time of the request. */
  readonly value?: ScalarInputs["String"] | null;
}

/** The kinds of indexes that a field can have. */
export type DgraphIndex = "int" | "int64" | "float" | "bool" | "hash" | "exact" | "term" | "fulltext" | "trigram" | "regexp" | "year" | "month" | "day" | "hour" | "geo" | "hnsw";

/** All conditions must hold. */
export interface FloatFilter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["Float"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["Float"] | null> | null;
  /** Less than or equal to. */
  readonly le?: ScalarInputs["Float"] | null;
  /** Less than. */
  readonly lt?: ScalarInputs["Float"] | null;
  /** Greater than or equal to. */
  readonly ge?: ScalarInputs["Float"] | null;
  /** Greater than. */
  readonly gt?: ScalarInputs["Float"] | null;
  /** From the one to the other, both included. */
  readonly between?: FloatRange | null;
}

/** From min to max, both included. */
export interface FloatRange {
  /** The lower bound. */
  readonly min: ScalarInputs["Float"];
  /** The upper bound. */
  readonly max: ScalarInputs["Float"];
}

/** Mutations of a type. What is left out is on. */
export interface GenerateMutationParams {
  /** add<Type>. */
  readonly add?: ScalarInputs["Boolean"] | null;
  /** update<Type>. */
  readonly update?: ScalarInputs["Boolean"] | null;
  /** delete<Type>. */
  readonly delete?: ScalarInputs["Boolean"] | null;
}

/** Queries of a type. What is left out is on. */
export interface GenerateQueryParams {
  /** get<Type>: one object by its ID or key. */
  readonly get?: ScalarInputs["Boolean"] | null;
  /** query<Type>: a list. */
  readonly query?: ScalarInputs["Boolean"] | null;
  /** check<Type>Password. */
  readonly password?: ScalarInputs["Boolean"] | null;
  /** aggregate<Type>: counts, sums and the like. */
  readonly aggregate?: ScalarInputs["Boolean"] | null;
}

/** The method of a request. */
export type HTTPMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** All conditions must hold. */
export interface Int64Filter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["Int64"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["Int64"] | null> | null;
  /** Less than or equal to. */
  readonly le?: ScalarInputs["Int64"] | null;
  /** Less than. */
  readonly lt?: ScalarInputs["Int64"] | null;
  /** Greater than or equal to. */
  readonly ge?: ScalarInputs["Int64"] | null;
  /** Greater than. */
  readonly gt?: ScalarInputs["Int64"] | null;
  /** From the one to the other, both included. */
  readonly between?: Int64Range | null;
}

/** From min to max, both included. */
export interface Int64Range {
  /** The lower bound. */
  readonly min: ScalarInputs["Int64"];
  /** The upper bound. */
  readonly max: ScalarInputs["Int64"];
}

/** All conditions must hold. */
export interface IntFilter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["Int"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["Int"] | null> | null;
  /** Less than or equal to. */
  readonly le?: ScalarInputs["Int"] | null;
  /** Less than. */
  readonly lt?: ScalarInputs["Int"] | null;
  /** Greater than or equal to. */
  readonly ge?: ScalarInputs["Int"] | null;
  /** Greater than. */
  readonly gt?: ScalarInputs["Int"] | null;
  /** From the one to the other, both included. */
  readonly between?: IntRange | null;
}

/** From min to max, both included. */
export interface IntRange {
  /** The lower bound. */
  readonly min: ScalarInputs["Int"];
  /** The upper bound. */
  readonly max: ScalarInputs["Int"];
}

/** What an area has a point in common with: one other area or several. */
export interface IntersectsFilter {
  /** One area. */
  readonly polygon?: PolygonRef | null;
  /** Several areas; one of them is enough. */
  readonly multiPolygon?: MultiPolygonRef | null;
}

/** A kind of ship. */
export type Kind = "TUG" | "FERRY";

/** How many requests the field makes. */
export type Mode = "BATCH" | "SINGLE";

/** Several areas. */
export interface MultiPolygon {
  readonly __typename: "MultiPolygon";
  /** The areas, in any order. */
  readonly polygons: ReadonlyArray<Polygon>;
}

/** Several areas. */
export interface MultiPolygonRef {
  /** The areas, in any order. */
  readonly polygons: ReadonlyArray<PolygonRef>;
}

export interface Mutation {
  readonly __typename: "Mutation";
  readonly updateNamed: UpdateNamedPayload | null;
  readonly deleteNamed: DeleteNamedPayload | null;
  readonly addBoat: AddBoatPayload | null;
  readonly updateBoat: UpdateBoatPayload | null;
  readonly deleteBoat: DeleteBoatPayload | null;
  readonly addSailor: AddSailorPayload | null;
  readonly updateSailor: UpdateSailorPayload | null;
  readonly deleteSailor: DeleteSailorPayload | null;
  readonly addBox: AddBoxPayload | null;
  readonly updateBox: UpdateBoxPayload | null;
  readonly deleteBox: DeleteBoxPayload | null;
}

/** Arguments of Mutation.updateNamed. */
export interface MutationUpdateNamedArgs {
  /** `filter` chooses objects; `set` gives them values, and `remove` takes values away. */
  readonly input: UpdateNamedInput;
}

/** Arguments of Mutation.deleteNamed. */
export interface MutationDeleteNamedArgs {
  /** Chooses the objects to delete; `{}` chooses all. */
  readonly filter: NamedFilter;
}

/** Arguments of Mutation.addBoat. */
export interface MutationAddBoatArgs {
  /** The new objects. An object in an object is created too, or linked when it is named by its ID or key alone. */
  readonly input: ReadonlyArray<AddBoatInput>;
  /** Changes the object that has the same key, instead of refusing the new one. */
  readonly upsert?: ScalarInputs["Boolean"] | null;
}

/** Arguments of Mutation.updateBoat. */
export interface MutationUpdateBoatArgs {
  /** `filter` chooses objects; `set` gives them values, and `remove` takes values away. */
  readonly input: UpdateBoatInput;
}

/** Arguments of Mutation.deleteBoat. */
export interface MutationDeleteBoatArgs {
  /** Chooses the objects to delete; `{}` chooses all. */
  readonly filter: BoatFilter;
}

/** Arguments of Mutation.addSailor. */
export interface MutationAddSailorArgs {
  /** The new objects. An object in an object is created too, or linked when it is named by its ID or key alone. */
  readonly input: ReadonlyArray<AddSailorInput>;
}

/** Arguments of Mutation.updateSailor. */
export interface MutationUpdateSailorArgs {
  /** `filter` chooses objects; `set` gives them values, and `remove` takes values away. */
  readonly input: UpdateSailorInput;
}

/** Arguments of Mutation.deleteSailor. */
export interface MutationDeleteSailorArgs {
  /** Chooses the objects to delete; `{}` chooses all. */
  readonly filter: SailorFilter;
}

/** Arguments of Mutation.addBox. */
export interface MutationAddBoxArgs {
  /** The new objects. An object in an object is created too, or linked when it is named by its ID or key alone. */
  readonly input: ReadonlyArray<AddBoxInput>;
  /** Changes the object that has the same key, instead of refusing the new one. */
  readonly upsert?: ScalarInputs["Boolean"] | null;
}

/** Arguments of Mutation.updateBox. */
export interface MutationUpdateBoxArgs {
  /** `filter` chooses objects; `set` gives them values, and `remove` takes values away. */
  readonly input: UpdateBoxInput;
}

/** Arguments of Mutation.deleteBox. */
export interface MutationDeleteBoxArgs {
  /** Chooses the objects to delete; `{}` chooses all. */
  readonly filter: BoxFilter;
}

export interface Named {
  readonly __typename: "Boat";
  readonly name: Scalars["String"];
}

export interface NamedAggregateResult {
  readonly __typename: "NamedAggregateResult";
  readonly count: Scalars["Int"] | null;
  readonly nameMin: Scalars["String"] | null;
  readonly nameMax: Scalars["String"] | null;
}

export interface NamedFilter {
  readonly name?: StringExactFilter_StringTermFilter | null;
  readonly has?: ReadonlyArray<NamedHasFilter | null> | null;
  readonly and?: ReadonlyArray<NamedFilter | null> | null;
  readonly or?: ReadonlyArray<NamedFilter | null> | null;
  readonly not?: NamedFilter | null;
}

export type NamedHasFilter = "name";

export interface NamedOrder {
  readonly asc?: NamedOrderable | null;
  readonly desc?: NamedOrderable | null;
  readonly then?: NamedOrder | null;
}

export type NamedOrderable = "name";

export interface NamedPatch {
  readonly name?: ScalarInputs["String"] | null;
}

/** A circle. */
export interface NearFilter {
  /** Its radius in metres. */
  readonly distance: ScalarInputs["Float"];
  /** Its centre. */
  readonly coordinate: PointRef;
}

/** A place on the earth (WGS 84). */
export interface Point {
  readonly __typename: "Point";
  /** Degrees east of Greenwich, from -180 to 180. */
  readonly longitude: Scalars["Float"];
  /** Degrees north of the equator, from -90 to 90. */
  readonly latitude: Scalars["Float"];
}

/** Compares places. All conditions must hold. */
export interface PointGeoFilter {
  /** Is at most so far away. */
  readonly near?: NearFilter | null;
  /** Lies in an area. */
  readonly within?: WithinFilter | null;
}

/** A closed line. */
export interface PointList {
  readonly __typename: "PointList";
  /** The last point is the first one again. */
  readonly points: ReadonlyArray<Point>;
}

/** A closed line. */
export interface PointListRef {
  /** The last point is the first one again. */
  readonly points: ReadonlyArray<PointRef>;
}

/** A place on the earth (WGS 84). */
export interface PointRef {
  /** Degrees east of Greenwich, from -180 to 180. */
  readonly longitude: ScalarInputs["Float"];
  /** Degrees north of the equator, from -90 to 90. */
  readonly latitude: ScalarInputs["Float"];
}

/** An area, possibly with holes. */
export interface Polygon {
  readonly __typename: "Polygon";
  /** The outer line, then the lines of the holes. */
  readonly coordinates: ReadonlyArray<PointList>;
}

/** Compares areas. All conditions must hold. */
export interface PolygonGeoFilter {
  /** Some of it is at most so far away. */
  readonly near?: NearFilter | null;
  /** Lies in an area as a whole. */
  readonly within?: WithinFilter | null;
  /** Contains a point or an area. */
  readonly contains?: ContainsFilter | null;
  /** Has a point in common with an area. */
  readonly intersects?: IntersectsFilter | null;
}

/** An area, possibly with holes. */
export interface PolygonRef {
  /** The outer line, then the lines of the holes. */
  readonly coordinates: ReadonlyArray<PointListRef>;
}

export interface Query {
  readonly __typename: "Query";
  readonly queryNamed: ReadonlyArray<Named | null> | null;
  readonly aggregateNamed: NamedAggregateResult | null;
  readonly getBoat: Boat | null;
  readonly queryBoat: ReadonlyArray<Boat | null> | null;
  readonly aggregateBoat: BoatAggregateResult | null;
  readonly getSailor: Sailor | null;
  readonly querySailor: ReadonlyArray<Sailor | null> | null;
  readonly aggregateSailor: SailorAggregateResult | null;
  readonly getBox: Box | null;
  readonly queryBox: ReadonlyArray<Box | null> | null;
  readonly aggregateBox: BoxAggregateResult | null;
}

/** Arguments of Query.queryNamed. */
export interface QueryQueryNamedArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: NamedFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: NamedOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Query.aggregateNamed. */
export interface QueryAggregateNamedArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: NamedFilter | null;
}

/** Arguments of Query.getBoat. */
export interface QueryGetBoatArgs {
  /** The value of this field in the object; no two objects have the same. */
  readonly code: ScalarInputs["String"];
}

/** Arguments of Query.queryBoat. */
export interface QueryQueryBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoatOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Query.aggregateBoat. */
export interface QueryAggregateBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
}

/** Arguments of Query.getSailor. */
export interface QueryGetSailorArgs {
  /** The ID of the object. */
  readonly id: ScalarInputs["ID"];
}

/** Arguments of Query.querySailor. */
export interface QueryQuerySailorArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: SailorOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Query.aggregateSailor. */
export interface QueryAggregateSailorArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
}

/** Arguments of Query.getBox. */
export interface QueryGetBoxArgs {
  /** The value of this field in the object; no two objects have the same. */
  readonly label: ScalarInputs["String"];
}

/** Arguments of Query.queryBox. */
export interface QueryQueryBoxArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoxFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoxOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Query.aggregateBox. */
export interface QueryAggregateBoxArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoxFilter | null;
}

export interface Sailor {
  readonly __typename: "Sailor";
  readonly id: Scalars["ID"];
  readonly nick: Scalars["String"] | null;
  readonly boat: Boat | null;
}

/** Arguments of Sailor.boat. */
export interface SailorBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
}

export interface SailorAggregateResult {
  readonly __typename: "SailorAggregateResult";
  readonly count: Scalars["Int"] | null;
  readonly nickMin: Scalars["String"] | null;
  readonly nickMax: Scalars["String"] | null;
}

export interface SailorFilter {
  readonly id?: ReadonlyArray<ScalarInputs["ID"]> | null;
  readonly has?: ReadonlyArray<SailorHasFilter | null> | null;
  readonly and?: ReadonlyArray<SailorFilter | null> | null;
  readonly or?: ReadonlyArray<SailorFilter | null> | null;
  readonly not?: SailorFilter | null;
}

export type SailorHasFilter = "nick" | "boat";

export interface SailorOrder {
  readonly asc?: SailorOrderable | null;
  readonly desc?: SailorOrderable | null;
  readonly then?: SailorOrder | null;
}

export type SailorOrderable = "nick";

export interface SailorPatch {
  readonly nick?: ScalarInputs["String"] | null;
  readonly boat?: BoatRef | null;
}

export interface SailorRef {
  readonly id?: ScalarInputs["ID"] | null;
  readonly nick?: ScalarInputs["String"] | null;
  readonly boat?: BoatRef | null;
}

/** Compares whole texts, by their bytes in UTF-8. All conditions must hold. */
export interface StringExactFilter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["String"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["String"] | null> | null;
  /** Less than or equal to. */
  readonly le?: ScalarInputs["String"] | null;
  /** Less than. */
  readonly lt?: ScalarInputs["String"] | null;
  /** Greater than or equal to. */
  readonly ge?: ScalarInputs["String"] | null;
  /** Greater than. */
  readonly gt?: ScalarInputs["String"] | null;
  /** From the one to the other, both included. */
  readonly between?: StringRange | null;
}

export interface StringExactFilter_StringTermFilter {
  readonly eq?: ScalarInputs["String"] | null;
  readonly in?: ReadonlyArray<ScalarInputs["String"] | null> | null;
  readonly le?: ScalarInputs["String"] | null;
  readonly lt?: ScalarInputs["String"] | null;
  readonly ge?: ScalarInputs["String"] | null;
  readonly gt?: ScalarInputs["String"] | null;
  readonly between?: StringRange | null;
  readonly allofterms?: ScalarInputs["String"] | null;
  readonly anyofterms?: ScalarInputs["String"] | null;
}

/** Searches words by their stems, without stop words. */
export interface StringFullTextFilter {
  /** Has all of these words, in any of their forms. */
  readonly alloftext?: ScalarInputs["String"] | null;
  /** Has one of these words or more, in any of their forms. */
  readonly anyoftext?: ScalarInputs["String"] | null;
}

/** Compares whole texts. */
export interface StringHashFilter {
  /** Equal to. Null matches objects without a value. */
  readonly eq?: ScalarInputs["String"] | null;
  /** One of. */
  readonly in?: ReadonlyArray<ScalarInputs["String"] | null> | null;
}

/** Searches phrases by the stems of their words. */
export interface StringNgramFilter {
  /** Has these words beside each other, in this order. */
  readonly ngram?: ScalarInputs["String"] | null;
}

/** From min to max, both included. */
export interface StringRange {
  /** The lower bound. */
  readonly min: ScalarInputs["String"];
  /** The upper bound. */
  readonly max: ScalarInputs["String"];
}

/** Searches by regular expressions. */
export interface StringRegExpFilter {
  /** /pattern/ or /pattern/i, in the syntax of RE2. It may match anywhere in the text. */
  readonly regexp?: ScalarInputs["String"] | null;
}

/** Searches words, in any case and order. */
export interface StringTermFilter {
  /** Has all of these words. */
  readonly allofterms?: ScalarInputs["String"] | null;
  /** Has one of these words or more. */
  readonly anyofterms?: ScalarInputs["String"] | null;
}

export interface Subscription {
  readonly __typename: "Subscription";
  readonly getBoat: Boat | null;
  readonly queryBoat: ReadonlyArray<Boat | null> | null;
  readonly aggregateBoat: BoatAggregateResult | null;
}

/** Arguments of Subscription.getBoat. */
export interface SubscriptionGetBoatArgs {
  /** The value of this field in the object; no two objects have the same. */
  readonly code: ScalarInputs["String"];
}

/** Arguments of Subscription.queryBoat. */
export interface SubscriptionQueryBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoatOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** Arguments of Subscription.aggregateBoat. */
export interface SubscriptionAggregateBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
}

export type Thing = Boat | Sailor;

export interface ThingFilter {
  readonly memberTypes?: ReadonlyArray<ThingType> | null;
  readonly boatFilter?: BoatFilter | null;
  readonly sailorFilter?: SailorFilter | null;
}

export interface ThingRef {
  readonly boatRef?: BoatRef | null;
  readonly sailorRef?: SailorRef | null;
}

export type ThingType = "Boat" | "Sailor";

export interface UpdateBoatInput {
  readonly filter: BoatFilter;
  readonly set?: BoatPatch | null;
  readonly remove?: BoatPatch | null;
}

export interface UpdateBoatPayload {
  readonly __typename: "UpdateBoatPayload";
  readonly boat: ReadonlyArray<Boat | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of UpdateBoatPayload.boat. */
export interface UpdateBoatPayloadBoatArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoatFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoatOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface UpdateBoxInput {
  readonly filter: BoxFilter;
  readonly set?: BoxPatch | null;
  readonly remove?: BoxPatch | null;
}

export interface UpdateBoxPayload {
  readonly __typename: "UpdateBoxPayload";
  readonly box: ReadonlyArray<Box | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of UpdateBoxPayload.box. */
export interface UpdateBoxPayloadBoxArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: BoxFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: BoxOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface UpdateNamedInput {
  readonly filter: NamedFilter;
  readonly set?: NamedPatch | null;
  readonly remove?: NamedPatch | null;
}

export interface UpdateNamedPayload {
  readonly __typename: "UpdateNamedPayload";
  readonly named: ReadonlyArray<Named | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of UpdateNamedPayload.named. */
export interface UpdateNamedPayloadNamedArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: NamedFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: NamedOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

export interface UpdateSailorInput {
  readonly filter: SailorFilter;
  readonly set?: SailorPatch | null;
  readonly remove?: SailorPatch | null;
}

export interface UpdateSailorPayload {
  readonly __typename: "UpdateSailorPayload";
  readonly sailor: ReadonlyArray<Sailor | null> | null;
  readonly numUids: Scalars["Int"] | null;
}

/** Arguments of UpdateSailorPayload.sailor. */
export interface UpdateSailorPayloadSailorArgs {
  /** Leaves only objects that satisfy it. */
  readonly filter?: SailorFilter | null;
  /** Orders by a field, then by the fields in `then`. Objects without a value come last. Without it: the order in which objects were created. */
  readonly order?: SailorOrder | null;
  /** Returns at most this many. 0 is no limit; without an order, a negative number returns the last ones. */
  readonly first?: ScalarInputs["Int"] | null;
  /** Leaves out this many at the start. */
  readonly offset?: ScalarInputs["Int"] | null;
}

/** A change of an object. */
export type WebhookChange = "ADD" | "UPDATE" | "DELETE";

/** An area that something lies in. */
export interface WithinFilter {
  /** Its border counts as inside. */
  readonly polygon: PolygonRef;
}
