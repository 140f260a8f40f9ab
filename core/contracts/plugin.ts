// What a directive plugin may do. A plugin has a name, the SDL of its directives, and a `model` hook, called at each deploy,
// which returns the other hooks, closed over what it found. Nothing found, no hooks, no cost.
//
// Rules for every hook: it gets what its phase may use and nothing else; it returns values and changes nothing it was given;
// plugins run in the order of the config file; a hook that throws a QuernError refuses what it was asked about. Anything else that it
// throws, and a result that breaks this contract, is a fault: the log names plugin, hook and place, and clients hear one fixed text.

import type { ASTNode, DirectiveNode, DocumentNode, FieldDefinitionNode, GraphQLSchema, TypeDefinitionNode } from "graphql";
import type { Location, QuernError } from "../ground/errors.ts";
import type { EndName, FieldName, Json, MaybePromise, Stored, TypeName, Uid, Value, ValueKind } from "../ground/values/value.ts";
import type { Change } from "./change.ts";
import type { ChangeRecord } from "./change-record.ts";
import type { FieldLayout, IndexLayout, KeyLayout, TypeLayout } from "./layout.ts";
import type { Exposure, Field, LinkField, Model, NodeType, ValueField } from "./model.ts";
import type { Predicate } from "./predicate.ts";
import type { NodeRef, Snapshot, Transaction } from "./storage.ts";

/** The version of this contract. It rises when a plugin that was written for the version before could break. */
export const pluginContract = 1;

export interface DirectivePlugin {
  /** The version of the contract that the plugin was written for: `contract: 1`. Another one than `pluginContract` is an error at start. */
  readonly contract?: number;
  /** Unique in a stack: `search`. */
  readonly name: string;
  /** Plugins that must be installed and come before this one. A missing or later one is an error at start that names both. */
  readonly after?: readonly string[];
  /** Plugins that must come before this one if they are installed. */
  readonly follows?: readonly string[];
  /** SDL of the directives, and of scalars, enums and inputs their arguments or generated fields use. Shown in the served schema. */
  readonly definitions: string;
  /** Directives on an interface that implementing types take over (`@secret`). Field directives always come with their field. */
  readonly inherited?: readonly string[];
  /** Directives that still count on a field which a type repeats from its interface; of others only the interface's do. */
  readonly kept?: readonly string[];
  /**
   * Keywords of the configuration comments it reads: `Authorization` for `# Service.Authorization {...}`. A known keyword that no
   * installed plugin reads refuses the deploy.
   */
  readonly settings?: readonly string[];
  /** Judges its configuration comments before the types are looked at; a QuernError refuses the deploy with nothing else said. */
  checkSettings?(settings: (keyword: string) => readonly SettingLine[]): void;
  /**
   * `model` judges the values of its directives' arguments, in words of its own. By default the kernel does: a value that does not fit the
   * directive's definition, or a required one that is missing, refuses the deploy at its place, and `model` does not run.
   */
  readonly judgesArguments?: boolean;
  /** Once per deploy, after inheritance and standard validation, that of the directives' arguments included. Problems are reported, all at once, and refuse the deploy. */
  model(context: ModelContext): Hooks | undefined;
}

// ---- model ------------------------------------------------------------------------------------------------------------

export interface ModelContext {
  /** With the facts recorded so far, also by plugins before this one. */
  readonly model: Model;
  /** Every use of this plugin's directives named `directive`, in source order, inherited ones included. */
  uses(directive: string): readonly DirectiveUse[];
  /** Its uses on fields of definitions that are not stored, in source order. */
  usesElsewhere(directive: string): readonly DirectiveNode[];
  /** As `uses`, on fields of definitions that are not stored: the client's `Query` and `Mutation`, and objects that live elsewhere. */
  unstoredUses(directive: string): readonly UnstoredUse[];
  /** `message` is a whole sentence, shown unchanged; `at` gives its locations. */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string): void;
  /** The configuration comments with `keyword`, one of the plugin's `settings`, in order. */
  settings(keyword: string): readonly SettingLine[];
  readonly record: Recorder;
  /** What this schema is to replace. Undefined where nothing is deployed, at a restart, and where only a text is looked at. */
  readonly former?: FormerNames | undefined;
}

/** The deployed schema, and what storage calls its things and those that earlier schemas left behind. */
export interface FormerNames {
  readonly model: Model;
  /** By name in the schema; undefined when no such type was ever deployed, or another one has taken its data over. */
  storedType(type: string): TypeName | undefined;
  /** The same for a field: `("Author", "name")`. */
  storedField(type: string, field: string): FieldName | EndName | undefined;
}

/** A configuration comment: `# Service.Secret name "value"`. */
export interface SettingLine {
  /** The prefix the client wrote; messages show it. */
  readonly prefix: "Service" | "Dgraph";
  /** The whole line, trimmed. */
  readonly line: string;
  /** What follows `prefix.`, trimmed: the keyword, perhaps with more letters, then the rest. */
  readonly text: string;
  /** Where the line starts. */
  readonly location: Location;
}

/** A directive on a type (`field` undefined) or a field. */
export interface DirectiveUse {
  readonly node: DirectiveNode;
  /**
   * The arguments as the directive's definition types them, with its defaults; an argument without value and default is absent. Int64 is a
   * bigint, an enum its name. Of a plugin that `judgesArguments` it throws `SCHEMA_INVALID` where they do not fit.
   *
   *     // directive @range(min: Float, max: Float = 100) on FIELD_DEFINITION
   *     const { min, max } = use.args; // @range(min: 1): 1, 100
   */
  readonly args: Readonly<Record<string, unknown>>;
  readonly definition: TypeDefinitionNode;
  /** Undefined on definitions that are not stored. */
  readonly type: NodeType | undefined;
  readonly field: Field | undefined;
  /** It came with an interface's field or type, and is judged there. */
  readonly inherited: boolean;
}

/** A directive on a field that is not stored. */
export interface UnstoredUse {
  readonly node: DirectiveNode;
  /** As those of `DirectiveUse`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly definition: TypeDefinitionNode;
  readonly field: FieldDefinitionNode;
}

/** Facts a plugin adds to the model. Later facts about the same thing win; a fact about a field of an interface reaches implementing types. */
export interface Recorder {
  /** The type's name in storage, and the prefix of its fields' names. */
  storedType(type: NodeType, name: string): void;
  /** The whole name of the field or end in storage. */
  storedField(field: Field, name: FieldName): void;
  /**
   * The type is the one that an earlier schema called `former`: it keeps the storage names of that type and of its fields, in later
   * schemas too, whether they say so again or not. A name given by `storedType` stays, and an unknown `former` changes nothing.
   */
  renamedType(type: NodeType, former: string): void;
  /** The same for a field. @param of what the type that declares it was called then; by default what it is called now */
  renamedField(field: Field, former: string, of?: string): void;
  /** `field` names a node, uniquely among objects of its type, or across an interface. */
  key(field: Field, scope: "type" | "interface"): void;
  /** Both fields are the two sides of one edge. A field may be its own inverse. */
  inverse(field: LinkField, other: LinkField): void;
  /** `field` shows the links of `forward` from the other side and is not written. */
  reverse(field: LinkField, forward: LinkField): void;
  exposure(field: Field, change: Partial<Exposure>): void;
  /** The field may be left out of Add inputs though it is `!`. */
  optionalOnAdd(field: ValueField): void;
  collation(field: ValueField, tag: string): void;
  /** A stored field that only inputs show, after all others: `{name: "pass", kind: "password", nonNull: true}`. */
  inputField(
    type: NodeType,
    field: { readonly name: string; readonly kind: ValueKind; readonly nonNull: boolean; readonly stored?: FieldName },
  ): void;
  /** A field that is not stored: `compute` of the `api` hook fills it. */
  computed(field: Field): void;
  /**
   * Switches a generated operation (`get query aggregate add update delete`, or a plugin's own word) on or off for a type. `subscription`
   * is off by default: on, the type's queries are fields of `Subscription` too.
   */
  operation(type: NodeType, operation: string, on: boolean): void;
  /** Shows a directive on a field in the served schema that the client did not write. */
  directive(field: Field, name: string, args: Readonly<Record<string, string>>): void;
}

// ---- hooks ------------------------------------------------------------------------------------------------------------

export interface Hooks {
  /** Adds to what storage keeps. */
  readonly layout?: () => LayoutAdditions;
  /** Adds to the generated API. */
  readonly api?: () => ApiAdditions;
  /** With the API generated, before storage is asked: compiles what is written against it. What it reports refuses the deploy. */
  readonly compile?: (context: CompileContext) => void;
  /** Fetches what lies elsewhere before the schema serves. Throwing a QuernError refuses a deploy; at a restart it is only told. */
  readonly open?: (why: "validate" | "deploy" | "restart") => MaybePromise<void>;
  /** Request headers of its own, which pages of other origins may send. */
  readonly headers?: readonly string[];
  /** Looks at the headers before the document is read; throwing refuses the whole request. */
  readonly admit?: (headers: Readonly<Record<string, string | undefined>>) => void;
  /**
   * Says who asks, before anything runs. A QuernError that it throws becomes that of every root field which shows or touches nodes, in
   * the words of each; nothing is read or written. The facts' text is part of every sharing key.
   */
  readonly request?: (request: RequestView) => MaybePromise<Readonly<Record<string, Json>>>;
  /** When what `request` said of this request ends, in milliseconds since 1970: its subscriptions end then. Undefined: never. */
  readonly until?: (request: RequestView) => number | undefined;
  /**
   * Which nodes of `type` (an object type) `request` may see or touch for `purpose`; `deny`: none, without a look; undefined: no opinion. Asked
   * wherever the type stands in a plan: what is dear to make is kept by the plugin, unless it has to be waited for.
   */
  readonly narrow?: (type: NodeType, purpose: Purpose, request: RequestView) => MaybePromise<Predicate | "deny" | undefined>;
  /** The purposes for which `narrow` may have an opinion; by default all. Nobody is asked about the others, and what is bound for them is kept. */
  readonly narrows?: readonly Purpose[];
  /** Fields that not everybody may see. */
  readonly masks?: readonly FieldMask[];
  /** Changes one operand of a filter, key argument or reference (`@lowercase`). */
  readonly operand?: (field: ValueField, value: Value) => Value;
  /** Before the transaction, may be slow: sees each input object, changes or refuses values. */
  readonly values?: (input: InputObject, request: RequestView) => MaybePromise<InputChanges | undefined>;
  /** In the transaction, before writing: the changes to make instead of these. Reads nothing but `transaction`. May run again. */
  readonly changes?: (context: ChangesContext) => MaybePromise<readonly Change[] | undefined>;
  /** In the transaction, after writing: throws to refuse. Reads nothing but `transaction`. May run again. */
  readonly check?: (context: ChangesContext) => MaybePromise<void>;
  /** After a commit of this server is durable. Its failure is logged and changes nothing. */
  readonly commit?: (record: ChangeRecord, request: RequestView) => MaybePromise<void>;
  /**
   * The schema is replaced or the kernel closes: release timers and connections. The hooks of all plugins and the store close side by side:
   * `close` reads no data. What it throws is logged with the plugin's name, and `kernel.close` reports it when everything is closed.
   */
  readonly close?: () => MaybePromise<void>;
}

/**
 * For whoever may not see a masked field, it holds nothing: neither in answers and measures, nor where filters, orders, keys and demands look.
 * Rules see what is there.
 */
export interface FieldMask {
  /** Of an object type. */
  readonly field: ValueField | LinkField;
  /** What a selection shows in its place; `error` says so, beside the null. */
  readonly shows: "null" | "error";
  /** Of which nodes `request` may see the field; `deny`: of none; undefined: no opinion. */
  readonly visible: (request: RequestView) => MaybePromise<Predicate | "deny" | undefined>;
}

export interface CompileContext {
  /** As clients see it. */
  readonly schema: GraphQLSchema;
  /** `message` is a whole sentence, shown unchanged. */
  report(message: string, at?: ASTNode | Location | readonly (ASTNode | Location)[], hint?: string): void;
  /** `query` holds one operation with one root field `query<Type>`, valid against `schema`. */
  pattern(query: DocumentNode): Pattern;
}

/**
 * The nodes that a query finds when everything it selects must be there: as with `@cascade` on all of it, unless its root says otherwise.
 * Orders and pages mean nothing in it.
 */
export interface Pattern {
  /**
   * The condition, given the coerced values of the query's variables. Throws `VALUE_INVALID` for operands that cannot be compared and for
   * a `@cascade` that names no field.
   */
  where(variables: Readonly<Record<string, unknown>>, request: RequestView): MaybePromise<Predicate>;
  /** The variables decide alone, whatever the request: whoever asks again with the same ones may use the condition it has. */
  readonly fixed: boolean;
}

/**
 * Why nodes are looked at. `displaced`: partners that a new link pushes out; `reference`: nodes that an input names; `rule`: nodes that a
 * pattern passes through; `updated`: nodes that an update chose, as they are after it.
 */
export type Purpose = "query" | "password" | "add" | "update" | "delete" | "reference" | "displaced" | "rule" | "updated";

/** One request, as hooks see it. */
export interface RequestView {
  /** UUID, also in `extensions.requestID`. */
  readonly id: string;
  /** When it began, RFC 3339 to the second: the `$now` of this request. */
  readonly now: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What `request` hooks found, all plugins' facts together. */
  readonly facts: Readonly<Record<string, Json>>;
}

/** Things of the same name are replaced: a derived field takes the place of the plain one the kernel made. Only a type that is there gains the fields. */
export interface LayoutAdditions {
  readonly types?: readonly TypeLayout[];
  readonly fields?: readonly FieldLayout[];
  readonly indexes?: readonly IndexLayout[];
  readonly keys?: readonly KeyLayout[];
}

export interface ApiAdditions {
  /** SDL of inputs, enums and types that the additions use. */
  readonly definitions?: string;
  /** How stored fields may be filtered. */
  readonly filters?: readonly FieldFilter[];
  readonly roots?: readonly RootField[];
  readonly computed?: readonly ComputedField[];
  /** Reasons by name of a generated root field. */
  readonly deprecated?: Readonly<Record<string, string>>;
  /** Names of fields of the client's `Query` that are fields of `Subscription` too: whoever answers them reads nothing but `snapshot`. */
  readonly live?: readonly string[];
}

/** Puts a member named like the field into `<T>Filter`. */
export interface FieldFilter {
  readonly field: ValueField;
  /** A type of `definitions`, a built-in input or scalar: `StringHashFilter`, `Boolean`. */
  readonly input: string;
  /**
   * The condition that the coerced value of the member asks for; undefined: no constraint. Int64 arrives as bigint, DateTime as written.
   * Throws `VALUE_INVALID` for what cannot be compared.
   */
  readonly predicate: (operand: unknown) => Predicate | undefined;
}

/**
 * A root field of the plugin's own, or its answer to a field of that name in the client's `Query` or `Mutation`: the field belongs to the
 * plugin that claims it so, whatever directives it carries. A field of the client's that no plugin claims refuses the deploy, and so does one
 * whose declared type is not `type`. Two plugins that claim one field are `PLUGIN_CLASH`.
 *
 *     { operation: "query", signature: "oldest: Person", type: person, run: async ({ snapshot }) => ({ nodes: await oldest(snapshot) }) }
 */
export interface RootField {
  readonly operation: "query" | "mutation";
  /** As in SDL: `checkClerkPassword(login: String!, pass: String!): Clerk`. Of a field that the client declares only the name counts. */
  readonly signature: string;
  /** The stored type whose nodes `run` gives; undefined when it gives JSON. Queries stand after that type's `get`, mutations after its `delete`. */
  readonly type?: NodeType;
  /** How `type` is narrowed; by default `query`. */
  readonly purpose?: Purpose;
  readonly run: (context: RootContext) => MaybePromise<RootAnswer>;
}
export interface RootContext {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Raw reads: no rule narrows them. Nodes that `run` answers with are narrowed; values that it puts into JSON are not. */
  readonly snapshot: Snapshot;
  readonly request: RequestView;
  /**
   * Runs a query, and in a root field of `Mutation` a mutation too, as the caller of this request: with its rules, masks, operands, `values`
   * hooks, change records and limits. Each root field of a mutation is a transaction of its own. What it commits is seen by what `run` asks
   * and answers afterwards. Never rejects for what a client would be answered with: that is in `errors`.
   *
   *     run: async ({ arguments: { id }, execute }) => {
   *       const { errors } = await execute({ query: "mutation M($id: ID!) { updateTask(input: { filter: { id: [$id] }, set: { done: true } }) { numUids } }", variables: { id } });
   *       return { json: errors.length === 0 };
   *     }
   */
  readonly execute: (request: ExecuteRequest) => MaybePromise<ExecuteAnswer>;
}

export interface ExecuteRequest {
  /** One operation. */
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface ExecuteAnswer {
  /** By key. Integers beyond 2^53 are bigints. Undefined where nothing ran. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** As a client gets them. */
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

/** Nodes to read on from, or the finished value. */
export type RootAnswer = { readonly nodes: readonly Uid[] } | { readonly json: Json };

export interface ComputeContext {
  readonly snapshot: Snapshot;
}

/** Values of a field that is not stored, for many parents at once. */
export interface ComputedField {
  readonly field: Field;
  /** Stored fields of the parents that `compute` reads. */
  readonly needs: readonly FieldName[];
  /**
   * One result per parent, in order; null where there is none. Each is completed by the field's type as the JSON of a root field is: an
   * object is cut to the selection. `snapshot` is what the answer is read from; no rule narrows it.
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
  ) => MaybePromise<readonly Json[]>;
  /** The values hang on more than the arguments and `needs`, so that they change unseen: a subscription may not select the field. */
  readonly elsewhere?: boolean;
}
export interface Parent extends NodeRef {
  /** Aligned with `needs`. */
  readonly values: readonly (Stored | undefined)[];
}

/** One input object of a mutation, before anything is looked up. */
export interface InputObject {
  readonly type: NodeType;
  /** `add`: top level of an add; `nested`: may turn out a reference or a new node; `set` and `remove`: the patches of an update. */
  readonly role: "add" | "nested" | "set" | "remove";
  /** Value fields of the type by field name: coerced; null when given as null; absent when not given. */
  readonly values: ReadonlyMap<string, Stored | null>;
}
export interface InputChanges {
  /** Replaces values. */
  readonly values?: ReadonlyMap<string, Stored | null>;
  /** Values of fields that are absent, if the object becomes a new node. */
  readonly whenCreated?: ReadonlyMap<string, Stored>;
  /** Values of fields that are absent, if the object changes an existing node. */
  readonly whenUpdated?: ReadonlyMap<string, Stored>;
  /** Counts if the object's values are used: not when it turns out a mere reference. */
  readonly refuse?: QuernError;
}

/** A transaction without the ways to write nodes past other plugins' hooks. */
export type ChangesTransaction = Omit<Transaction, "write" | "uids" | "close">;

export interface ChangesContext {
  readonly changes: readonly Change[];
  /**
   * Reads see what the mutation has written. `hold` makes the commit fail, and run again, if another changes a node that a decision is based on;
   * `setMeta` keeps small JSON under a name, in this commit. Nodes are changed by what `changes` returns.
   *
   *     check: async ({ transaction }) => {
   *       const count = Number((await transaction.meta("audit.count")) ?? 0);
   *       await transaction.setMeta("audit.count", count + 1);
   *     }
   */
  readonly transaction: ChangesTransaction;
  readonly request: RequestView;
  /** The mutation: its root field, the type it is about, and the root field's arguments, coerced. */
  readonly mutation: {
    readonly field: string;
    readonly kind: "add" | "update" | "delete";
    readonly type: NodeType;
    readonly arguments: Readonly<Record<string, unknown>>;
  };
  /** Uids for nodes that the hook creates. */
  readonly uids: (count: number) => MaybePromise<readonly Uid[]>;
}
