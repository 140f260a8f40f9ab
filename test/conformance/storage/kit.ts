// How a check is written and handed to whatever runner there is.

import type {
  Change,
  Create,
  EndName,
  Layout,
  MaybePromise,
  MigrateOptions,
  Predicate,
  ReadOptions,
  Snapshot,
  Storage,
  Stored,
  Transaction,
  TypeName,
  Uid,
} from "../../../core/storage.ts";

/** Anything like `test` of vitest, node:test or mocha. */
export interface Runner {
  (name: string, run: () => Promise<void>): void;
  /** Shows a check that is not judged. */
  readonly skip?: (name: string, run: () => Promise<void>) => void;
}

/** What the kit tests a storage with. */
export interface StorageConformanceOptions {
  readonly test: Runner;
  /** A new, empty storage that is not open yet. After `close` it can be opened again with its data. */
  readonly create: () => Promise<Storage>;
  /**
   * A new, empty place, as a function that returns another storage over it each time, not open yet: `const path = newFolder(); return () => myStorage({ path })`.
   * For a storage whose data outlive it. Without it the kit takes places of `crash`; without both those checks are not judged, and a warning says so.
   */
  readonly place?: () => Promise<Place>;
  /** A new, empty place whose storage may be in a process that is killed. Without it the checks of crashes are not judged, and a warning says so. */
  readonly crash?: () => Promise<CrashPlace>;
  /** A new, empty storage whose database can be made slow or failing. Without it those checks are not judged, and a warning says so. */
  readonly faults?: () => Promise<FaultyStorage>;
  /** Two storages over one new, empty database that serves several processes, not open yet. Without it those checks are not judged, and a warning says so. */
  readonly servers?: () => Promise<readonly [Storage, Storage]>;
}

/** Another storage over the same data each time, not open yet. */
export type Place = () => Storage;

/** A place whose storage a process opens that the kit kills. */
export interface CrashPlace {
  /**
   * Starts a program that opens a storage over this place and calls `crashProgram` with it: `[process.execPath, "writer.js", path]`.
   * The kit adds arguments at the end, and kills the process that this starts: no wrapper may stand between.
   */
  readonly command: readonly [string, ...string[]];
  /** A storage over this place, not open yet, for when that process is gone. */
  readonly storage: () => Storage;
}

/** A storage whose writes the kit makes slow or failing. */
export interface FaultyStorage {
  /** Not open yet. */
  readonly storage: Storage;
  /** What becomes of writes to the database from now on. Those that wait do what is said next. */
  readonly writes: (behaviour: "pass" | "wait" | "fail") => void;
}

export interface CheckOf<Subject> {
  /** Stays the same for good. */
  readonly id: string;
  /** MUST: the kernel relies on it. SHOULD: worse without it, not wrong. */
  readonly level: "MUST" | "SHOULD";
  /** What is expected. */
  readonly title: string;
  /** Whom it would hurt. */
  readonly why: string;
  readonly run: (subject: Subject) => Promise<void>;
}

export type Check = CheckOf<Bench>;

/** One open storage with what checks do to it again and again. */
export class Bench {
  readonly storage: Storage;
  version = 0;

  constructor(storage: Storage) {
    this.storage = storage;
  }

  async deploy(layout: Layout, document = "document", options: MigrateOptions = {}): Promise<void> {
    this.version = (await this.storage.migrate(layout, document, options)).version;
  }

  /** Runs `work` in a transaction and hands out its result. */
  async write<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return (await this.storage.transact(async (transaction) => await work(transaction), { version: this.version })).result;
  }

  /** Creates nodes of one type with uids of the storage's choice. */
  create(type: string, rows: readonly Readonly<Record<string, Stored>>[]): Promise<readonly Uid[]> {
    return this.write(async (transaction) => {
      const uids = await transaction.uids(rows.length);
      await transaction.write(rows.map((fields, i) => createOf(uids[i] ?? 0, type, fields)));
      return uids;
    });
  }

  /** Reads through a snapshot of its own. */
  async read<T>(work: (snapshot: Snapshot) => MaybePromise<T>, options: Partial<ReadOptions> = {}): Promise<T> {
    const snapshot = this.storage.snapshot({ version: this.version, ...options });
    try {
      return await work(snapshot);
    } finally {
      snapshot.close();
    }
  }

  /** The nodes that one node's end leads to. */
  async partners(end: EndName, from: Uid): Promise<readonly (Uid | undefined)[]> {
    const links = await this.read((snapshot) => snapshot.follow({ from: [from], end, fields: [] }));
    return links.rows.map((row) => links.nodes.uids[row]);
  }

  async find(type: TypeName, where: Predicate): Promise<readonly Uid[]> {
    return (await this.read((snapshot) => snapshot.find({ types: [type], where, fields: [] }))).uids;
  }
}

export function linkOf(kind: "link" | "unlink", end: EndName, from: readonly [TypeName, Uid], to: readonly [TypeName, Uid]): Change {
  return { kind, end, from: from[1], fromType: from[0], to: to[1], toType: to[0] };
}

export function createOf(uid: Uid, type: string, fields: Readonly<Record<string, Stored>>): Create {
  return { kind: "create", uid, type, fields };
}

/** Hands each check to the runner with a subject of its own. What fails says what was expected, and why. */
export function runChecks<Subject>(test: Runner, checks: readonly CheckOf<Subject>[], create: () => Promise<Subject>): void {
  for (const { id, level, title, why, run } of checks) {
    test(`${id} ${level} ${title}`, async () => {
      try {
        await run(await create());
      } catch (error) {
        if (error instanceof Error) error.message = `${id} ${level}: expected that ${title}. ${why}\n${error.message}`;
        throw error;
      }
    });
  }
}

/** A check that cannot be run is no pass. What is not judged is named, with what is missing. */
export function leaveOut(test: Runner, checks: readonly Omit<Check, "run">[], option: keyof typeof wanted): void {
  const ids = checks.map(({ id }) => id).join(", ");
  console.warn(`NOT JUDGED: ${ids}. Hand in \`${option}\` (${wanted[option]}), or do not rely on what these checks promise.`);
  for (const { id, level, title } of checks) test.skip?.(`${id} ${level} ${title} (NOT JUDGED: no \`${option}\` is handed in)`, async () => {});
}

const wanted = {
  place: "storages over one place; not for a storage whose data end with it",
  crash: "a command whose process the kit kills while it writes",
  faults: "a storage whose database can be made slow or failing",
  servers: "two storages over one database; not for a storage that only one process may open",
};

/** Opens the storage for as long as the check runs. */
export function onBench({ run, ...check }: Check): CheckOf<Storage> {
  return { ...check, run: (storage) => whileOpen(storage, () => run(new Bench(storage))) };
}

export async function whileOpen<T>(storage: Storage, work: () => Promise<T>): Promise<T> {
  await storage.open();
  try {
    return await work();
  } finally {
    await storage.close();
  }
}
