// Takes the documents in that a collection of a new type holds and Quern did not write. The collection is renamed and stays as it was; its
// documents are copied as nodes, batch by batch. Each batch is one transaction with the mark of how far the copy has got, so that an
// interrupted deploy goes on where it was.

import { BSON, type Document } from "mongodb";
import type { DeclaredField, FieldName, LayoutComparison, MigrationStep, TypeName } from "../../../core/storage.ts";
import { assertNoObstacles } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import type { Database } from "../database/database.ts";
import type { Lease } from "../database/lease.ts";
import type { Catalog } from "../layout/catalog.ts";
import type { LayoutRuntime } from "../layout/layout-runtime.ts";
import { adoptedCollection, catalogCollection, collectionOf } from "../layout/names.ts";
import { adopted, type ForeignType, foreignType } from "./foreign-documents.ts";
import { type Survey, surveyForeign } from "./survey.ts";

/** How documents of others are taken in. */
export interface AdoptOptions {
  /** The name of a field, the same in all types that have it, that takes the old `_id`. */
  readonly idField?: string;
}

export interface AdoptionSurvey {
  readonly database: Database;
  /** The layout that is to be deployed. */
  readonly schema: LayoutRuntime;
  readonly declared: ReadonlyMap<FieldName, DeclaredField> | undefined;
  readonly progress?: ((step: MigrationStep) => void) | undefined;
}

export interface AdoptionRequest extends AdoptionSurvey {
  readonly lease: Lease;
  readonly report: ((sentence: string) => void) | undefined;
}

/** How far the copy of a collection has got. */
interface Mark extends Doc {
  /** The fields that the copies have. A deploy with others begins anew. */
  readonly signature: string;
  readonly copied: number;
  /** The `_id` of the last document that was copied. */
  readonly last?: unknown;
}

interface Candidate {
  readonly type: TypeName;
  readonly mark: Mark | undefined;
  /** The original documents are renamed already. */
  readonly renamed: boolean;
}

interface Guest {
  readonly foreign: ForeignType;
  readonly signature: string;
  readonly mark: Mark | undefined;
  readonly renamed: boolean;
  readonly survey: Survey;
}

const docsAtOnce = 500;
/** Bytes of documents that are copied at once, but for the last document: one alone may have 16 MB. */
const bytesAtOnce = 8 << 20;

export class Adoption {
  readonly #request: AdoptionRequest;
  readonly #guests: readonly Guest[];

  private constructor(request: AdoptionRequest, guests: readonly Guest[]) {
    this.#request = request;
    this.#guests = guests;
  }

  /**
   * Finds what there is to take in, and reads all of it.
   *
   * @param allowed undefined: nothing may be taken in
   * @throws QuernError `MIGRATION_REFUSED` when there is something and it may not be taken in, or does not fit
   */
  static async prepare(request: AdoptionRequest, allowed: AdoptOptions | undefined): Promise<Adoption> {
    const { obstacles, guests } = await guestsOf(request, allowed);
    assertNoObstacles(obstacles);
    return new Adoption(request, guests);
  }

  /** Makes the nodes. Their index terms and keys are those of any node that an earlier layout has left. */
  async takeIn(): Promise<void> {
    for (const guest of this.#guests) await this.#takeIn(guest);
  }

  async #takeIn({ foreign, signature, mark, renamed, survey }: Guest): Promise<void> {
    const { database, lease, progress } = this.#request;
    const { db } = database.connection;
    const name = collectionOf(foreign.type);
    let at: Mark | undefined = mark?.signature === signature ? mark : undefined;
    await lease.assertHeld();
    if (at === undefined) {
      at = { _id: markId(name), signature, copied: 0 };
      if (renamed && (await exists(database, name))) await database.connection.collection(name).drop();
      await this.#marks().replaceOne({ _id: at._id }, at, { upsert: true });
    }
    if (!renamed) await db.renameCollection(name, adoptedCollection(name));
    if (!(await exists(database, name))) await db.createCollection(name);
    const what = `adopting ${name}`;
    for (;;) {
      await lease.assertHeld();
      const docs = await this.#after(name, at.last);
      const last = docs.at(-1);
      if (last === undefined) break;
      at = await this.#copy(foreign, docs, { ...at, copied: at.copied + docs.length, last: last._id });
      progress?.({ what, done: at.copied, total: Math.max(at.copied, survey.documents) });
    }
  }

  /** The next documents by `_id`, of whatever type. A comparison would find those of the same type only; a bound of the index has all. */
  async #after(name: string, last: unknown): Promise<readonly Document[]> {
    const originals = this.#request.database.connection.db.collection<Document>(adoptedCollection(name));
    const found = originals.find(
      {},
      { hint: { _id: 1 }, sort: { _id: 1 }, limit: docsAtOnce + 1, ...(last !== undefined && { min: { _id: last } }) },
    );
    const docs: Document[] = [];
    let bytes = 0;
    let isKnown = last !== undefined;
    for await (const doc of found) {
      if (!isKnown) {
        docs.push(doc);
        bytes += BSON.calculateObjectSize(doc);
      }
      isKnown = false;
      if (docs.length === docsAtOnce || bytes >= bytesAtOnce) break;
    }
    return docs;
  }

  async #copy(foreign: ForeignType, docs: readonly Document[], mark: Mark): Promise<Mark> {
    const { database } = this.#request;
    const { connection } = database;
    const uids = await database.uids.take(docs.length);
    const nodes = docs.map((doc, i): Doc => ({ _id: uids[i] ?? 0, ...adopted(foreign, doc) }));
    await connection.client.withSession((session) =>
      session.withTransaction(async () => {
        await connection.collection(collectionOf(foreign.type)).insertMany(nodes, { session });
        await this.#marks().replaceOne({ _id: mark._id }, mark, { session });
      }),
    );
    return mark;
  }

  /** After a deploy that is refused: the collections are as they were. */
  async undo(): Promise<void> {
    const { database, lease } = this.#request;
    for (const { foreign } of this.#guests) {
      const name = collectionOf(foreign.type);
      if (!(await exists(database, adoptedCollection(name)))) continue;
      await lease.assertHeld();
      await database.connection.db.renameCollection(adoptedCollection(name), name, { dropTarget: true });
      await this.#marks().deleteOne({ _id: markId(name) });
    }
  }

  /** After the deploy. */
  async end(): Promise<void> {
    for (const { foreign, survey } of this.#guests) {
      const name = collectionOf(foreign.type);
      await this.#marks().deleteOne({ _id: markId(name) });
      this.#request.report?.(reportOf(foreign.type, survey));
    }
  }

  #marks() {
    return this.#request.database.connection.collection(catalogCollection);
  }
}

/** A dry run: what would refuse the adoption, and what it would do. */
export async function compareAdoption(survey: AdoptionSurvey, allowed: AdoptOptions | undefined): Promise<LayoutComparison> {
  const { obstacles, guests } = await guestsOf(survey, allowed);
  const work = guests.map((guest) => `take in ${guest.survey.documents} documents of the collection "${collectionOf(guest.foreign.type)}"`);
  return { obstacles, work };
}

interface Found {
  readonly obstacles: readonly string[];
  readonly guests: readonly Guest[];
}

async function guestsOf(request: AdoptionSurvey, allowed: AdoptOptions | undefined): Promise<Found> {
  const candidates = await candidatesOf(request);
  if (allowed === undefined) return { obstacles: candidates.map(notAllowed), guests: [] };
  const guests: Guest[] = [];
  for (const each of candidates) guests.push(await guestOf(each, request, allowed));
  return { obstacles: guests.flatMap(({ survey }) => survey.obstacles), guests };
}

function markId(collection: string): string {
  return `adopt ${collection}`;
}

/** New types whose collections hold documents, or began to be taken in. */
async function candidatesOf({ database, schema }: AdoptionSurvey): Promise<readonly Candidate[]> {
  const { connection, catalog } = database;
  const candidates: Candidate[] = [];
  for (const type of newTypes(schema, catalog)) {
    const name = collectionOf(type);
    const mark = asMark(await connection.collection(catalogCollection).findOne({ _id: markId(name) }));
    const renamed = mark !== undefined && (await exists(database, adoptedCollection(name)));
    if (renamed || (await holdsDocuments(database, name))) candidates.push({ type, mark, renamed });
  }
  return candidates;
}

function newTypes({ allTypes }: LayoutRuntime, catalog: Catalog): readonly TypeName[] {
  const known = new Set(Object.keys(catalog.types).map(collectionOf));
  return allTypes.filter((type) => !known.has(collectionOf(type)));
}

function asMark(doc: Doc | null): Mark | undefined {
  return doc === null
    ? undefined
    : { _id: doc._id, signature: String(doc.signature), copied: Number(doc.copied), ...(doc.last !== undefined && { last: doc.last }) };
}

async function guestOf({ type, mark, renamed }: Candidate, request: AdoptionSurvey, { idField }: AdoptOptions): Promise<Guest> {
  const { database, schema, declared = new Map(), progress } = request;
  const name = collectionOf(type);
  const foreign = foreignType(type, { schema, idField, declared });
  const signature = JSON.stringify(foreign.sources.map(({ field, from }) => [field.name, field.kind, field.list, from]));
  const collection = renamed ? adoptedCollection(name) : name;
  const { connection } = database;
  const total = await connection.db.collection(collection).estimatedDocumentCount();
  const each = (done: number) => progress?.({ what: `reading ${name}`, done: Math.min(done, total), total });
  const survey = await surveyForeign(foreign, { connection, schema, collection, each });
  const inTheWay = !renamed && (await exists(database, adoptedCollection(name))) ? [isInTheWay(name)] : [];
  return { foreign, signature, mark, renamed, survey: { ...survey, obstacles: [...inTheWay, ...survey.obstacles] } };
}

async function exists({ connection }: Database, name: string): Promise<boolean> {
  return (await connection.db.listCollections({ name }, { nameOnly: true }).toArray()).length > 0;
}

async function holdsDocuments({ connection }: Database, name: string): Promise<boolean> {
  return (await connection.collection(name).findOne({}, { projection: { _id: 1 } })) !== null;
}

function notAllowed({ type, renamed }: Candidate): string {
  const name = collectionOf(type);
  if (renamed) return `The documents of "${name}" were being taken in when a deploy was interrupted. Deploy with adopt: true to go on.`;
  return `The collection "${name}" holds documents that Quern did not write. Set adopt: true of mongodbStorage to take them in, or move them to another collection or database.`;
}

function isInTheWay(name: string): string {
  return `The collection "${adoptedCollection(name)}" has the documents of "${name}" from an earlier adoption. Drop or rename it first.`;
}

function reportOf(type: TypeName, { documents, left }: Survey): string {
  const name = collectionOf(type);
  const taken = `The ${documents === 1 ? "document" : `${documents} documents`} of the collection "${name}" ${documents === 1 ? "is a node" : "are nodes"} of ${type} now, with new ids.`;
  const rest = [...left].map(([property, count]) => `${property} (${count})`).join(", ");
  const ignored = rest === "" ? "" : ` No field took these properties (in so many documents): ${rest}.`;
  return `${taken}${ignored} The originals are kept in "${adoptedCollection(name)}"; drop it when you no longer need them.`;
}
