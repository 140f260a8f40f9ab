// Writes many objects without a request for each batch of them, for loads.

import type { GraphQLInputType } from "graphql";
import type { Storage, Transaction } from "../contracts/storage.ts";
import { type ErrorCode, QuernError } from "../ground/errors.ts";
import { createPlain } from "../mutation/bulk/bulk-create.ts";
import { linkPlain } from "../mutation/bulk/bulk-link.ts";
import { notPlain, type PlainObject, readPlain } from "../mutation/bulk/plain-objects.ts";
import { type PlainType, plainType } from "../mutation/bulk/plain-types.ts";
import { isObject } from "../mutation/input-tree.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import { inputReader } from "./input-reader.ts";

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
}

/** The parts of an open kernel that a writer needs. */
export interface BulkTarget {
  readonly storage: Storage;
  readonly deployment: Deployment | undefined;
}

/** A writer for the schema that is deployed now. Undefined: plugins take part in adding objects of the type, or its keys reach beyond it. */
export function bulkWriter({ storage, deployment }: BulkTarget, typeName: string): BulkWriter | undefined {
  const type = deployment?.model.nodeTypes.get(typeName);
  const plain = type && deployment && plainType(type, deployment);
  const input =
    type &&
    deployment?.api.schema
      .getMutationType()
      ?.getFields()
      [`add${type.name}`]?.args.find(({ name }) => name === "input");
  if (deployment === undefined || plain === undefined || input === undefined) return undefined;
  const { version } = deployment;
  const run = async (objects: readonly unknown[], work: typeof createPlain): Promise<boolean> => {
    let hasRun = false;
    try {
      const read = readObjects(plain, input.type, objects);
      const writing = async (transaction: Transaction) => {
        await work(plain, read, transaction);
        hasRun = true;
      };
      await storage.transact(writing, { version });
      return true;
    } catch (thrown) {
      // A commit that fails later is an error: the caller may have gone on.
      if (!hasRun && isLeft(thrown)) return false;
      throw thrown;
    }
  };
  return { create: (objects) => run(objects, createPlain), link: (objects) => run(objects, linkPlain) };
}

function readObjects(type: PlainType, input: GraphQLInputType, objects: readonly unknown[]): readonly PlainObject[] {
  const coerced = coercedBy(inputReader(input), objects);
  if (!Array.isArray(coerced)) throw notPlain;
  return coerced.map((each: unknown) => {
    if (!isObject(each)) throw notPlain;
    return readPlain(type, each);
  });
}

/** A scalar may throw anything for a value that it does not take. */
function coercedBy(read: (value: unknown) => unknown, objects: readonly unknown[]): unknown {
  try {
    return read(objects);
  } catch {
    throw notPlain;
  }
}

/** What the mutation decides: it finds the object that is refused, and divides what is too much for one transaction. */
const refusals: ReadonlySet<ErrorCode> = new Set(["CONFLICT", "END_TAKEN", "KEY_TAKEN", "TOO_LARGE"]);

function isLeft(thrown: unknown): boolean {
  if (thrown instanceof QuernError) return refusals.has(thrown.code);
  return thrown === notPlain;
}
