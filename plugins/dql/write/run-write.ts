// One request that writes: its query, its conditions, and what its mutations make of the data.

import { type MaybePromise, run, type Snapshot, type Uid, type Work } from "../../../core/plugin.ts";
import type { AnswerObject } from "../answer/node.ts";
import { inputsOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Mutation, Triple, WriteRequest } from "../mutation/syntax.ts";
import { runForVariables } from "../request/run-document.ts";
import { Catalog, type CatalogSource, untypedName } from "../schema/catalog.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import type { Variables } from "../state/variables.ts";
import { holds } from "./conditions.ts";
import type { Draft } from "./draft.ts";
import type { WriteFacts } from "./facts.ts";
import { type NodeNames, type Operation, operationsOf } from "./operations.ts";

/** The answer to a request. */
export interface WriteAnswer {
  /** Null: it has no query. */
  readonly queries: AnswerObject | null;
  /** The nodes that it has made, by the name of their blank. Null: it has no mutation. */
  readonly uids: ReadonlyMap<string, Uid> | null;
}

export interface WriteContext {
  readonly draft: Draft;
  /** What the query sees. */
  readonly snapshot: Snapshot;
  readonly schema: CatalogSource;
  readonly work: DocumentBudget;
  readonly hashes: ReadonlyMap<string, string>;
  /** Uids for new nodes. */
  readonly uids: (count: number) => MaybePromise<readonly Uid[]>;
  /** What of the operations is carried out. @throws QuernError for those that the client may not have */
  readonly judged: (operations: readonly Operation[], purpose: "set" | "delete") => MaybePromise<readonly Operation[]>;
}

/** Runs a request on a draft, which holds afterwards what it has written. */
export async function runWrite(request: WriteRequest, context: WriteContext): Promise<WriteAnswer> {
  const { queries, variables } = await runQuery(request, context);
  if (request.mutations.length === 0) return { queries, uids: null };
  const conditions = { catalog: catalogOf(context), inputs: new Map(), variables, nearest: new Map(), work: context.work };
  const due = request.mutations.filter(({ condition }) => holds(condition, conditions));
  const made = await makeNodes(due, variables, context);
  const names: NodeNames = { newNode: (name) => made.get(name) ?? 0 };
  for (const mutation of due) await runMutation(mutation, { variables, names, context });
  return { queries, uids: made };
}

async function runQuery({ query, inputs: given }: WriteRequest, context: WriteContext) {
  if (query === undefined) return { queries: null, variables: new Map() satisfies Variables };
  const { snapshot, work } = context;
  const options = { catalog: catalogOf(context), inputs: inputsOf(query, given), snapshot, work, typenameOf: undefined, now: Date.now() };
  const { answer, variables } = await runForVariables(query, options);
  return { queries: answer, variables };
}

function catalogOf({ draft, schema }: WriteContext): Catalog {
  return new Catalog(draft.overlay.nodes.size === 0 ? schema : { ...schema, untyped: untypedName() });
}

/** Uids for the blank nodes that the mutations name, and for variables without nodes. */
async function makeNodes(mutations: readonly Mutation[], variables: Variables, context: WriteContext): Promise<ReadonlyMap<string, Uid>> {
  const wanted = await run(newNames(mutations, variables), context.work);
  if (wanted.size === 0) return new Map();
  const uids = await context.uids(wanted.size);
  return new Map([...wanted].map((name, i) => [name, uids[i] ?? 0]));
}

function* newNames(mutations: readonly Mutation[], variables: Variables): Work<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { set } of mutations) {
    for (const [i, triple] of set.entries()) {
      if (i % triplesOfTurn === triplesOfTurn - 1) yield;
      for (const name of namesIn(triple, variables)) names.add(name);
    }
  }
  return names;
}

/** Triples between two steps. */
const triplesOfTurn = 256;

function namesIn({ subject, object }: Triple, variables: Variables): readonly string[] {
  return [subject, object].flatMap((term) => {
    if (term.kind === "blank") return [term.name];
    if (term.kind !== "variable") return [];
    const variable = variables.get(term.name);
    const isEmpty =
      variable === undefined || (variable.kind === "uids" ? variable.uids.length : variable.kind === "values" ? variable.values.size : 0) === 0;
    return isEmpty ? [`uid(${term.name})`] : [];
  });
}

interface Running {
  readonly variables: Variables;
  readonly names: NodeNames;
  readonly context: WriteContext;
}

/** Deletes come before sets. */
async function runMutation(mutation: Mutation, { variables, names, context }: Running): Promise<void> {
  const { draft, work, hashes } = context;
  const options = { facts: draft.facts, variables, names, hashes };
  const deletes = await context.judged(await run(operationsOf(mutation.delete, "delete", options), work), "delete");
  const sets = await context.judged(await run(operationsOf(mutation.set, "set", options), work), "set");
  await draft.prepare(deletes, work);
  await draft.prepare(sets, work);
  await run(draft.carryOut({ operations: deletes, purpose: "delete" }), work);
  await run(draft.carryOut({ operations: sets, purpose: "set" }), work);
}

const rounds = 10;
const shortestBytes = 6;
/** bcrypt ignores further bytes. */
const longestBytes = 72;
/** Passwords of one request: each takes a tenth of a second. */
const maxPasswords = 100;

/** Hashes of the passwords of a request, which take long: before its transaction. */
export async function hashesOf({ mutations }: WriteRequest, { fields }: WriteFacts): Promise<ReadonlyMap<string, string>> {
  const passwords = new Set<string>();
  for (const { predicate, object } of mutations.flatMap(({ set }) => set)) {
    if (predicate === undefined || object.kind !== "literal" || object.type === "password") continue;
    if (fields.get(predicate)?.layout.kind === "password") passwords.add(object.text);
  }
  if (passwords.size > maxPasswords) throw refusal(`A request may set ${maxPasswords} passwords. Split it.`);
  const hashes = new Map<string, string>();
  for (const password of passwords) hashes.set(password, await hashed(password));
  return hashes;
}

async function hashed(password: string): Promise<string> {
  const bytes = Buffer.byteLength(password);
  if (bytes < shortestBytes) throw refusal(`Password too short, i.e. should have at least ${shortestBytes} chars`);
  if (bytes > longestBytes) throw refusal(`bcrypt: password length exceeds ${longestBytes} bytes`);
  const { hash } = await import("bcrypt");
  return await hash(password, rounds);
}
