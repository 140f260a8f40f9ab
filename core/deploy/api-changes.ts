// What another schema changes for clients: what breaks or endangers them as the `graphql` package judges it, and what is new.

import {
  BreakingChangeType,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from "graphql";
import { compareText } from "../values/compare.ts";

export interface ApiChange {
  /** `breaking`: requests that were valid are refused, or answers have another shape; `dangerous`: clients may meet what they did not know. */
  readonly level: "breaking" | "dangerous" | "safe";
  readonly change: "added" | "changed" | "removed";
  /** As the `graphql` package names it: `FIELD_REMOVED`. */
  readonly type: string;
  /** A sentence: `Boat.seats was removed.` */
  readonly description: string;
}

const levels = ["breaking", "dangerous", "safe"] as const;

/** Breaking ones first, then by their sentences. */
export function apiChanges(before: GraphQLSchema, after: GraphQLSchema): readonly ApiChange[] {
  const changes = [
    ...findBreakingChanges(before, after).map(({ type, description }) => changeOf("breaking", type, description)),
    ...findDangerousChanges(before, after).map(({ type, description }) => changeOf("dangerous", type, description)),
    ...additions(before, after).map(([type, description]) => changeOf("safe", type, description)),
  ];
  return changes.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level) || compareText(a.description, b.description));
}

const additive: ReadonlySet<string> = new Set([
  BreakingChangeType.REQUIRED_ARG_ADDED,
  BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED,
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
  DangerousChangeType.VALUE_ADDED_TO_ENUM,
  DangerousChangeType.TYPE_ADDED_TO_UNION,
  DangerousChangeType.IMPLEMENTED_INTERFACE_ADDED,
]);

function changeOf(level: ApiChange["level"], type: string, description: string): ApiChange {
  const change = level === "safe" || additive.has(type) ? "added" : type.includes("REMOVED") ? "removed" : "changed";
  return { level, change, type, description };
}

type Addition = readonly [type: string, description: string];

/** Types and fields; the other additions are dangerous, so the package finds them. */
function additions(before: GraphQLSchema, after: GraphQLSchema): readonly Addition[] {
  return Object.values(after.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => additionsIn(type, before.getType(type.name)));
}

function additionsIn(type: GraphQLNamedType, before: GraphQLNamedType | undefined): readonly Addition[] {
  if (before === undefined) return [["TYPE_ADDED", `${type.name} was added.`]];
  const [now, then] = [fieldsOf(type), fieldsOf(before)];
  return Object.values(now)
    .filter(({ name }) => !Object.hasOwn(then, name))
    .map((field) => ["FIELD_ADDED", `${type.name}.${field.name}: ${String(field.type)} was added.`] as const);
}

/** Of types that answer. New members of inputs count as dangerous already. */
function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  return (isObjectType(type) || isInterfaceType(type)) && !isInputObjectType(type) ? type.getFields() : {};
}
