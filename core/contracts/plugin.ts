// The contract between the kernel and a directive plugin. A plugin has a name, the SDL of its directives, and a `model` hook. The kernel calls
// `model` at each deploy; it returns the other hooks. A plugin whose directives are not used returns no hooks and costs nothing.
//
// Rules for every hook:
// - It gets the data of its phase, returns values, and must not modify its arguments.
// - Plugins run in the order of the configuration.
// - A `QuernError` that it throws refuses what the hook was called for. Anything else that it throws, and a result that breaks this contract, is
//   an internal error: the log names plugin, hook and place, and clients get one fixed text.
//
// `plugins/README.md` is the guide; `directiveConformance` of `quern/conformance` tests a plugin.

import type {
  ASTNode,
  DirectiveNode,
  DocumentNode,
  FieldDefinitionNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLOutputType,
  GraphQLSchema,
  InputValueDefinitionNode,
  TypeDefinitionNode,
} from "graphql";
import type { Location, QuernError } from "../ground/errors.ts";
import type { AnswerValue, EndName, FieldName, Json, MaybePromise, Stored, TypeName, Uid, Value, ValueKind } from "../ground/values/value.ts";
import type { BackgroundTask } from "./background.ts";
import type { Change, Create, Set as SetChange } from "./change.ts";
import type { ChangeRecord } from "./change-record.ts";
import type { ExecuteAnswer, ExecuteRequest } from "./execute.ts";
import type { FieldFilter } from "./field-filter.ts";
import type { KernelAccess } from "./kernel-access.ts";
import type { FieldLayout, IndexLayout, KeyLayout, Layout, TypeLayout } from "./layout.ts";
import type { LinkFilter } from "./link-filter.ts";
import type { LinkOrder } from "./link-order.ts";
import type { Exposure, Field, IdField, LinkField, Model, NodeType, ValueField } from "./model.ts";
import type { Permissions } from "./permissions.ts";
import type { Predicate } from "./predicate.ts";
import type { QueryLanguage } from "./query-language.ts";
import type { ServerAccess, ServerAdditions } from "./server-additions.ts";
import type { Nearest, NodeRef, Snapshot, Transaction } from "./storage.ts";

/** The version of this contract. It rises with a change that can break existing plugins. */
export const pluginContract = 1;

/**
 * What directives mean. `@trim` removes the white space around each text that is written to a field:
 *
 *     const trimPlugin = (): DirectivePlugin => ({
 *       name: "trim",
 *       definitions: "directive @trim on FIELD_DEFINITION",
 *       model(context) {
 *         const fields = new Set(context.uses("trim").map(({ field }) => field));
 *         if (fields.size === 0) return undefined;
 *         return {
 *           values: ({ type, values }) => ({
 *             values: new Map(
 *               [...values].flatMap(([name, value]) =>
 *                 typeof value === "string" && fields.has(type.fields.get(name)) ? [[name, value.trim()]] : [],
 *               ),
 *             ),
 *           }),
 *         };
 *       },
 *     });
 */
export interface DirectivePlugin {
  /** The contract version that the plugin was written for. A version other than `pluginContract` fails with `CONFIG_INVALID` at start. */
  readonly contract?: number;
  /** Unique among the installed plugins: `search`. */
  readonly name: string;
  /** Names of plugins that must be installed and must come before this one. Otherwise the start fails with an error that names both. */
  readonly after?: readonly string[];
  /** Names of plugins that must come before this one when they are installed. */
  readonly follows?: readonly string[];
  /**
   * SDL of its directives, and of the scalars, enums and inputs that their arguments or generated fields use. The served schema shows it.
   *
   * Two plugins may define the same directive or type with equal definitions. Each then reads the uses that concern it.
   */
  readonly definitions: string;
  /**
   * Names of directives that mark a definition as not stored: `["remote"]`. The served schema shows the definition as written; nothing is generated
   * for it, and the model does not contain it. Its values come from root fields and computed fields. A field of a stored type that has such a type
   * is computed from the start (`Field.role`).
   */
  readonly unstored?: readonly string[];
  /**
   * The definitions for one schema, instead of `definitions`: for directives that exist in some schemas only, or under names that the schema
   * chooses. In other schemas they are unknown. `definitions` has all of them, under their own names.
   *
   *     definitionsFor: ({ definitions }) => (definitions.some(usesKeys) ? keyDefinitions : "")
   *
   * @param schema the schema text as written
   */
  definitionsFor?(schema: DocumentNode): string;
  /** Names of directives that types inherit from an interface that they implement (`@secret`). Directives on fields are always inherited. */
  readonly inherited?: readonly string[];
  /**
   * Names of directives that also count on a field which a type repeats from its interface. Of other directives only the uses on the interface's
   * field count.
   */
  readonly kept?: readonly string[];
  /** Query languages in which other plugins may ask, whatever schema is deployed. */
  readonly languages?: readonly QueryLanguage[];
  /**
   * Keywords of the configuration comments that the plugin reads: `Authorization` for `# Service.Authorization {...}`. The deploy is refused when
   * a known keyword belongs to no installed plugin.
   */
  readonly settings?: readonly string[];
  /**
   * Keywords of configuration comments that this plugin reads besides the plugin to which they belong. The deploy is still refused when no installed
   * plugin has them in `settings`.
   */
  readonly alsoReads?: readonly string[];
  /**
   * Validates its configuration comments, before the types are validated. A `QuernError` refuses the deploy with this one error. Later checks
   * can report several errors at once, in `model`.
   */
  checkSettings?(settings: (keyword: string) => readonly SettingLine[]): void;
  /**
   * True: `model` validates the arguments of its directives itself, with error texts of its own. By default the kernel validates them against
   * `definitions` and refuses the deploy before `model` runs.
   */
  readonly validatesArguments?: boolean;
  /**
   * Called when a server starts, before it opens: where all its transports will listen. Not called for a kernel without a server.
   *
   *     serving: ({ host }) => void (isPublic = host !== "127.0.0.1")
   */
  serving?(where: { readonly host: string }): void;
  /**
   * Called once for each deploy, after inheritance and standard validation. It reads the uses of its directives, reports errors, records facts
   * and returns the other hooks, or undefined when its directives are not used. All reported errors refuse the deploy together.
   */
  model(context: ModelContext): Hooks | undefined;
  /**
   * Called once for each HTTP surface, before the kernel opens: adds paths and fields of the admin API. An embedded kernel without a server does
   * not call it.
   */
  server?(kernel: KernelAccess): ServerAdditions;
  /**
   * Called once for each HTTP surface, after `server`: decides who may administrate it. At most one installed plugin may have it; others fail with
   * `PLUGIN_CLASH` at start.
   */
  access?(kernel: KernelAccess): ServerAccess;
}

// ---- model ------------------------------------------------------------------------------------------------------------

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
  /** Its uses on fields of definitions that are not stored, in source order: `Query`, `Mutation`, `@remote` types, and inputs. */
  unstoredUses(directive: string): readonly UnstoredUse[];
  /** Reports an error. `message` is a whole sentence, shown unchanged; `at` gives its locations; `hint` says what to do next. */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string): void;
  /** The configuration comments with `keyword`, which must be one of the plugin's `settings` or `alsoReads`, in source order. */
  settings(keyword: string): readonly SettingLine[];
  /** Records facts in the model. */
  readonly record: Recorder;
  /** The schema that this one replaces. Undefined when nothing is deployed, at a restart, and when a schema is validated without a store. */
  readonly former?: FormerNames | undefined;
}

/** The deployed schema, and the storage names that it and earlier schemas use. */
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
 */
export interface Recorder {
  /** Sets the storage name of a type, which is also the prefix of its fields' storage names. */
  storedType(type: NodeType, name: string): void;
  /** Sets the whole storage name of a field: `Author.name`. */
  storedField(field: Field, name: FieldName): void;
  /**
   * The type was called `former` in an earlier schema. It keeps the storage names of that type and of its fields, and later schemas need not
   * repeat this. A name set by `storedType` has precedence. No effect when `former` is unknown.
   */
  renamedType(type: NodeType, former: string): void;
  /** As `renamedType`, for a field. @param of the former name of the type that declares it; by default its current name */
  renamedField(field: Field, former: string, of?: string): void;
  /** Makes `field` a unique key by which clients identify nodes. `scope`: unique within its type, or among all types that implement its interface. */
  key(field: Field, scope: "type" | "interface"): void;
  /**
   * Lets clients choose the ID of a type: the field of type `ID` becomes a stored text, and `NodeType.idField` undefined. It is a field of the
   * output type and appears nowhere else until `exposure` says so; patches never contain it. `key` makes it identify nodes.
   *
   *     record.givenId(type.idField);
   *     record.key(field, "type");
   */
  givenId(field: IdField): void;
  /** Makes both fields the two sides of one edge. A field may be its own inverse. */
  inverse(field: LinkField, other: LinkField): void;
  /** Makes `field` a read-only view: it shows the links of `forward` from the other side. */
  reverse(field: LinkField, forward: LinkField): void;
  /** Changes where the API shows a field. Members that are not given stay. */
  exposure(field: Field, change: Partial<Exposure>): void;
  /** Makes the field nullable in Add inputs although it is non-null, because the plugin supplies the value. */
  optionalOnAdd(field: ValueField): void;
  /** Stores a list of Float as one value of kind `vector`: in the order and with the repeats of the input, rounded to 32 bits. Not sortable. */
  vector(field: ValueField): void;
  /** Sorts the field's texts by the language with the BCP 47 tag `tag`. */
  collation(field: ValueField, tag: string): void;
  /** Adds a stored field that only inputs have, after all others: `{ name: "pass", kind: "password", nonNull: true }`. */
  inputField(
    type: NodeType,
    field: { readonly name: string; readonly kind: ValueKind; readonly nonNull: boolean; readonly stored?: FieldName },
  ): void;
  /**
   * Adds a computed field to the output type, after the declared fields: `{ name: "score", type: "Float" }`. The `has` filter knows it, and
   * no stored object has it.
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
  /** Adds a directive, which the client did not write, to a field of the served schema. */
  directive(field: Field, name: string, args: Readonly<Record<string, string>>): void;
}

// ---- hooks ------------------------------------------------------------------------------------------------------------

/** The hooks of one deployed schema. Each is optional; an absent hook costs nothing. */
export interface Hooks {
  /** At deploy: adds to the storage layout. */
  readonly layout?: () => LayoutAdditions;
  /** At deploy: adds to the generated API. */
  readonly api?: () => ApiAdditions;
  /** At deploy, with the API generated and before the store migrates: compiles queries against the API. Reported errors refuse the deploy. */
  readonly compile?: (context: CompileContext) => void;
  /**
   * Before the schema is served: fetches external data, such as a key set. A `QuernError` refuses a deploy; at a restart it is only logged.
   */
  readonly open?: (why: "validate" | "deploy" | "restart") => MaybePromise<void>;
  /** Mistakes that do not refuse the deploy. The log shows them when the schema is deployed. */
  readonly warnings?: readonly SchemaWarning[];
  /**
   * After a deploy has switched to the schema: looks for stored data that contradict it, and returns what it finds. The log and the deploying client
   * get it as they get `warnings`. Not called at a restart. All surveys of a deploy have ten seconds; one that takes longer, or fails, is reported and
   * refuses nothing.
   *
   *     survey: async ({ snapshot }) => {
   *       const [row] = await snapshot.aggregate({ over: { types: ["Post"], where: tooLong }, measures: [{ kind: "count" }] });
   *       return Number(row?.[0]) > 0 ? [{ message: `${row?.[0]} posts have a title that is too long.` }] : [];
   *     }
   */
  readonly survey?: (context: SurveyContext) => MaybePromise<readonly SchemaWarning[]>;
  /** Request headers that the plugin reads. CORS allows them. */
  readonly headers?: readonly string[];
  /** Per request, before the document is parsed: validates the headers. A `QuernError` refuses the whole request. */
  readonly admit?: (headers: Readonly<Record<string, string | undefined>>) => void;
  /**
   * Per request, before anything is read: identifies the caller. The result is merged into `RequestView.facts`. Live queries are shared between
   * callers with equal facts. A `QuernError` becomes the error of every root field that reads or writes nodes.
   */
  readonly request?: (request: RequestView) => MaybePromise<Readonly<Record<string, Json>>>;
  /**
   * The name of the caller that `request` has identified, such as the subject of its token: `limits.perCaller` counts its requests together, from whatever address
   * they come. Undefined: the plugin does not know one.
   */
  readonly caller?: (request: RequestView) => string | undefined;
  /** When the result of `request` expires, in milliseconds since 1970. The caller's subscriptions end then. Undefined: never. */
  readonly expiresAt?: (request: RequestView) => number | undefined;
  /**
   * Row-level security: which nodes of the object type `type` the request may access for `purpose`. A predicate: those that satisfy it. `deny`:
   * none. Undefined: no restriction. The predicates of all plugins are combined by `and`.
   *
   * Called for each occurrence of the type in a plan, so cache what is expensive to compute. The kernel waits for a promise, but does not cache
   * its result.
   */
  readonly narrow?: (type: NodeType, purpose: Purpose, request: RequestView) => MaybePromise<Predicate | "deny" | undefined>;
  /** The purposes that `narrow` restricts; by default all. `narrow` is not called for the others, and their bound plans are cached. */
  readonly narrows?: readonly Purpose[];
  /** Column-level security: fields that are visible for some nodes or callers only. */
  readonly masks?: readonly FieldMask[];
  /**
   * Column-level permissions: which fields and links the request may read and write, whatever node they are of. Undefined: all. Called once for
   * each operation, and for each run of a live query. Return the same object as long as the permissions are the same: results are cached by it.
   *
   * A `QuernError` refuses every root field before anything runs. Introspection is answered.
   */
  readonly permissions?: (request: RequestView) => MaybePromise<Permissions | undefined>;
  /** Replaces an operand of a filter, a key argument or a reference, for example by its lower-case form. Returns it unchanged otherwise. */
  readonly operand?: (field: ValueField, value: Value) => Value;
  /**
   * Per input object of a mutation, before the transaction: changes or refuses values. May be slow, such as hashing a password. Must not decide by
   * reading the database, because the transaction may see other data.
   */
  readonly values?: (input: InputObject, request: RequestView) => MaybePromise<InputChanges | undefined>;
  /** In the transaction, before the write: returns the changes to write instead; undefined: no difference. Reads only `transaction`. May run again. */
  readonly changes?: (context: ChangesContext) => MaybePromise<readonly Change[] | undefined>;
  /** In the transaction, after the write: throws a `QuernError` to roll back. Reads only `transaction`. May run again. */
  readonly check?: (context: ChangesContext) => MaybePromise<void>;
  /**
   * In the transaction, when the mutation has written everything and all `check` hooks have passed: returns nodes of hidden types
   * (`LayoutAdditions.types`) that are created in the same commit, for example an entry of an outbox. Called once in each run of the transaction, so it
   * may run again. To compare with values before the mutation, read them in `changes` and keep them under `context.transaction`.
   *
   *     append: async ({ mutation, roots, uids }) => {
   *       const [uid = 0] = await uids(1);
   *       return [{ kind: "create", uid, type: "outbox.Entry", fields: { "outbox.Entry.text": `${mutation.field}: ${roots.length}` } }];
   *     }
   */
  readonly append?: (context: WrittenContext) => MaybePromise<readonly Create[] | undefined>;
  /** While the schema is served: work beside requests. A deploy that is only validated does not start it. */
  readonly background?: readonly BackgroundTask[];
  /** After a commit of this server is durable. The answer does not wait for it. An error is logged and has no other effect. */
  readonly commit?: (record: ChangeRecord, request: RequestView) => MaybePromise<void>;
  /**
   * When the schema is replaced or the kernel closes: releases timers and connections. It must not read data, because the plugins and the store
   * close concurrently. An error is logged with the plugin's name, and `kernel.close` throws it when everything is closed.
   */
  readonly close?: () => MaybePromise<void>;
}

/**
 * Hides a field of some nodes from some callers. A hidden field has no value in answers and aggregates, and in filters, orders, keys and
 * `@cascade`. `narrow` predicates see its value.
 */
export interface FieldMask {
  /** A field of an object type. */
  readonly field: ValueField | LinkField;
  /** What a selection of a hidden field gives: `null`, or null and an `error`. */
  readonly shows: "null" | "error";
  /** The nodes of which the request may see the field. A predicate: those that satisfy it. `deny`: none. Undefined: all. */
  readonly visible: (request: RequestView) => MaybePromise<Predicate | "deny" | undefined>;
}

/** What `survey` may use. */
export interface SurveyContext {
  /** The data under the new schema. Unrestricted. */
  readonly snapshot: Snapshot;
}

/** What is wrong with a schema that is deployed all the same. */
export interface SchemaWarning {
  /** A whole sentence, with what to do next. */
  readonly message: string;
  /** Where in the schema's text. */
  readonly at?: ASTNode | undefined;
}

/** What `compile` may use. */
export interface CompileContext {
  /** The generated API, as clients see it. */
  readonly schema: GraphQLSchema;
  /** The model with the facts of all plugins. */
  readonly model: Model;
  /** The storage layout of the schema. */
  readonly layout: Layout;
  /**
   * The filters that plugins give to fields. A plugin with a query language of its own asks them for predicates, and so uses their indexes:
   *
   *     filters.find(({ field }) => field.stored === "Author.name")?.predicate({ anyofterms: "ada grace" })
   */
  readonly filters: readonly FieldFilter[];
  /** Reports an error, as `ModelContext.report` does. */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string): void;
  /** Compiles a query that is valid against `schema` and has one operation with one root field `query<Type>`. */
  pattern(query: DocumentNode): Pattern;
}

/**
 * A query as a condition on nodes: it holds for a node when everything that the query selects is present, as with `@cascade` on the whole query.
 * A `@cascade` at the root of the query overrides this. Orders and pages have no effect.
 */
export interface Pattern {
  /**
   * The condition for coerced values of the query's variables.
   *
   * @throws `VALUE_INVALID` for operands that cannot be compared, and for a `@cascade` that names no field
   */
  where(variables: Readonly<Record<string, unknown>>, request: RequestView): MaybePromise<Predicate>;
  /** True: the condition depends on the variables alone, not on the request. A caller may cache it by variables. */
  readonly fixed: boolean;
}

/**
 * Why nodes are accessed:
 *
 * | purpose | the nodes |
 * |---|---|
 * | `query` | that a query or a payload reads |
 * | `password` | whose password a query checks |
 * | `add` | that a mutation has created |
 * | `update`, `delete` | that a mutation is about to change or remove |
 * | `updated` | that an update has changed, as they are after it |
 * | `reference` | that an input refers to |
 * | `displaced` | whose link a new link replaces |
 * | `rule` | that a `Pattern` passes through |
 */
export type Purpose = "query" | "password" | "add" | "update" | "delete" | "reference" | "displaced" | "rule" | "updated";

/** One request, as hooks see it. */
export interface RequestView {
  /** A UUID; clients find it in `extensions.requestID` of mutations. */
  readonly id: string;
  /** When the request began, in RFC 3339 to the second: the value of `$now`. */
  readonly now: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The merged results of all plugins' `request` hooks. */
  readonly facts: Readonly<Record<string, Json>>;
}

/**
 * Additions to the storage layout. A thing with an existing name replaces it: a derived field replaces the plain one of the kernel. A new type is
 * hidden: the API does not show it. A type with an existing name adds its fields to that type.
 */
export interface LayoutAdditions {
  readonly types?: readonly TypeLayout[];
  readonly fields?: readonly FieldLayout[];
  readonly indexes?: readonly IndexLayout[];
  readonly keys?: readonly KeyLayout[];
}

/** Additions to the generated API. */
export interface ApiAdditions {
  /** SDL of the inputs, enums and types that the additions use. */
  readonly definitions?: string;
  /** Filters on stored fields. */
  readonly filters?: readonly FieldFilter[];
  /** Filters on links: on the nodes that they lead to. */
  readonly linkFilters?: readonly LinkFilter[];
  /** Orders by what is at the other side of links. */
  readonly linkOrders?: readonly LinkOrder[];
  /** Fields of `Query` and `Mutation`. */
  readonly roots?: readonly RootField[];
  /** Values of computed fields. */
  readonly computed?: readonly ComputedField[];
  /** Arguments of generated `query<Type>` fields that choose the nodes nearest to a vector. */
  readonly nearest?: readonly NearestArgument[];
  /** Members of generated `Update<Type>Input`s. */
  readonly updates?: readonly UpdateMember[];
  /** Deprecation reasons by name of a generated root field. */
  readonly deprecated?: Readonly<Record<string, string>>;
  /** Names of fields of the client's `Query` that become fields of `Subscription` too. Their `run` may read only `snapshot`. */
  readonly live?: readonly string[];
  /**
   * Names of directives of `DirectivePlugin.definitions` on mutations. The root fields of a mutation that has one run in order in one transaction: each
   * sees the writes of those before it, and an error while writing undoes all of them. Each is judged as if it ran alone, by the same hooks; what they
   * get as `transaction` is another object for each root field. Only generated mutations can be part of it.
   *
   *     { definitions: "directive @transaction on MUTATION", model: () => ({ api: () => ({ atomic: ["transaction"] }) }) }
   */
  readonly atomic?: readonly string[];
  /**
   * Under which key the JSON of root fields and computed fields has a field, where that is not the field's name, by `Type.field`:
   * `{ "Reading.value": "sensor-value" }`.
   */
  readonly jsonKeys?: Readonly<Record<string, string>>;
}

/**
 * Adds an argument to `query<Type>`. The nodes nearest to a vector are chosen among those that pass the filter and that the caller may see;
 * nodes whose vector the caller may not see are left out. They come nearest first, unless the query has an `order`, and are paged last.
 *
 *     { type: post, signature: "near: PostNear", nearest: ({ vector, topK }) => ({ field: "Post.topic", metric: "cosine", vector, count: topK }) }
 */
export interface NearestArgument {
  readonly type: NodeType;
  /** In SDL: `near: PostNear`. Its type is an input of `definitions`. */
  readonly signature: string;
  /**
   * The search for the coerced value of the argument. A `count` below 1 gives no nodes.
   *
   * @throws `VALUE_INVALID` for a value that cannot be searched for
   */
  readonly nearest: (operand: unknown) => Nearest;
  /** The name of the computed field that shows the distance. */
  readonly distance?: string;
}

/**
 * Adds a member to `Update<Type>Input`, beside `set` and `remove`: another way to change the objects that the update's filter chooses, or those that they
 * link to.
 *
 *     { type: post, signature: "increment: PostIncrement", changes: (operand, { nodes, transaction }) => raised(operand, nodes, transaction) }
 *
 * An update without `set` and `remove` changes something when such a member has a value. The rules of an update hold, and permissions and the hooks
 * `changes` and `check` see the changes. A value that `set` or `remove` writes too refuses the mutation.
 */
export interface UpdateMember {
  readonly type: NodeType;
  /** In SDL: `increment: PostIncrement`. Its type is an input of `definitions`. */
  readonly signature: string;
  /**
   * In the transaction: the new values that the coerced value of the member, which is not null, gives to some of the chosen objects. Called for up to
   * 1,000 objects at a time. May run again.
   */
  readonly changes?: (operand: unknown, context: UpdateContext) => MaybePromise<readonly SetChange[]>;
  /** Before the transaction: what the coerced value of the member, which is not null, asks of linked objects. */
  readonly steps?: (operand: unknown) => readonly LinkSteps[];
}

/**
 * What an update does through one link of the objects that it has chosen. It acts on the links as they were before the update, in the order remove,
 * delete, update, add. Each step is judged by the rules of the type that it touches, as if it were that mutation; one refusal refuses all.
 *
 *     { field: posts, remove: { title: { eq: "Old" } }, add: [{ title: "New" }] }
 */
export interface LinkSteps {
  readonly field: LinkField;
  /** The links that go: a coerced `<Target>Filter` on what they lead to. `{}`: all. Undefined: none. */
  readonly remove?: unknown;
  /** The linked objects that are deleted: a filter, as `remove`. */
  readonly delete?: unknown;
  /** The linked objects that are updated. Not for a union. */
  readonly update?: readonly LinkedUpdate[];
  /** Objects to link: coerced `<Target>Ref`s. */
  readonly add?: readonly unknown[];
  /** As `add`, when all other links have gone. An empty list: all go. */
  readonly replace?: readonly unknown[];
}

/** An update of linked objects. */
export interface LinkedUpdate {
  readonly filter: unknown;
  /** As `Update<Target>Input` without its filter: `set`, `remove` and the members of plugins. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** What `UpdateMember.changes` may use. */
export interface UpdateContext {
  readonly nodes: readonly NodeRef[];
  /** Reads see the data before the update. */
  readonly transaction: ChangesTransaction;
  readonly request: RequestView;
}

/**
 * A root field of the plugin, or the resolver of a field with this name in the client's `Query` or `Mutation`. The client's field then
 * belongs to this plugin, whatever directives it has.
 *
 *     { operation: "query", signature: "oldest: Person", type: person, run: async ({ snapshot }) => ({ nodes: await oldest(snapshot) }) }
 *
 * The deploy is refused when a client's field belongs to no plugin, when its declared type is not `type`, and, with `PLUGIN_CLASH`, when it
 * belongs to two plugins.
 */
export interface RootField {
  readonly operation: "query" | "mutation";
  /** In SDL: `checkClerkPassword(login: String!, pass: String!): Clerk`. Of a field that the client declares only the name counts. */
  readonly signature: string;
  /**
   * The stored type of the nodes that `run` returns; undefined when it returns JSON. The served schema lists queries after the type's `get`, and
   * mutations after its `delete`.
   */
  readonly type?: NodeType;
  /**
   * The object types of the nodes that `run` looks up, when the field's GraphQL type is a union that `ApiAdditions.definitions` defines.
   *
   *     // definitions: "union Found = Person | Boat"
   *     { operation: "query", signature: "found(ids: [ID!]!): [Found]!", members: [person, boat], run: () => ({ lookups: [...] }) }
   */
  readonly members?: readonly NodeType[];
  /** The purpose for which the nodes are narrowed; by default `query`. */
  readonly purpose?: Purpose;
  readonly run: (context: RootContext) => MaybePromise<RootAnswer>;
}
/** What a root field's `run` may use. */
export interface RootContext {
  /** Coerced, with defaults. An argument that the client gives as null is null; one that it does not give is absent. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The arguments as the client wrote them, as `ChangesContext.mutation.sent`. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Unrestricted reads. `narrow` applies to the nodes that `run` returns, but not to values that it copies into JSON. */
  readonly snapshot: Snapshot;
  /**
   * The same view as the caller may see it: nodes that rules hide do not exist in it, and hidden fields have no values. A plugin that answers
   * questions of its own reads it instead of `snapshot`:
   *
   *     run: async ({ visible }) => {
   *       const seen = await visible();
   *       const [row] = await seen.aggregate({ over: { types: ["Note"] }, measures: [{ kind: "count" }] });
   *       return { json: Number(row?.[0] ?? 0) };
   *     }
   */
  readonly visible: () => MaybePromise<Snapshot>;
  readonly request: RequestView;
  /** Whether the request may read a field or link (`Hooks.permissions`). Nodes that `run` returns are shown accordingly. */
  readonly mayRead: (name: FieldName | EndName) => boolean;
  /**
   * Executes a query, or in a root field of `Mutation` also a mutation, as the caller of this request: rules, masks, operands, `values` hooks,
   * change records and limits apply. Each root field of a mutation is a transaction of its own; later reads of `run` see its commit. Never rejects
   * for an error that a client would get: it is in `errors`.
   *
   *     run: async ({ arguments: { id }, execute }) => {
   *       const { errors } = await execute({ query: "mutation M($id: ID!) { updateTask(input: { filter: { id: [$id] }, set: { done: true } }) { numUids } }", variables: { id } });
   *       return { json: errors.length === 0 };
   *     }
   */
  readonly execute: (request: ExecuteRequest) => MaybePromise<ExecuteAnswer>;
  /** What the client selects. */
  readonly selection: FieldSelection;
  /** Aborts when the request has to end: the client has disconnected, or the request has run for `limits.maxTimeMs`. */
  readonly signal: AbortSignal;
}

/**
 * How an operation selects a field, for plugins that pass the selection on, such as to another GraphQL service. The kernel cuts values to the
 * selection by itself.
 */
export interface FieldSelection {
  /** The name in the answer: the alias, or the field's name. */
  readonly key: string;
  /** The places that select the field under this key. Their arguments are equal; their selection sets count together. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** The fragments of the document, by name. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The coerced values of the operation's variables. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The type in which the document selects the field: that of the nearest fragment with a type condition, or of the field around. */
  readonly parentType: string;
  /** The field's own type. */
  readonly type: GraphQLOutputType;
  /** The served schema. */
  readonly schema: GraphQLSchema;
}

/**
 * The result of a root field: nodes, of which the kernel reads the selected fields, or a value.
 *
 * The kernel completes a value by the field's GraphQL type, whatever it is: objects are cut to the selection, scalars are coerced, a null in a
 * non-null position propagates, and what does not fit is an error with its path. The concrete type of an interface or union is read from
 * `__typename`. `errors` are added to the answer; those of a mutation make it fail, and the mutations after it do not run.
 *
 *     return { json: null, errors: [{ message: "The tide service does not answer." }] };
 */
export type RootAnswer = GivenNodes | { readonly json: AnswerValue; readonly errors?: readonly AnswerError[] } | LookupAnswer;

/** The nodes that a root field returns. */
export interface GivenNodes {
  readonly nodes: readonly Uid[];
  /** Leaves out nodes of which the caller may not see this field: the choice of the nodes, or `values`, would disclose it. */
  readonly discloses?: ValueField | undefined;
  /** Values of computed fields of these nodes, by field name, one for each node. They replace the results of `compute`. */
  readonly values?: Readonly<Record<string, readonly Json[]>> | undefined;
}

/** An error that comes with a value. Clients see it as it is. */
export interface AnswerError {
  readonly message: string;
  /** By default that of the field. */
  readonly locations?: readonly Location[];
  /** By default none for a root field. For a computed field: that of the parent's field with `parent`, else that of the root field. */
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, Json>>;
  /** Of a computed field: the parent whose value it is about, as an index. Shown at each place where the parent is. */
  readonly parent?: number;
}

/**
 * Nodes of several types by what identifies them. The kernel finds those of one type together, as `get<Type>` would: rules, masks and operand
 * hooks apply. A node that does not exist, or that the caller may not see, is null; so is an undefined lookup.
 */
export interface LookupAnswer {
  /** One for each item of the answer, in order. */
  readonly lookups: readonly (NodeLookup | undefined)[];
  readonly errors?: readonly AnswerError[];
}

/**
 * What identifies a node: `{ type: boat, by: [{ field: hull, value: "K 7" }] }`. All parts must hold. A lookup that several nodes satisfy is null,
 * with an error.
 */
export interface NodeLookup {
  /** One of `RootField.members`. */
  readonly type: NodeType;
  /** At least one. The value of an ID field is the node's uid. */
  readonly by: readonly LookupPart[];
  /** Values that computed fields of the node get as `needs` instead of the stored ones, by storage name. Undefined: no value. */
  readonly represented?: ReadonlyMap<FieldName, Stored | undefined>;
}

/** One part of what identifies a node. */
export interface LookupPart {
  /** Single links that lead from the node to the one that has `field`; by default it is the node itself. */
  readonly path?: readonly LinkField[];
  readonly field: IdField | ValueField;
  readonly value: Value;
}

/** What a computed field's `compute` may use. */
export interface ComputeContext {
  /** The snapshot from which the answer is read. Unrestricted: `narrow` does not apply. Not for a `slow` field. */
  readonly snapshot: Snapshot;
  /** As `RootContext.execute`. Only queries. */
  readonly execute: RootContext["execute"];
  /** What the client selects. */
  readonly selection: FieldSelection;
  /** As `RootContext.signal`. */
  readonly signal: AbortSignal;
}

/** The values of a computed field for several parents, with errors. */
export interface ComputedAnswer {
  /** One for each parent, in order. */
  readonly values: readonly AnswerValue[];
  readonly errors: readonly AnswerError[];
}

/** A resolver for a field that is not stored. It is called once for many parents. */
export interface ComputedField {
  /** A field of an interface stands for the inherited fields of its types too, unless these are computed by a `ComputedField` of their own. */
  readonly field: Field;
  /** The stored fields of the parents that `compute` reads. */
  readonly needs: readonly FieldName[];
  /**
   * Returns one value for each parent, in order; null for none. The kernel completes each as a `RootAnswer`. Called once for each place of the
   * document that selects the field, with all parents there, each once.
   *
   *     compute: async (parents, _args, _request, { snapshot }) => {
   *       const links = await snapshot.follow({ from: parents.map(({ uid }) => uid), end: "Author.posts", types: ["Post"], fields: [] });
   *       return parents.map((_, i) => (links.starts[i + 1] ?? 0) - (links.starts[i] ?? 0));
   *     }
   */
  readonly compute: (
    parents: readonly Parent[],
    args: Readonly<Record<string, unknown>>,
    request: RequestView,
    context: ComputeContext,
  ) => MaybePromise<readonly AnswerValue[] | ComputedAnswer>;
  /**
   * True: `compute` may take long, because it asks another service. It runs when everything else is read, all slow fields of a root field at the
   * same time, in a mutation after the commit. It must not read `snapshot`.
   */
  readonly slow?: boolean;
  /**
   * True: the values depend on more than the arguments and `needs`, for example on the clock. The kernel cannot detect their changes, so a
   * subscription may not select the field.
   */
  readonly volatile?: boolean;
}
/** A node whose computed field is selected. */
export interface Parent extends NodeRef {
  /** The values of `needs`, in that order. */
  readonly values: readonly (Stored | undefined)[];
}

/** One input object of a mutation, before keys and references are looked up. */
export interface InputObject {
  readonly type: NodeType;
  /** `add`: an item of an add. `nested`: an inner object, which may be a reference or a new node. `set`, `remove`: the patches of an update. */
  readonly role: "add" | "nested" | "set" | "remove";
  /** The coerced values of value fields, by field name. A null in the input is null; a field that is not given is absent. */
  readonly values: ReadonlyMap<string, Stored | null>;
}
/** What `values` changes in an input object. By field name; every member is optional. */
export interface InputChanges {
  /** Replaces values. */
  readonly values?: ReadonlyMap<string, Stored | null>;
  /** Values of absent fields, used when the object becomes a new node. */
  readonly whenCreated?: ReadonlyMap<string, Stored>;
  /** Values of absent fields, used when the object changes an existing node. */
  readonly whenUpdated?: ReadonlyMap<string, Stored>;
  /** Refuses the mutation when the object's values are written. No effect when the object is only a reference. */
  readonly refuse?: QuernError;
}

/** A transaction without the methods that would write nodes past other plugins' hooks. */
export type ChangesTransaction = Omit<Transaction, "write" | "uids" | "close">;

/** What `changes` and `check` may use. */
export interface ChangesContext {
  /** The changes of the mutation, those of earlier plugins included. */
  readonly changes: readonly Change[];
  /**
   * Reads see the writes of the mutation. `hold` protects a decision that depends on a node: the commit conflicts and runs again when another
   * transaction changes it. `setMeta` stores small JSON in this commit. To write nodes, return changes from `changes`.
   *
   *     check: async ({ transaction }) => {
   *       const count = Number((await transaction.meta("audit.count")) ?? 0);
   *       await transaction.setMeta("audit.count", count + 1);
   *     }
   */
  readonly transaction: ChangesTransaction;
  readonly request: RequestView;
  /** The mutation: the name of its root field, what it does, the type that it writes, and its coerced arguments. */
  readonly mutation: {
    readonly field: string;
    readonly kind: "add" | "update" | "delete";
    readonly type: NodeType;
    readonly arguments: Readonly<Record<string, unknown>>;
    /**
     * The arguments as the client wrote them, with variables filled in: a DateTime is not normalized, an Int64 is a text where the client sent one. Single
     * values of lists are lists; members without a value are absent.
     */
    readonly sent: Readonly<Record<string, unknown>>;
  };
  /** Allocates uids for nodes that the hook creates. */
  readonly uids: (count: number) => MaybePromise<readonly Uid[]>;
  /**
   * Which of `nodes` the rules let the request access for `purpose`, for a hook that changes nodes which the client did not name. Rejects when the request
   * has no permission to delete nodes of such types (`Hooks.permissions`), with the purpose `delete`.
   *
   *     const permits = await permits("delete", linked);
   *     if (!linked.every(({ uid }) => permits(uid))) throw new QuernError("REQUEST_REFUSED", "...");
   */
  readonly permits: (purpose: Purpose, nodes: readonly NodeRef[]) => MaybePromise<(uid: Uid) => boolean>;
  /** How many more nodes the mutation may change (`limits.maxChanges`). Adding more changes refuses it; a hook that gathers nodes stops there. */
  readonly room: number;
}

/** What `append` may use. Reads of `transaction` see everything that the mutation has written. */
export interface WrittenContext extends Omit<ChangesContext, "changes"> {
  /** The nodes that the mutation is about: created or found by the items of an add, in their order; matched by the filter of an update or a delete. */
  readonly roots: readonly NodeRef[];
}
