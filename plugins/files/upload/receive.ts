// Takes in one upload: its record first, then its bytes, then what is known of them. Whatever ends this process in between, the record says what to remove.

import { type KernelAccess, QuernError, type Uid } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { createGone } from "../records/gone.ts";
import { uploadType } from "../records/layout.ts";
import {
  completeUpload,
  createUpload,
  type FileFacts,
  isThere,
  newKey,
  newTicket,
  type WaitingUpload,
  waitingFor,
  waitingUploads,
} from "../records/uploads.ts";
import { imageFacts } from "./image-facts.ts";
import { Measured, tooLate } from "./measured.ts";
import { type UploadShare, UploadShares, type Waiting } from "./shares.ts";
import { WaitingTotal } from "./waiting-total.ts";

/** What is sent. */
export interface Sent {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** As the sender says. */
  readonly type: string | undefined;
  readonly name: string | undefined;
  /** For whom it counts. */
  readonly caller: string;
  /** A bound of the sender's own, and what sets it. */
  readonly bound?: { readonly maxBytes: number; readonly setting: string } | undefined;
}

/** An upload that waits to be taken. */
export interface Received extends FileFacts {
  readonly ticket: string;
  /** Until when it waits, in milliseconds since 1970. */
  readonly ends: number;
}

interface Begun {
  readonly uid: Uid;
  readonly key: string;
  readonly ends: number;
}

export class Receiver {
  readonly #kernel: KernelAccess;
  readonly #settings: FilesSettings;
  readonly shares: UploadShares;
  readonly #total: WaitingTotal;

  constructor(kernel: KernelAccess, settings: FilesSettings) {
    this.#kernel = kernel;
    this.#settings = settings;
    this.shares = new UploadShares(settings);
    this.#total = new WaitingTotal(kernel);
  }

  /** Whether the served schema has a field for files. */
  get takesFiles(): boolean {
    return this.#kernel.served?.layout.types.some(({ name }) => name === uploadType) ?? false;
  }

  /** @throws QuernError; nothing is kept then */
  async receive(sent: Sent): Promise<Received> {
    const share = await this.share(sent.caller);
    try {
      const ticket = newTicket();
      const begun = await this.#begin(ticket, sent.caller);
      return { ticket, ...(await this.#take(begun, sent, share).catch((thrown: unknown) => this.#undo(begun, thrown))) };
    } finally {
      share.end();
    }
  }

  /**
   * The share of an upload that begins. It is ended once.
   *
   * @param bytes as many are known to come
   * @throws `TOO_MANY_REQUESTS` or `OVERLOADED`, and what refuses every upload
   */
  async share(caller: string, bytes = 1): Promise<UploadShare> {
    this.#assertTakesFiles();
    const share = this.shares.begin(caller);
    try {
      await this.#assertRoom(share, caller, bytes);
      return share;
    } catch (thrown) {
      share.end();
      throw thrown;
    }
  }

  /** An upload waits, or will, with these bytes. */
  kept(bytes: number): void {
    this.#total.kept(bytes);
  }

  #assertTakesFiles(): void {
    const { served } = this.#kernel;
    if (served === undefined) throw new QuernError("NO_SCHEMA", "No schema is deployed yet, so nothing takes files.");
    if (!this.takesFiles) throw new QuernError("REQUEST_REFUSED", "No field of the schema takes files.", { hint: "Declare one: image: File @file" });
  }

  async #assertRoom(share: UploadShare, caller: string, bytes: number): Promise<void> {
    const ofCaller = await this.#waitingFor(caller);
    try {
      share.assertRoom({ caller: ofCaller, all: await this.#total.recent() }, bytes);
    } catch {
      // Some may have been taken meanwhile.
      share.assertRoom({ caller: ofCaller, all: await this.#total.now() }, bytes);
    }
  }

  async #waitingFor(caller: string): Promise<Waiting> {
    const snapshot = this.#kernel.snapshot();
    try {
      return await waitingFor(snapshot, caller);
    } finally {
      snapshot.close();
    }
  }

  async #begin(ticket: string, caller: string): Promise<Begun> {
    const key = newKey();
    const ends = Date.now() + this.#settings.uploadsLastMs;
    const { result } = await this.#kernel.transact(async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([createUpload({ uid, key, ticket }, { caller, ends })]);
      return uid;
    });
    return { uid: result, key, ends };
  }

  async #take({ uid, key, ends: latest }: Begun, { bytes, type, name, bound }: Sent, share: UploadShare): Promise<Omit<Received, "ticket">> {
    const { store, maxBytes, uploadsLastMs } = this.#settings;
    const measured = new Measured();
    const most = bound !== undefined && bound.maxBytes < maxBytes ? bound : { maxBytes, setting: "maxBytes of filesPlugin" };
    await store.write(key, measured.of(bytes, { ...most, ends: latest, took: (count) => share.took(count) }));
    const facts = await factsOf(measured, { type, name });
    const ends = Date.now() + uploadsLastMs;
    const { result } = await this.#kernel.transact(async (transaction) => {
      if (!(await isThere(transaction, uid))) return false;
      await transaction.write([completeUpload(uid, facts, ends)]);
      return true;
    });
    if (!result) throw tooLate();
    this.kept(facts.bytes);
    return { ...facts, ends };
  }

  /** Removes those that nothing has taken. Never rejects: what cannot be removed now is over when uploads are. */
  async discard(tickets: readonly string[]): Promise<void> {
    if (tickets.length === 0) return;
    try {
      for (const waiting of (await this.#waiting(tickets)).values()) await this.#forget(waiting);
    } catch (failed) {
      this.#fault(failed);
    }
  }

  async #waiting(tickets: readonly string[]): Promise<ReadonlyMap<string, WaitingUpload>> {
    const snapshot = this.#kernel.snapshot();
    try {
      return await waitingUploads(snapshot, tickets, Date.now());
    } finally {
      snapshot.close();
    }
  }

  /** What cannot be undone now is over when the upload would be. */
  async #undo(begun: Begun, thrown: unknown): Promise<never> {
    try {
      await this.#settings.store.remove(begun.key);
      await this.#forget(begun);
    } catch (failed) {
      this.#fault(failed);
    }
    throw thrown;
  }

  /** A mutation may have taken it meanwhile: its bytes go only with its record. */
  async #forget({ uid, key }: Pick<Begun, "uid" | "key">): Promise<void> {
    await this.#kernel.transact(async (transaction) => {
      if (!(await isThere(transaction, uid))) return;
      const [fresh = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "remove", uid, type: uploadType }, createGone(fresh, key)]);
    });
  }

  #fault(failed: unknown): void {
    if (!(failed instanceof QuernError)) this.#kernel.log.fault(failed);
  }
}

/** What is known of bytes that have arrived. */
export async function factsOf(measured: Measured, { type, name }: Pick<Sent, "type" | "name">): Promise<FileFacts> {
  const image = await imageFacts(measured.head());
  return {
    name,
    type: image?.type ?? believed(type),
    bytes: measured.bytes,
    width: image?.width,
    height: image?.height,
    sha256: measured.sha256(),
  };
}

/** What calls itself an image and is none that is known, is anything. */
function believed(type: string | undefined): string {
  if (type === undefined || type === formType) return anything;
  return type.startsWith("image/") && type !== "image/svg+xml" ? anything : type;
}

const anything = "application/octet-stream";
/** Clients that say nothing of a body, such as curl, say this. */
const formType = "application/x-www-form-urlencoded";
