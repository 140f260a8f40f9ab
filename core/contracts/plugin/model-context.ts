// What `DirectivePlugin.model` reads and writes at a deploy: the uses of directives, configuration comments, and facts of the model.

import type { ASTNode, DirectiveNode, DocumentNode, FieldDefinitionNode, InputValueDefinitionNode, TypeDefinitionNode } from "graphql";
import type { Location } from "../../ground/errors.ts";
import type { EndName, FieldName, TypeName, ValueKind } from "../../ground/values/value.ts";
import type { Exposure, Field, IdField, LinkField, Model, NodeType, ValueField } from "../model.ts";

/** What `model` reads and writes. */
export interface ModelContext {
  /** The schema, with the facts recorded so far, those of earlier plugins included. */
  readonly model: Model;
  /** The schema text as written, with `schema` definitions and extensions, which mean nothing to the kernel. */
  readonly document: DocumentNode;
  /**
   * The uses of the directive named `directive` (without `@`) on types, interfaces and other definitions, and on fields of stored types, in
   * source order. Inherited uses are included.
   */
  uses(directive: string): readonly DirectiveUse[];
  /** With `unstored`: its uses on fields of definitions that are not stored, in source order: `Query`, `Mutation`, `@remote` types, and inputs. */
  uses(directive: string, on: "unstored"): readonly UnstoredUse[];
  /**
   * Reports an error. `message` is a whole sentence, shown unchanged; `at` gives its locations; `hint` says what to do next.
   *
   *     report(`The bounds of @range on ${type.name}.${field.name} leave no value.`, use.node, "Make max at least min.");
   */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string): void;
  /**
   * The configuration comments with `keyword`, which must be one of the plugin's `settings` or `alsoReads`, in source order.
   *
   *     settings("Secret"); // # Service.Secret tides "abc": [{ text: 'Secret tides "abc"', ... }]
   */
  settings(keyword: string): readonly SettingLine[];
  /** Records facts in the model. */
  readonly record: Recorder;
  /** The schema that this one replaces. Undefined when nothing is deployed, at a restart, and when a schema is validated without a store. */
  readonly former?: FormerNames | undefined;
}

/**
 * The deployed schema, and the storage names that it and earlier schemas use:
 *
 *     former?.storedType("Writer"); // "Writer", when a type of this name was deployed
 */
export interface FormerNames {
  readonly model: Model;
  /** The storage name of the type called `type`. Undefined when no such type was ever deployed, or another type has taken over its data. */
  storedType(type: string): TypeName | undefined;
  /** The storage name of a field: `storedField("Author", "name")`. Undefined as with `storedType`. */
  storedField(type: string, field: string): FieldName | EndName | undefined;
}

/** A configuration comment: `# Service.Secret name "value"`. */
export interface SettingLine {
  /** The prefix as written; messages repeat it. */
  readonly prefix: "Service" | "Dgraph";
  /** The whole line, trimmed: `# Service.Secret name "value"`. */
  readonly line: string;
  /** The text after `prefix.`, trimmed: `Secret name "value"`. It starts with the keyword, which more letters may follow. */
  readonly text: string;
  /** The start of the line. */
  readonly location: Location;
}

/** A use of a directive on a definition (`field` is undefined) or on a field of a stored type. */
export interface DirectiveUse {
  readonly node: DirectiveNode;
  /**
   * The arguments, coerced by the directive's definition, with its defaults. An argument without a value and a default is absent. Int64 values
   * are bigints, enum values are strings.
   *
   *     // directive @range(min: Float, max: Float = 100) on FIELD_DEFINITION
   *     const { min, max } = use.args; // @range(min: 1): 1, 100
   *
   * @throws `SCHEMA_INVALID` when they do not fit, which only happens with `validatesArguments`
   */
  readonly args: Readonly<Record<string, unknown>>;
  /** The type definition that it is on or in. */
  readonly definition: TypeDefinitionNode;
  /** Undefined when the definition is not stored. */
  readonly type: NodeType | undefined;
  /** Undefined when the directive is on the definition itself. */
  readonly field: Field | undefined;
  /** True: inherited from an interface. The use on the interface is listed too, so report errors there. */
  readonly inherited: boolean;
}

/** A use of a directive on a field of a definition that is not stored. */
export interface UnstoredUse {
  readonly node: DirectiveNode;
  /** As `DirectiveUse.args`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly definition: TypeDefinitionNode;
  /** Of an input type: an `InputValueDefinitionNode`. */
  readonly field: FieldDefinitionNode | InputValueDefinitionNode;
}

/**
 * Records facts in the model. A later fact about the same thing replaces an earlier one. A fact about a field of an interface also holds for
 * the types that inherit the field.
 *
 * A fact that cannot hold, such as a vector of texts, refuses the deploy with `CONFIG_INVALID`, the plugin's name and the place; so does one that is recorded
 * when `model` has returned. Report mistakes of the schema instead of recording what it says.
 */
export interface Recorder {
  /** Sets the storage name of a type, which is also the prefix of its fields' storage names. */
  storedType(type: NodeType, name: string): void;
  /**
   * Sets the whole storage name of a field. Fields of several types that have the same name share an index:
   *
   *     record.storedField(field, "name"); // instead of Author.name
   */
  storedField(field: Field, name: FieldName): void;
  /**
   * The type was called `former` in an earlier schema. It keeps the storage names of that type and of its fields, and later schemas need not
   * repeat this. A name set by `storedType` has precedence. No effect when `former` is unknown.
   *
   *     // type Author @was(name: "Writer")
   *     record.renamedType(author, "Writer");
   */
  renamedType(type: NodeType, former: string): void;
  /** As `renamedType`, for a field. @param of the former name of the type that declares it; by default its current name */
  renamedField(field: Field, former: string, of?: string): void;
  /**
   * Makes `field` a unique key by which clients identify nodes. `scope`: unique within its type, or among all types that implement its interface.
   * With `within`, the key is one of `NodeType.scopedKeys`: unique among the nodes with the same values of these fields of its type, and the same
   * partners at these single links.
   *
   *     record.key(slug, "type", [tenant]); // each tenant has its own slugs
   *
   * @throws TypeError when `within` holds something else than value fields and links of the type of `field`
   */
  key(field: Field, scope: "type" | "interface", within?: readonly Field[]): void;
  /**
   * Lets clients choose the ID of a type: the field of type `ID` becomes a stored text, and `NodeType.idField` undefined. It is a field of the
   * output type and appears nowhere else until `exposure` says so; patches never contain it. `key` makes it identify nodes.
   *
   *     record.givenId(type.idField);
   *     record.key(field, "type");
   */
  givenId(field: IdField): void;
  /**
   * Makes both fields the two sides of one edge. A field may be its own inverse.
   *
   *     record.inverse(posts, author); // Author.posts and Post.author show the same links
   *     record.inverse(friends, friends); // a friend of somebody has that somebody as a friend
   */
  inverse(field: LinkField, other: LinkField): void;
  /** Makes `field` a read-only view: it shows the links of `forward` from the other side. */
  reverse(field: LinkField, forward: LinkField): void;
  /** Changes where the API shows a field. Members that are not given stay. */
  exposure(field: Field, change: Partial<Exposure>): void;
  /** Makes the field nullable in Add inputs although it is non-null, because the plugin supplies the value. */
  optionalOnAdd(field: ValueField): void;
  /** Stores a list of Float as one value of kind `vector`: in the order and with the repeats of the input, rounded to 32 bits. Not sortable. */
  vector(field: ValueField): void;
  /** Sorts the field's texts by the language with the BCP 47 tag `tag`: `record.collation(field, "de")`. */
  collation(field: ValueField, tag: string): void;
  /**
   * Adds a stored field that only inputs have, after all others: `{ name: "pass", kind: "password", nonNull: true }`. The schema declares no field of this name. Its
   * input is a text, so its kind is `string`, `password` or `dateTime`. `type` names a scalar of the plugin's definitions that inputs show instead of `String`; its
   * values are texts all the same.
   */
  inputField(
    type: NodeType,
    field: { readonly name: string; readonly kind: ValueKind; readonly nonNull: boolean; readonly stored?: FieldName; readonly type?: string },
  ): void;
  /**
   * Adds a computed field to the output type, after the declared fields: `{ name: "score", type: "Float" }`. The `has` filter knows it, and
   * no stored object has it. The type has no stored field of this name; a type that inherits the computed one from an interface may.
   */
  outputField(type: NodeType, field: { readonly name: string; readonly type: string }): void;
  /** Makes a field computed: it is not stored, and `ApiAdditions.computed` supplies its values. */
  computed(field: Field): void;
  /**
   * Adds an operation to the API of a type. All generated ones are enabled by default, except `subscription`, which makes the type's queries
   * fields of `Subscription`, and `connection`, which adds `query<Type>Connection`: the list in pages by cursors.
   */
  enableOperation(type: NodeType, operation: string): void;
  /** Removes an operation from the API of a type: `get`, `query`, `aggregate`, `add`, `update`, `delete`, or a plugin's own word. */
  disableOperation(type: NodeType, operation: string): void;
  /**
   * Adds a directive, which the client did not write, to a field of the served schema:
   *
   *     record.directive(field, "hasInverse", { field: "author" });
   */
  directive(field: Field, name: string, args: Readonly<Record<string, string>>): void;
}
