// The hooks of one deployed schema, in the order of a deploy and then of a request.

import type { ASTNode } from "graphql";
import type { Json, MaybePromise, Stored, Value } from "../../ground/values/value.ts";
import type { Change, Create } from "../change.ts";
import type { ChangeRecord } from "../change-record.ts";
import type { LinkField, NodeType, ValueField } from "../model.ts";
import type { Predicate } from "../predicate.ts";
import type { Snapshot } from "../storage/snapshot.ts";
import type { ApiAdditions, LayoutAdditions } from "./api-additions.ts";
import type { BackgroundTask } from "./background.ts";
import type { CompileContext } from "./compile-context.ts";
import type { ChangesContext, InputChanges, InputObject, WrittenContext } from "./mutation-hooks.ts";
import type { Permissions } from "./permissions.ts";
import type { Purpose, RequestView } from "./request-view.ts";

/** The hooks of one deployed schema. Each is optional; an absent hook costs nothing. */
export interface Hooks {
  /** At deploy: adds to the storage layout. */
  readonly layout?: () => LayoutAdditions;
  /** At deploy: adds to the generated API. */
  readonly api?: () => ApiAdditions;
  /** At deploy, with the API generated and before the store migrates: compiles queries against the API. Reported errors refuse the deploy. */
  readonly compile?: (context: CompileContext) => void;
  /**
   * Before the schema is served: fetches external data, such as a key set. A `QuernError` refuses a deploy. At a restart it is only logged, unless its code is
   * `CONFIG_INVALID`: then the configuration does not fit the schema, and the start is refused. It has `limits.openMs`; then a deploy is refused with
   * `PLUGIN_TIMEOUT`, and a restart goes on.
   */
  readonly open?: (why: "validate" | "deploy" | "restart") => MaybePromise<void>;
  /** Mistakes that do not refuse the deploy. The log shows them when the schema is deployed. */
  readonly warnings?: readonly SchemaWarning[];
  /**
   * After a deploy has switched to the schema: looks for stored data that contradict it, and returns what it finds. The log and the deploying client
   * get it as they get `warnings`. Not called at a restart. All surveys of a deploy have `limits.surveyMs`, ten seconds by default; one that takes longer, or
   * fails, is reported and refuses nothing.
   *
   *     survey: async ({ snapshot }) => {
   *       const [row] = await snapshot.aggregate({ over: { types: ["Post"], where: tooLong }, measures: [{ kind: "count" }] });
   *       return Number(row?.[0]) > 0 ? [{ message: `${row?.[0]} posts have a title that is too long.` }] : [];
   *     }
   */
  readonly survey?: (context: SurveyContext) => MaybePromise<readonly SchemaWarning[]>;
  /** Request headers that the plugin reads. CORS allows them. */
  readonly headers?: readonly string[];
  /**
   * Per request, before the document is parsed: validates the headers. A `QuernError` refuses the whole request.
   *
   * @param request the request as it came: what `request` gets too. A plugin that reads tokens lets pass what it would refuse where `facts.claims` are given
   */
  readonly admit?: (headers: Readonly<Record<string, string | undefined>>, request: RequestView) => void;
  /**
   * Per request, before anything is read: identifies the caller. The result is merged into `RequestView.facts`. Live queries are shared between
   * callers with equal facts. A `QuernError` becomes the error of every root field that reads or writes nodes.
   *
   * The hooks of several plugins run in their order, and each sees the facts of those before it. Of a fact with one name the last plugin's counts, as a whole.
   *
   * `claims` are the caller's claims, by which rules decide: a plain object of JSON values, such as those of a verified token, or what a plugin knows of a
   * session. A plugin that gives claims for a cookie comes before the one that verifies tokens: then a token that the client sends beside the cookie wins, and
   * a caller with claims needs no token. Where it has read them from a header that may hold a token too, such as `authorization`, it names the header in
   * `claimsHeader`: the verifier does not read it. A caller whom it does not know has no `claims`. Where the application has given claims in the process
   * (`execute({ claims })`), `claimsGiven` is true beside them: they say who asks, and count whatever hooks return.
   *
   *     request: async ({ headers: { cookie }, facts }) => {
   *       const session = facts.claimsGiven === true ? undefined : await sessionOf(cookie);
   *       return session ? { claims: { USER: session.email }, session: session.id } : {};
   *     },
   *     expiresAt: ({ facts }) => endOf(facts.session),
   *
   * A subscription keeps the facts with which it began. It ends at the earliest `expiresAt` of all plugins, when a `recheckAt` finds its caller refused, and when
   * `KernelAccess.recheckCallers` finds it refused or with other facts: a plugin calls it when a session is revoked, or its claims change.
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
   * When the caller of a subscription is to be identified again, in milliseconds since 1970, as where a key may be revoked that has signed a token.
   * `request` is then called again: its `QuernError` ends the subscription, its facts are not used, and this hook names the next time. Undefined: never.
   */
  readonly recheckAt?: (request: RequestView) => number | undefined;
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
  /**
   * True: who narrows here does so everywhere. Answers that otherwise stand outside rules, such as those of DQL, then obey the rules of all plugins, whatever the
   * options of their plugins say: `LanguageQuestion.snapshot`, `RootContext.outsideRules` and `KernelAccess.outsideRules` show what the caller may see.
   * For tenants, or for objects that count as deleted. Default: false, as `@auth` of Dgraph does not reach DQL.
   */
  readonly narrowsEverywhere?: boolean;
  /** Column-level security: fields that are visible for some nodes or callers only. */
  readonly masks?: readonly FieldMask[];
  /** Fields of which callers get other values than the stored ones. Masks apply first: a hidden value is not asked for. */
  readonly shown?: readonly ShownField[];
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
   * reading the database, because the transaction may see other data. In a transaction of a root field (`RootContext.transaction`) it runs within it.
   */
  readonly values?: (input: InputObject, request: RequestView) => MaybePromise<InputChanges | undefined>;
  /**
   * In the transaction, before the write: returns the changes to write instead; undefined: no difference. Reads only `transaction`. May run again. When it waits for
   * something else for longer than `limits.hookMs`, the transaction is undone (`PLUGIN_TIMEOUT`), because others wait for it; `check` and `append` likewise.
   *
   * What it adds is checked after the last plugin, and a mistake is a fault of the plugin: new nodes have a uid from `uids` and their required fields, values are
   * of the kinds of their fields, and the nodes that it writes to and links exist.
   */
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
   * close concurrently. An error is logged with the plugin's name, and `kernel.close` throws it when everything is closed. It has `limits.closeMs`.
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

/**
 * A field of which callers get another value than the stored one: a text that is stored encrypted, a place that is shown roughly.
 *
 *     { field: note, show: (stored) => decrypt(String(stored)) }
 *
 * Answers show it everywhere: queries, links, payloads, live queries, lists of plugins, `needs` of computed fields, and other query languages. Hooks, `snapshot`s of
 * plugins, webhooks, exports and backups have what is stored.
 *
 * Conditions, orders, aggregates and groups would compare what is stored. So the generated API offers no order and no aggregate of the field, and a deploy is refused
 * in which another plugin filters, indexes, groups by, or makes a key of it. `has` remains.
 */
export interface ShownField {
  /** A field of an object type. At most one plugin shows it. */
  readonly field: ValueField;
  /**
   * The value that the caller gets; undefined: none. It must fit the field. Synchronous, because it is called once for each value that is read: fetch keys in `open`.
   * A `QuernError` is an error of this one value, which is null. Anything else too: the log has it, and the client's message names the field and the plugin.
   *
   * @param stored a single value, or the list of a list field
   */
  readonly show: (stored: Stored, request: RequestView) => Stored | undefined;
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
