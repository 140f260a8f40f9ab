// Root fields that a plugin adds, or resolves for a client that has declared them.

import type { FieldNode, FragmentDefinitionNode, GraphQLOutputType, GraphQLSchema } from "graphql";
import type { EndName, FieldName, MaybePromise } from "../../ground/values/value.ts";
import type { NodeType } from "../model.ts";
import type { Snapshot } from "../storage/snapshot.ts";
import type { ExecuteAnswer, ExecuteRequest } from "./execute.ts";
import type { Purpose, RequestView } from "./request-view.ts";
import type { RootAnswer } from "./root-answer.ts";
import type { RootTransaction } from "./root-transaction.ts";

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
   * The stored type of the nodes that `run` returns; undefined when it returns JSON, of any type: a scalar, or one that `ApiAdditions.definitions` defines,
   * which a field of the client may name too. The served schema lists queries after the type's `get`, and
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

/** What a root field's `run` may use. Take members out of it: most are made when they are asked for, and a spread does not copy these. */
export interface RootContext {
  /** Coerced, with defaults. An argument that the client gives as null is null; one that it does not give is absent. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The arguments as the client wrote them, as `ChangesContext.mutation.sent`. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Unrestricted reads of what is stored. `narrow` applies to the nodes that `run` returns, but not to values that it copies into JSON. */
  readonly snapshot: Snapshot;
  /**
   * The same view as the caller may see it: nodes that rules hide do not exist in it, hidden fields have no values, and values are as callers get them. A plugin that answers
   * questions of its own reads it instead of `snapshot`:
   *
   *     run: async ({ visible }) => {
   *       const seen = await visible();
   *       const [row] = await seen.aggregate({ over: { types: ["Note"] }, measures: [{ kind: "count" }] });
   *       return { json: Number(row?.[0] ?? 0) };
   *     }
   */
  readonly visible: () => MaybePromise<Snapshot>;
  /**
   * The same view for an answer that stands outside rules, as DQL does in Dgraph: every node exists in it, unless a plugin narrows everywhere
   * (`Hooks.narrowsEverywhere`): then it is `visible`. In both, values are as callers get them (`Hooks.shown`).
   */
  readonly outsideRules: () => MaybePromise<Snapshot>;
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
  /**
   * Runs `work` in one transaction, in a root field of `Mutation`: all that it executes is committed together, or nothing is. Resolves with what `work`
   * returns, when the commit is durable; later reads of `run` see it.
   *
   *     run: async ({ arguments: { sku }, transaction }) => {
   *       const order = await transaction(async (tx) => {
   *         const take = `mutation ($sku: String!) {
   *           updateItem(input: { filter: { sku: { eq: $sku }, stock: { ge: 1 } }, increment: { stock: -1 } }) @affects(atLeast: 1) { numUids }
   *         }`;
   *         await tx.execute({ query: take, variables: { sku } });
   *         const add = "mutation ($sku: String!) { addOrder(input: [{ item: { sku: $sku } }]) { order { id } } }";
   *         return (await tx.execute({ query: add, variables: { sku } })).data.addOrder;
   *       });
   *       return { json: order };
   *     }
   *
   * `work` may run several times: again after each race that it loses to another writer. It must have no other effects, such as a message that it sends.
   * On a store with one writer, as LevelDB is, all other writes wait while it is open: hash passwords and ask other services before. A transaction that
   * spends more than 100 ms outside the store is logged. All of it changes at most `limits.maxChanges` nodes, within `limits.maxTransactionMs` and the time of
   * the request. There is one commit: one change record, and `commit` hooks are called once.
   *
   * Rejects with what `work` throws, with the error of a mutation that was refused in it, and with `CONFLICT`, `LIMIT_REACHED` or an error of the store;
   * nothing is committed then. While it is open, `execute` of the root field runs no mutation, and no second transaction begins: they would wait for each other.
   */
  readonly transaction: <T>(work: (tx: RootTransaction) => MaybePromise<T>) => Promise<T>;
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
