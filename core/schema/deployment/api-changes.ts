// Compares two APIs: breaking changes as the `graphql` package finds them, dangerous ones that a client can notice, and additions.

import {
  BreakingChangeType,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from "graphql";
import { compareText } from "../../ground/values/compare.ts";

/** One difference between two APIs. */
export interface ApiChange {
  /** `breaking`: valid requests become invalid, or responses change shape; `dangerous`: clients may receive values that they do not know. */
  readonly level: "breaking" | "dangerous" | "safe";
  readonly change: "added" | "changed" | "removed";
  /** As the `graphql` package names it: `FIELD_REMOVED`. */
  readonly type: string;
  /** The changed type: `Boat`. */
  readonly on: string;
  /** A sentence: `Boat.seats was removed.` */
  readonly description: string;
}

const levels = ["breaking", "dangerous", "safe"] as const;

/** The changes from `before` to `after`: breaking ones first, then sorted by description. */
export function apiChanges(before: GraphQLSchema, after: GraphQLSchema): readonly ApiChange[] {
  const breaking = findBreakingChanges(before, after).map(({ type, description }) => changeOf("breaking", type, description));
  const seen = new Set(breaking.map(({ description }) => description));
  const received = receivedTypes(after);
  const changes = [
    ...breaking,
    ...findDangerousChanges(before, after).map(({ type, description }) =>
      changeOf(isNoticed(type, description, received) ? "dangerous" : "safe", type, description),
    ),
    ...safeChanges(before, after)
      .filter(([, description]) => !seen.has(description))
      .map(([type, description]) => changeOf("safe", type, description)),
  ];
  return changes.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level) || compareText(a.description, b.description));
}

/** What a client may omit does not change what it receives. The package reports it all the same, since servers may behave differently. */
const omissible: ReadonlySet<string> = new Set([DangerousChangeType.OPTIONAL_ARG_ADDED, DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED]);

/** A new enum value is noticed if answers can contain it: not that of an enum that only filters and orders take. */
function isNoticed(type: string, description: string, received: ReadonlySet<string>): boolean {
  if (omissible.has(type)) return false;
  return type !== DangerousChangeType.VALUE_ADDED_TO_ENUM || received.has(subjectOf(description));
}

/** Names of the types of all fields that answers can have. */
function receivedTypes(schema: GraphQLSchema): ReadonlySet<string> {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type) && (isObjectType(type) || isInterfaceType(type)));
  return new Set(types.flatMap((type) => Object.values(fieldsOf(type)).map((field) => getNamedType(field.type).name)));
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
  const change = type === "TYPE_ADDED" || type === "FIELD_ADDED" || additive.has(type) ? "added" : type.includes("REMOVED") ? "removed" : "changed";
  return { level, change, type, on: subjectOf(description), description };
}

/** The package names the type only in its description: `A required field e on input type In was added.` */
function subjectOf(description: string): string {
  const [, behind] = /(?:(?:union|enum|input) type | implemented by | on (?!input type ))(\w+)/.exec(description) ?? [];
  return behind ?? /^\w*/.exec(description)?.[0] ?? "";
}

type Described = readonly [type: string, description: string];

/** New types and fields, and fields with a stricter type. The package reports all other additions. */
function safeChanges(before: GraphQLSchema, after: GraphQLSchema): readonly Described[] {
  return Object.values(after.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => changesIn(type, before.getType(type.name)));
}

function changesIn(type: GraphQLNamedType, before: GraphQLNamedType | undefined): readonly Described[] {
  if (before === undefined) return [["TYPE_ADDED", `${type.name} was added.`]];
  const then = fieldsOf(before);
  return Object.values(fieldsOf(type)).flatMap((field): readonly Described[] => {
    const name = `${type.name}.${field.name}`;
    const old = Object.hasOwn(then, field.name) ? then[field.name] : undefined;
    if (old === undefined) return isInputObjectType(type) ? [] : [["FIELD_ADDED", `${name}: ${String(field.type)} was added.`]];
    if (String(old.type) === String(field.type)) return [];
    return [["FIELD_CHANGED_KIND", `${name} changed type from ${String(old.type)} to ${String(field.type)}.`]];
  });
}

interface TypedField {
  readonly name: string;
  readonly type: GraphQLType;
}

function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, TypedField>> {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
}
