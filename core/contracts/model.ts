// A deployed schema as the kernel sees it: types, fields, links and keys with the facts that plugins recorded on them.
// No directive appears here by name; what a directive means is a fact.

import type {
  EnumTypeDefinitionNode,
  FieldDefinitionNode,
  InterfaceTypeDefinitionNode,
  ObjectTypeDefinitionNode,
  UnionTypeDefinitionNode,
} from "graphql";
import type { EndName, FieldName, TypeName, ValueKind } from "../ground/values/value.ts";

export interface Model {
  /** Objects and interfaces that are stored, in source order. */
  readonly nodeTypes: ReadonlyMap<string, NodeType>;
  readonly unions: ReadonlyMap<string, UnionType>;
  readonly enums: ReadonlyMap<string, EnumType>;
}

/** An object type or an interface of the client's schema whose nodes are stored. */
export interface NodeType {
  readonly kind: "object" | "interface";
  readonly name: string;
  /** After inheritance. */
  readonly definition: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
  /** The name that storage uses for nodes of this type, and before the dot in its fields' names. */
  readonly stored: TypeName;
  /** In the order of the generated schema, inherited ones in place; input-only fields come last. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The field of type ID. */
  readonly idField: Field | undefined;
  /** Fields that are unique keys of their own and that clients may identify a node by, in declared order. */
  readonly keys: readonly Key[];
  /** Interfaces it implements, in written order. */
  readonly interfaces: readonly NodeType[];
  /** Concrete types: itself for an object, the types that implement it for an interface. */
  readonly members: readonly NodeType[];
  /**
   * False for an operation (`get`, `query`, `aggregate`, `add`, `update`, `delete`, or a plugin's own word) that a plugin switched off, and for
   * `subscription` (its queries as live root fields) unless a plugin switched it on.
   */
  allows(operation: string): boolean;
}

export interface UnionType {
  readonly kind: "union";
  readonly name: string;
  readonly definition: UnionTypeDefinitionNode;
  readonly members: readonly NodeType[];
}

export interface EnumType {
  readonly name: string;
  readonly definition: EnumTypeDefinitionNode;
  readonly values: ReadonlySet<string>;
}

/** `[String!]!` is `{name: "String", list: true, nonNull: true, itemNonNull: true}`. */
export interface FieldType {
  readonly name: string;
  readonly list: boolean;
  readonly nonNull: boolean;
  /** Only for lists. */
  readonly itemNonNull: boolean;
}

export type Field = IdField | ValueField | LinkField | ComputedModelField;

interface FieldBase {
  readonly name: string;
  readonly owner: NodeType;
  /** The interface that declares it, else `owner`. */
  readonly origin: NodeType;
  readonly definition: FieldDefinitionNode;
  readonly type: FieldType;
  readonly exposure: Exposure;
}

/** The node's own id. */
export interface IdField extends FieldBase {
  readonly role: "id";
}

/** A scalar, enum or geo value, or a list of them. */
export interface ValueField extends FieldBase {
  readonly role: "value";
  readonly kind: ValueKind;
  readonly stored: FieldName;
  readonly enum: EnumType | undefined;
  /** May be left out where the type says `!`, because something fills it in. */
  readonly optionalOnAdd: boolean;
  /** BCP 47 tag by which texts of this field are ordered. */
  readonly collation: string | undefined;
}

export interface LinkField extends FieldBase {
  readonly role: "link";
  readonly stored: EndName;
  readonly target: NodeType | UnionType;
  /** The field at the other side of the same edge, as the client declared or a plugin inferred it. With an interface as target: the interface's field. */
  readonly inverse: LinkField | undefined;
  /** The field it reads backwards: a view of another field's links. */
  readonly reverseOf: LinkField | undefined;
}

/** Not stored: a plugin computes it. */
export interface ComputedModelField extends FieldBase {
  readonly role: "computed";
}

/** Where a field shows in the generated API. The kernel decides by type; plugins take away or add. */
export interface Exposure {
  /** Selectable on the type. */
  readonly output: boolean;
  /** In Add, Patch and Ref inputs. */
  readonly input: boolean;
  /** Nameable in `has`. */
  readonly has: boolean;
  /** Nameable in `order`. */
  readonly order: boolean;
  /** Links: takes `filter`, `order`, `first`, `offset` and has an aggregate companion. */
  readonly arguments: boolean;
  /** `range`: Min and Max; `sum`: these, Sum and Avg. */
  readonly aggregate: "none" | "range" | "sum";
}

/** One field that names a node. */
export interface Key {
  readonly field: ValueField;
  /** Object types among which a value is unique: the type itself, or all that implement an interface. */
  readonly scope: readonly NodeType[];
  /** The interface whose implementers share the key, when that is what `scope` holds. */
  readonly across: NodeType | undefined;
}
