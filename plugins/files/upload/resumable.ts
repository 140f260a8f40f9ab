// Uploads that go on after an interruption. Their bytes are kept in pieces, each as durable as a file, and put together when the last one is there.

import { type KernelAccess, QuernError } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";
import { writeInsured } from "../records/insured.ts";
import { uploadFields, uploadType } from "../records/layout.ts";
import { addPiece, addResumable, completeResumable, findResumable, piecesOf, type ResumableUpload } from "../records/pieces.ts";
import { type FileFacts, newKey } from "../records/uploads.ts";
import { Cut } from "./cut.ts";
import { Measured, tooLate } from "./measured.ts";
import { factsOf, type Receiver } from "./receive.ts";

/** What a server that is killed loses at most of an upload. A store of S3 sends it in one request. */
const pieceBytes = 5 * 1024 * 1024;
/** How many times longer than an upload waits for its next bytes, all of them may take. */
const patience = 24;

export interface Begun {
  readonly ticket: string;
  readonly bytes: number;
  readonly name: string | undefined;
  readonly type: string | undefined;
}

export class ResumableUploads {
  readonly #kernel: KernelAccess;
  readonly #settings: FilesSettings;
  readonly #receiver: Receiver;

  constructor(kernel: KernelAccess, settings: FilesSettings, receiver: Receiver) {
    this.#kernel = kernel;
    this.#settings = settings;
    this.#receiver = receiver;
  }

  /** All of its bytes count from now on. */
  async begin({ ticket, bytes, name, type }: Begun, caller: string): Promise<void> {
    const { maxBytes, uploadsLastMs } = this.#settings;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    const share = await this.#receiver.share(caller, bytes);
    try {
      const [ends, latest] = [1, patience].map((times) => Date.now() + times * uploadsLastMs);
      await this.#kernel.transact(async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        await addResumable(transaction, { uid, key: newKey(), ticket, bytes, name, type, caller, ends: ends ?? 0, latest: latest ?? 0 });
      });
      this.#receiver.kept(bytes);
    } finally {
      share.end();
    }
  }

  /** Puts it together where that was interrupted. Undefined: there is none for this caller. */
  async find(ticket: string, caller: string): Promise<ResumableUpload | undefined> {
    const upload = await this.#look(ticket);
    if (upload === undefined || (isNamed(upload.caller) && upload.caller !== caller)) return undefined;
    if (upload.whole || upload.received < upload.bytes) return upload;
    await this.#putTogether(ticket, upload);
    return await this.#look(ticket);
  }

  /** @returns how much is there. Undefined: another request has brought these bytes, or the upload is over */
  async write(ticket: string, offset: number, incoming: AsyncIterable<Uint8Array>, caller: string): Promise<number | undefined> {
    const share = this.#receiver.shares.begin(caller);
    try {
      const received = await this.#keepPieces(ticket, offset, new Cut(incoming));
      const upload = received === undefined ? undefined : await this.#look(ticket);
      if (upload !== undefined && upload.received === upload.bytes && !upload.whole) await this.#putTogether(ticket, upload);
      return received;
    } finally {
      share.end();
    }
  }

  /** Nothing takes it any more, and its bytes go. */
  async end({ uid }: Pick<ResumableUpload, "uid">): Promise<void> {
    await this.#kernel.transact((transaction) => transaction.write([{ kind: "set", uid, type: uploadType, fields: { [uploadFields.ends]: 0 } }]));
  }

  async #keepPieces(ticket: string, offset: number, cut: Cut): Promise<number | undefined> {
    const { store, uploadsLastMs: lastsMs } = this.#settings;
    let received: number | undefined = offset;
    while (received !== undefined && !(await cut.isOver())) {
      const at: number = received;
      received = await writeInsured(this.#kernel, store, {
        lastsMs,
        bytes: cut.next(pieceBytes),
        commit: (transaction, key) => addPiece(transaction, { ticket, offset: at, bytes: cut.bytes, key, lastsMs }),
      });
    }
    return received;
  }

  /** Of several servers that do it at once, one succeeds, and the others see that. */
  async #putTogether(ticket: string, upload: ResumableUpload): Promise<void> {
    const { store, uploadsLastMs } = this.#settings;
    const measured = new Measured();
    const found: FileFacts[] = [];
    const whole = async function* (bytes: AsyncIterable<Uint8Array>) {
      yield* measured.of(bytes, { maxBytes: upload.bytes, setting: "Upload-Length", ends: upload.latest });
      found.push(await factsOf(measured, upload));
    };
    await writeInsured(this.#kernel, store, {
      lastsMs: uploadsLastMs,
      bytes: whole(this.#bytesOf(upload)),
      commit: async (transaction, key) => {
        const [facts] = found;
        if (facts === undefined || facts.bytes !== upload.bytes) throw tooLate();
        return await completeResumable(transaction, { ticket, facts, key, ends: Date.now() + uploadsLastMs });
      },
    });
  }

  async *#bytesOf({ key: upload }: ResumableUpload): AsyncGenerator<Uint8Array> {
    const snapshot = this.#kernel.snapshot();
    const pieces = await piecesOf(snapshot, [upload]).finally(() => snapshot.close());
    for (const { key, bytes } of pieces) yield* this.#settings.store.read(key, { start: 0, end: bytes });
  }

  async #look(ticket: string): Promise<ResumableUpload | undefined> {
    const snapshot = this.#kernel.snapshot();
    return await findResumable(snapshot, ticket).finally(() => snapshot.close());
  }
}

/** Others are known by an address, which changes on the way. */
function isNamed(caller: string): boolean {
  return caller.startsWith("user ");
}

function tooLong(maxBytes: number): QuernError {
  return new QuernError("LIMIT_REACHED", `The file has more than ${maxBytes} bytes (maxBytes of filesPlugin).`, { hint: "Send a smaller file." });
}
