// Definitions of the served schema as data, before they are printed.

import type { ConstDirectiveNode } from "graphql";
import type { Location } from "../../ground/errors.ts";

/** A type of the API. */
export type Definition = FieldsDefinition | EnumDefinition | UnionDefinition | ScalarDefinition;

interface DefinitionBase {
  readonly name: string;
  readonly description?: string | undefined;
  readonly directives?: readonly ConstDirectiveNode[];
  /** The type of the schema that it is generated for. */
  readonly generatedFor?: string;
  /** Its location in the schema text. */
  readonly location?: Location | undefined;
}

/** A type with members. */
export interface FieldsDefinition extends DefinitionBase {
  readonly kind: "type" | "interface" | "input";
  readonly interfaces?: readonly string[];
  readonly members: readonly Member[];
  /** An input with fewer members is removed. */
  readonly atLeast?: number;
}

/** An enum. */
export interface EnumDefinition extends DefinitionBase {
  readonly kind: "enum";
  readonly values: readonly EnumValue[];
}

/** A union of types. */
export interface UnionDefinition extends DefinitionBase {
  readonly kind: "union";
  readonly members: readonly string[];
}

/** A scalar. */
export interface ScalarDefinition extends DefinitionBase {
  readonly kind: "scalar";
}

/** A field of a type or an interface, or a member of an input. */
export interface Member {
  readonly name: string;
  /** As in SDL: `[String!]`. */
  readonly type: string;
  readonly arguments?: readonly Argument[];
  readonly description?: string | undefined;
  readonly directives?: readonly ConstDirectiveNode[];
}

/** An argument of a field. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  /** In SDL. */
  readonly defaultValue?: string | undefined;
  /** Served by introspection; not part of the printed schema. */
  readonly description?: string | undefined;
}

/** A value of an enum. */
export interface EnumValue {
  readonly name: string;
  readonly description?: string | undefined;
}

/** `Boat` of `[Boat!]!`. */
export function namedType(type: string): string {
  return type.replace(/[[\]!]/g, "");
}

/** `[String!]` of `[String!]!`. */
export function nullable(type: string): string {
  return type.endsWith("!") ? type.slice(0, -1) : type;
}

/** How the description of an argument begins that names an object only together with others. */
export const partOfKey = "A part of a key,";

/** Whether an argument of a `get` query, as introspection describes it, names no object alone: it is a part of a key within other fields. */
export function isPartOfKey({ description }: { readonly description?: string | null | undefined }): boolean {
  return description?.startsWith(partOfKey) === true;
}
