// The target of an import: a store that this process opens, or a running server. Both receive ordinary mutations.

import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import type { Log } from "../../../core/index.ts";
import { type DeployOptions, type ErrorCode, type Kernel, parseJson, QuernError, writeJson } from "../../../core/index.ts";
import { isObject } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import type { QuernConfig } from "../../server/index.ts";
import { type BulkBatch, type BulkLinks, type BulkWriter, bulkWriter, type GatheredBatch } from "../../transfer/index.ts";
import { postText, type ServerAddress } from "../client/server-url.ts";
import { sayAccounts } from "../stack/accounts.ts";
import { kernelOf, type StackChoice } from "../stack/stack.ts";
import { type ImportMark, markingStorage, markName, marksToJson, parseMarks, withMark } from "./import-mark.ts";
import { IndexingBeside } from "./indexing-beside.ts";

export interface ImportTarget {
  readonly schema: GraphQLSchema;
  /**
   * Runs one operation and returns its data. A mutation is durable when this resolves. Errors: `REQUEST_REFUSED` with the answer's messages.
   *
   * @param writing the mark to write in the transaction of a mutation
   */
  run(query: string, variables: Readonly<Record<string, unknown>>, writing?: WriteOptions): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Writes plain objects without a mutation: `create` as the first pass adds nodes, `link` as the second one links them. Undefined: the target takes
   * mutations alone.
   */
  readonly plain?: PlainWriting;
  /** Links objects at once. Undefined: the target cannot. */
  readonly links?: LinksAtOnce;
  /** False: nodes of an earlier run are found by their keys instead. */
  readonly keepsMarks: boolean;
  /** Marks of earlier runs. */
  marks(): Promise<readonly ImportMark[]>;
  /** Writes a mark in a transaction of its own. */
  mark(step: MarkStep): Promise<void>;
  /** Builds the indexes that the storage has deferred. Call it when everything is loaded. */
  finish(progress: NonNullable<DeployOptions["progress"]>): Promise<void>;
  close(): Promise<void>;
  /** The log of a local stack; a running server logs by itself. */
  readonly log?: Log;
}

/** Calls of a `BulkWriter`. False: nothing was written, and a mutation must do it. */
export type PlainWriting = { readonly [Call in "create" | "link"]: (objects: readonly unknown[], writing: WriteOptions) => Promise<boolean> };

export interface LinksAtOnce {
  /** Links the objects of all batches in one commit, and writes marks in it. False: nothing was written. */
  write(batches: AsyncIterable<BulkBatch>, steps: () => readonly MarkStep[]): Promise<boolean>;
  /** Gathers links while nodes are created; nobody else writes to the store. */
  gather(): GatheredBatches;
}

export interface GatheredBatches {
  /** Whether batches may have links by keys alone. */
  readonly takesKeys: boolean;
  /** @returns false when there are too many: they are read again for `LinksAtOnce.write` */
  add(batch: GatheredBatch): boolean;
  /** As `LinksAtOnce.write`. */
  write(steps: () => readonly MarkStep[]): Promise<boolean>;
}

export interface WriteOptions {
  readonly step: MarkStep | undefined;
  /** Called when only a disk failure can still refuse the mutation, so that the next one may be sent. A remote target does not call it. */
  readonly staged: () => void;
}

export interface MarkStep {
  readonly before: ImportMark | undefined;
  readonly now: ImportMark;
}

/** The store is at fault, and no line of the file: the import ends. The answer to a mutation has only a message. */
const storeFailures: ReadonlySet<ErrorCode> = new Set(["STORE_UNAVAILABLE", "STORE_CORRUPT", "STORE_CLOSED", "STORE_LOCKED", "OUTCOME_UNKNOWN"]);

export interface LocalLoad {
  /** The type of the objects. */
  readonly type: string;
  /** How a thread makes the same stack. Absent: there is none beside the load. */
  readonly choice?: StackChoice;
}

/** Opens the store of `stack`; the limits of single requests do not apply to an import. */
export async function localTarget(
  stack: QuernConfig,
  { type, choice }: LocalLoad,
  prepare: (kernel: Kernel) => Promise<void>,
): Promise<ImportTarget> {
  const name = markName(type);
  let marks: readonly ImportMark[] = [];
  let writing: WriteOptions | undefined;
  let broken: QuernError | undefined;
  const storage = markingStorage(stack.storage, {
    pending: () => (writing?.step === undefined ? undefined : { name, value: marksToJson(withMark(marks, writing.step.before, writing.step.now)) }),
    staged() {
      if (writing?.step !== undefined) marks = withMark(marks, writing.step.before, writing.step.now);
      writing?.staged();
      writing = undefined;
    },
    failed(thrown) {
      if (thrown instanceof QuernError && storeFailures.has(thrown.code)) broken ??= thrown;
    },
  });
  const unlimited = {
    maxTimeMs: Number.POSITIVE_INFINITY,
    maxInputList: Number.POSITIVE_INFINITY,
    maxTouchedNodes: Number.POSITIVE_INFINITY,
    maxChanges: Number.POSITIVE_INFINITY,
  };
  const kernel = await kernelOf({
    ...stack,
    storage,
    limits: { ...stack.limits, ...unlimited },
    log: { ...stack.log, slowQueryMs: Number.POSITIVE_INFINITY },
  });
  await kernel.open({ background: false, deferIndexes: true }).catch(sayAccounts);
  try {
    await prepare(kernel);
    if (await isEmpty(stack.storage)) boundCache(stack.storage);
    const { deployment } = kernel;
    if (deployment === undefined) throw new QuernError("NO_SCHEMA", "No schema is deployed in the store; name a schema file with --schema.");
    const refused = (why: string) => kernel.log.info("import", `each object is added by a mutation, which takes longer. ${why}`, { type });
    const bulk = bulkWriter(kernel, type, { refused });
    const indexing = choice && new IndexingBeside(stack.storage, deployment, choice);
    const written = async (work: () => Promise<boolean>, options: WriteOptions): Promise<boolean> => {
      writing = options;
      const isWritten = await work();
      if (!isWritten) writing = undefined;
      return isWritten;
    };
    const links =
      bulk &&
      linksAtOnce(bulk, async (steps, write) => {
        const marked = () => steps().reduce((all, { before, now }) => withMark(all, before, now), marks);
        const isWritten = await write(() => ({ name, value: marksToJson(marked()) }));
        if (isWritten) marks = marked();
        return isWritten;
      });
    return {
      schema: deployment.api.schema,
      keepsMarks: true,
      ...(bulk && {
        plain: {
          create(objects, options) {
            indexing?.created(objects.length);
            return written(() => bulk.create(objects), options);
          },
          link: (objects, options) => written(() => bulk.link(objects), options),
        },
      }),
      ...(links && { links }),
      async run(query, variables, options) {
        writing = options;
        const { body } = await kernel.execute({ query, variables });
        if (broken !== undefined) throw broken;
        return dataOf(body);
      },
      async marks() {
        const snapshot = kernel.storage.snapshot({ version: deployment.version });
        try {
          marks = parseMarks(await snapshot.meta(name));
          return marks;
        } finally {
          snapshot.close();
        }
      },
      async mark(step) {
        marks = withMark(marks, step.before, step.now);
        await stack.storage.transact((transaction) => transaction.setMeta(name, marksToJson(marks)), { version: deployment.version });
      },
      finish: (progress) => kernel.deploy(deployment.document, { deferIndexes: false, progress }),
      close: () => kernel.close(),
      log: kernel.log,
    };
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

async function isEmpty(storage: Storage): Promise<boolean> {
  const counters = await storage.statistics();
  return Object.entries(counters).every(([name, count]) => !name.startsWith("nodes.") || count === 0);
}

/** A load of an empty store reads little of what it has written: a million nodes took 135 MB less with this bound, and no more time. */
const loadCacheBytes = 32 << 20;

function boundCache({ cache }: Storage): void {
  if (cache !== undefined && cache.maxBytes > loadCacheBytes) cache.resize(loadCacheBytes);
}

type Marked = (steps: () => readonly MarkStep[], write: (meta: BulkLinks["meta"]) => Promise<boolean>) => Promise<boolean>;

function linksAtOnce({ linkAll, gatherLinks }: BulkWriter, marked: Marked): LinksAtOnce | undefined {
  if (linkAll === undefined || gatherLinks === undefined) return undefined;
  return {
    write: (batches, steps) => marked(steps, (meta) => linkAll({ batches, meta })),
    gather() {
      const gathered = gatherLinks();
      return { takesKeys: gathered.takesKeys, add: (batch) => gathered.add(batch), write: (steps) => marked(steps, (meta) => gathered.write(meta)) };
    },
  };
}

/** A running server. It stores no import marks. */
export async function remoteTarget(server: ServerAddress): Promise<ImportTarget> {
  const run = async (query: string, variables: Readonly<Record<string, unknown>>) =>
    dataOf(await postText(server, "/graphql", { body: writeJson({ query, variables }), contentType: "application/json" }));
  const introspection = await run(getIntrospectionQuery({ descriptions: false }), {});
  return {
    schema: buildClientSchema(introspectionIn(introspection)),
    run,
    keepsMarks: false,
    marks: async () => [],
    mark: async () => undefined,
    finish: async () => undefined,
    close: async () => undefined,
  };
}

function dataOf(body: string): Readonly<Record<string, unknown>> {
  const answer = parseJson(body) as { data?: Readonly<Record<string, unknown>>; errors?: readonly { readonly message: string }[] };
  if (answer.errors !== undefined) throw new QuernError("REQUEST_REFUSED", answer.errors.map((each) => each.message).join("; "));
  return answer.data ?? {};
}

function introspectionIn(data: Readonly<Record<string, unknown>>): IntrospectionQuery {
  if (isIntrospection(data)) return data;
  throw new QuernError("REQUEST_REFUSED", "the server does not describe its schema", { hint: "Allow introspection there, or give the admin token." });
}

/** `buildClientSchema` checks the rest. */
function isIntrospection(data: unknown): data is IntrospectionQuery {
  return isObject(data) && isObject(data.__schema);
}
