// Writes many objects without a request for each batch of them, for loads.

import { type Deployment, type ErrorCode, type Limits, QuernError } from "../../../core/index.ts";
import type { Link, Snapshot, Transaction } from "../../../core/plugin.ts";
import { type PlainType, plainType, plainTypeProblem } from "../../../core/server.ts";
import type { LinkLoad, Storage } from "../../../core/storage.ts";
import { createPlain } from "./bulk-create.ts";
import { linkPlain } from "./bulk-link.ts";
import { KnownNodes, plainLinks } from "./bulk-load.ts";
import type { KeyedLinks } from "./keyed-links.ts";
import { LinkGatherer } from "./link-gatherer.ts";
import { notPlain, readObjects } from "./plain-objects.ts";

/**
 * Writes objects of one type, as its mutation `add` does when nobody has rules about them:
 *
 *     const writer = bulkWriter(kernel, "Package");
 *     if (!(await writer?.create(packages))) await kernel.execute({ query, variables: { input: packages } });
 *
 * It writes what is plain: new objects with free keys, and links by key that displace no other. `false` leaves the rest to the mutation, which also says
 * what is wrong.
 */
export interface BulkWriter {
  /**
   * `add<T>(input: objects)`, in one transaction.
   *
   * @returns false when it wrote nothing
   * @throws what `Storage.transact` throws, except that a key or an end is taken before the commit
   */
  create(objects: readonly unknown[]): Promise<boolean>;
  /** The same with `upsert: true`, for objects that exist, and links to others that exist. */
  link(objects: readonly unknown[]): Promise<boolean>;
  /**
   * Writes the links of many objects that exist in one commit, as `link` does one batch after another; other values of the objects are left as they are.
   * For fields without links (`Storage.loadLinks`). Absent: the storage cannot.
   *
   * @returns false when it wrote nothing
   */
  readonly linkAll?: (load: BulkLinks) => Promise<boolean>;
  /**
   * Gathers links from now on, while their nodes are created, so that `linkAll` need not look up the keys of these. Nobody else may write to the store until the
   * links are written. Absent where `linkAll` is.
   */
  readonly gatherLinks?: () => GatheredLinks;
}

/** Links of objects, by their keys. */
export interface GatheredLinks {
  /** Whether `add` takes `KeyedLinks`: the type has one key, and all keys are texts. */
  readonly takesKeys: boolean;
  /** The objects exist; what they lead to may be created later, by the writer that gathers. @returns false when it holds too much: begin anew with `linkAll` */
  add(batch: GatheredBatch): boolean;
  /** As `linkAll` with all batches; called once. */
  write(meta: BulkLinks["meta"]): Promise<boolean>;
}

/** Objects of a load. */
export interface BulkLinks {
  /** Read one after the other, as the load takes them. */
  readonly batches: AsyncIterable<BulkBatch>;
  /** Asked for when all batches are read: metadata to store in the same commit. */
  readonly meta: NonNullable<LinkLoad["meta"]>;
}

/** One batch of `BulkLinks`. */
export interface BulkBatch {
  /** As an add takes them. */
  readonly objects: readonly unknown[];
  /** Called when the batch is not plain: `link`, or a mutation, must write it. */
  readonly left: () => void;
}

/** One batch of `GatheredLinks`. */
export interface GatheredBatch extends BulkBatch {
  /** Further objects. */
  readonly keyed?: readonly KeyedLinks[];
}

/** The parts of an open kernel that a writer needs. */
export interface BulkTarget {
  readonly storage: Storage;
  /** Undefined: no schema is deployed. */
  readonly deployment: Deployment | undefined;
  /** How long texts may be. Absent: of any length. */
  readonly limits?: Pick<Limits, "maxValueCharacters" | "maxTokensPerValue">;
}

/** Who hears of what a bulk writer does not do. */
export interface BulkOptions {
  /** Called when there is no writer for the type. @param why one or more sentences, such as: The plugin "default" takes part in adding objects, ... */
  readonly refused?: (why: string) => void;
}

/**
 * A writer for the schema that is deployed now. Undefined: plugins take part in adding objects of the type, or its keys reach beyond it; `refused` gets the
 * reason.
 *
 *     const writer = bulkWriter(kernel, "Package", { refused: (why) => console.warn(`Slow load of packages: ${why}`) });
 */
export function bulkWriter({ storage, deployment, limits }: BulkTarget, typeName: string, { refused }: BulkOptions = {}): BulkWriter | undefined {
  const plain = deployment && plainType(deployment, typeName, limits);
  if (deployment === undefined || plain === undefined) {
    refused?.(deployment ? (plainTypeProblem(deployment, typeName) ?? "") : "No schema is deployed.");
    return undefined;
  }
  const { version } = deployment;
  let gatherer: LinkGatherer | undefined;
  const run = async (objects: readonly unknown[], work: typeof createPlain): Promise<boolean> => {
    let hasRun = false;
    try {
      const read = readObjects(plain, objects);
      const writing = async (transaction: Transaction) => {
        const creates = await work(plain, read, transaction);
        hasRun = true;
        return creates;
      };
      const { result } = await storage.transact(writing, { version });
      gatherer?.created(result);
      return true;
    } catch (thrown) {
      // A commit that fails later is an error: the caller may have gone on.
      if (!hasRun && isLeft(thrown)) return false;
      throw thrown;
    }
  };
  const reading: Reading = { plain, snapshot: () => storage.snapshot({ version }) };
  const writer = {
    create: (objects: readonly unknown[]) => run(objects, createPlain),
    link: (objects: readonly unknown[]) => run(objects, linkPlain),
  };
  const loadLinks = storage.loadLinks?.bind(storage);
  if (loadLinks === undefined) return writer;
  return {
    ...writer,
    linkAll: ({ batches, meta }) => loadLinks({ version, links: plainBatches(batches, reading), meta }),
    gatherLinks() {
      const gathering = new LinkGatherer(plain, storage.folder);
      gatherer = gathering;
      return {
        takesKeys: gathering.takesKeys,
        add(batch) {
          addBatch(gathering, batch, reading);
          if (gathering.isOver) gatherer = undefined;
          return !gathering.isOver;
        },
        async write(meta) {
          gatherer = undefined;
          return await loadLinks({ version, links: gathering.all(reading.snapshot), meta });
        },
      };
    },
  };
}

function addBatch(gatherer: LinkGatherer, { objects, keyed = [], left }: GatheredBatch, { plain }: Reading): void {
  try {
    gatherer.add({ objects: objects.length === 0 ? [] : readObjects(plain, objects), keyed, left });
  } catch (thrown) {
    if (thrown !== notPlain) throw thrown;
    left();
  }
}

interface Reading {
  readonly plain: PlainType;
  readonly snapshot: () => Snapshot;
}

async function* plainBatches(batches: AsyncIterable<BulkBatch>, reading: Reading): AsyncGenerator<readonly Link[]> {
  const nodes = new KnownNodes();
  for await (const { objects, left } of batches) {
    const links = await linksOfBatch(objects, nodes, reading);
    if (links === undefined) left();
    else yield links;
  }
}

/** @returns undefined for a batch that is not plain */
async function linksOfBatch(objects: readonly unknown[], nodes: KnownNodes, { plain, snapshot }: Reading): Promise<readonly Link[] | undefined> {
  let open: Snapshot | undefined;
  const reader = () => {
    open ??= snapshot();
    return open;
  };
  try {
    return await plainLinks(plain, readObjects(plain, objects), nodes, reader);
  } catch (thrown) {
    if (thrown !== notPlain) throw thrown;
    return undefined;
  } finally {
    open?.close();
  }
}

/** What the mutation decides: it finds the object that is refused, and divides what is too much for one transaction. */
const refusals: ReadonlySet<ErrorCode> = new Set(["CONFLICT", "END_TAKEN", "KEY_TAKEN", "TOO_LARGE"]);

function isLeft(thrown: unknown): boolean {
  if (thrown instanceof QuernError) return refusals.has(thrown.code);
  return thrown === notPlain;
}
