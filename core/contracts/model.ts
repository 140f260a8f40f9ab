// The client's schema as the kernel and plugins see it: types, fields, links and keys, with the facts that plugins recorded on them.
// Directives do not appear by name: a plugin translates them into facts.

import type {
  EnumTypeDefinitionNode,
  FieldDefinitionNode,
  InterfaceTypeDefinitionNode,
  ObjectTypeDefinitionNode,
  UnionTypeDefinitionNode,
} from "graphql";
import type { EndName, FieldName, TypeName, ValueKind } from "../ground/values/value.ts";

/**
 * A deployed schema. To look up a field:
 *
 *     const field = model.nodeTypes.get("Author")?.fields.get("name");
 *     if (field?.role === "value") console.log(field.kind, field.stored); // string Author.name
 */
export interface Model {
  /** The stored object types and interfaces by name, in source order. */
  readonly nodeTypes: ReadonlyMap<string, NodeType>;
  /** By name. */
  readonly unions: ReadonlyMap<string, UnionType>;
  /** By name. */
  readonly enums: ReadonlyMap<string, EnumType>;
}

/**
 * An object type or interface of the client's schema whose nodes are stored. An interface has no nodes of its own: to read all of them, name its members.
 *
 *     const types = nodeType.members.map(({ stored }) => stored); // of interface Vessel: ["Ketch", "Yawl"]
 */
export interface NodeType {
  readonly kind: "object" | "interface";
  readonly name: string;
  /** As written, with the fields and directives that it inherits. */
  readonly definition: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
  /** The type's storage name, which is also the prefix of its fields' storage names: `Author` in `Author.name`. */
  readonly stored: TypeName;
  /** By name, in the order of the generated schema. Inherited fields are in place; input-only fields come last. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The field of type `ID`. */
  readonly idField: Field | undefined;
  /** The unique keys by which clients may identify a node, in declared order. */
  readonly keys: readonly Key[];
  /** The keys that are unique within others of its fields, in declared order. None of them is in `keys`: its field alone identifies no node. */
  readonly scopedKeys: readonly ScopedKey[];
  /** The interfaces that it implements, in written order. */
  readonly interfaces: readonly NodeType[];
  /** Its concrete types: of an object type itself, of an interface the types that implement it. */
  readonly members: readonly NodeType[];
  /**
   * Whether the API offers an operation on the type: `get`, `query`, `aggregate`, `add`, `update`, `delete`, or a plugin's own word. True unless
   * a plugin disabled it. `subscription` (its queries as fields of `Subscription`) and `connection` (its list in pages by cursors) are false unless a
   * plugin enabled them.
   */
  allows(operation: string): boolean;
}

/**
 * A union of stored types: `union Item = Post | Picture`. Links may lead to it, and its members need not have a field in common.
 *
 *     const types = union.members.flatMap(({ members }) => members.map(({ stored }) => stored)); // ["Post", "Picture"]
 */
export interface UnionType {
  readonly kind: "union";
  readonly name: string;
  /** As written, with the directives of the schema. */
  readonly definition: UnionTypeDefinitionNode;
  /** The types that it lists. */
  readonly members: readonly NodeType[];
}

/**
 * An enum of the client's schema. Its values are stored by their names:
 *
 *     model.enums.get("Status")?.values.has("OPEN"); // enum Status { OPEN CLOSED }: true
 */
export interface EnumType {
  readonly name: string;
  /** As written, with the directives of the schema. */
  readonly definition: EnumTypeDefinitionNode;
  /** The names of its values. */
  readonly values: ReadonlySet<string>;
}

/** A field's GraphQL type: `[String!]!` is `{ name: "String", list: true, nonNull: true, itemNonNull: true }`. */
export interface FieldType {
  /** The named type, without list and non-null. */
  readonly name: string;
  readonly list: boolean;
  /** Whether the field itself is non-null. */
  readonly nonNull: boolean;
  /** Of a list: whether its items are non-null. Otherwise false. */
  readonly itemNonNull: boolean;
}

/**
 * A field of a stored type. `role` says what it holds:
 *
 *     type Author {
 *       id: ID!             # id: the node's uid, not stored
 *       name: String! @id   # value
 *       posts: [Post]       # link
 *       age: Int @lambda    # computed, because a plugin says so
 *     }
 */
export type Field = IdField | ValueField | LinkField | ComputedModelField;

interface FieldBase {
  readonly name: string;
  /** The type that this field belongs to. A type that inherits a field has a `Field` of its own. */
  readonly owner: NodeType;
  /** The interface that declares the field; `owner` when it is not inherited. */
  readonly origin: NodeType;
  readonly definition: FieldDefinitionNode;
  readonly type: FieldType;
  /** Where the generated API shows it. */
  readonly exposure: Exposure;
}

/**
 * The field of type `ID`: the node's uid, which the storage gives. Clients see it as a text in hexadecimal: `"0x1f"`. It has no storage name;
 * a condition on it names uids:
 *
 *     const those: Predicate = { kind: "uids", uids: [31] };
 */
export interface IdField extends FieldBase {
  readonly role: "id";
}

/**
 * A field that holds a scalar, an enum value or a geometry, or a list of these. What a plugin needs to read or compare its values:
 *
 *     const owned: Predicate = { kind: "compare", field: field.stored, op: "eq", operands: [user] };
 */
export interface ValueField extends FieldBase {
  readonly role: "value";
  /** How values are stored, compared and ordered. A list field of kind `vector` stores its whole list as one value. */
  readonly kind: ValueKind;
  /** Its storage name: `Author.name`. */
  readonly stored: FieldName;
  /** Set when the values are those of an enum. */
  readonly enum: EnumType | undefined;
  /** True: an add may omit the field although it is non-null, because a plugin supplies the value. */
  readonly optionalOnAdd: boolean;
  /** Callers get other values than the stored ones (`Hooks.shown`): nothing may compare or group them. Known when all `model` hooks have run. */
  readonly transformed: boolean;
  /** The BCP 47 language tag by which its texts sort. Undefined: by UTF-8 bytes. */
  readonly collation: string | undefined;
}

/**
 * A field that leads to other nodes. `stored` is the end that `Snapshot.follow` reads and changes write:
 *
 *     const { nodes } = await snapshot.follow({ from: [uid], end: field.stored, types: ["Post"], fields: [] });
 */
export interface LinkField extends FieldBase {
  readonly role: "link";
  /** Its storage name: `Author.posts`. */
  readonly stored: EndName;
  /** The declared type of the nodes that it leads to. */
  readonly target: NodeType | UnionType;
  /** The field at the other side of the edge, declared by the client or inferred by a plugin. When the target is an interface: the interface's field. */
  readonly inverse: LinkField | undefined;
  /** The field whose links this one shows from the other side, read-only. */
  readonly reverseOf: LinkField | undefined;
}

/**
 * A field that is not stored: a plugin computes its values (`ApiAdditions.computed`). It has no storage name, so a plugin that needs a stored
 * value reports that:
 *
 *     if (field.role === "computed") context.report(`The field ${field.name} is computed; @searchable needs a stored field.`, use.node);
 */
export interface ComputedModelField extends FieldBase {
  readonly role: "computed";
}

/**
 * Where the generated API shows a field. The kernel sets the defaults by type; plugins change them with `Recorder.exposure`:
 *
 *     // a password is written and never read
 *     recorder.exposure(field, { output: false, has: false, order: false, aggregate: "none" });
 */
export interface Exposure {
  /** As a field of the output type. */
  readonly output: boolean;
  /** As a field of the Add, Patch and Ref inputs. */
  readonly input: boolean;
  /** As a value of the `has` filter's enum. */
  readonly has: boolean;
  /** As a value of the order's enum; of a link as a member of the order, which a plugin gives it (`ApiAdditions.linkOrders`). */
  readonly order: boolean;
  /** Of a link: it has the arguments `filter`, `order`, `first` and `offset`, and a companion field for aggregates. */
  readonly arguments: boolean;
  /** In the aggregate result. `range`: min and max. `sum`: min, max, sum and avg. */
  readonly aggregate: "none" | "range" | "sum";
}

/**
 * A unique key of one field. `scope` is what a value is unique among: with `interface Vessel { hull: String! @id(interface: true) }` no two nodes of any
 * type that implements `Vessel` have the same hull.
 */
export interface Key {
  /** The field that holds the key. */
  readonly field: ValueField;
  /** The object types among which a value is unique: the type itself, or all types that implement an interface. */
  readonly scope: readonly NodeType[];
  /** The interface, when `scope` is the types that implement it. */
  readonly across: NodeType | undefined;
}

/**
 * A key that is unique within other fields: no two nodes have the same value of `field`, the same values of the fields in `within` and the same
 * partners at the links in `within`. A node without one of them has no such key.
 *
 *     // type Doc { tenant: String!  slug: String! @id(within: ["tenant"]) }
 *     type.scopedKeys.map(({ field, within }) => [field, ...within].map(({ name }) => name)); // [["slug", "tenant"]]
 */
export interface ScopedKey extends Key {
  /** In written order, at least one. Value fields hold one value, links lead to one node. */
  readonly within: readonly (ValueField | LinkField)[];
}
