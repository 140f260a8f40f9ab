// Creates plain objects, and those that they refer to where these do not exist. Uids and changes come in the order of an ordinary add.

import type { Create, Link, Transaction, Uid, Value } from "../../../core/plugin.ts";
import type { PlainTarget, PlainType } from "../../../core/server.ts";
import { findKeys } from "./find-keys.ts";
import { notPlain, type PlainObject, type PlainReference } from "./plain-objects.ts";

/** @returns the new nodes. @throws notPlain when an ordinary add must decide; then nothing was written */
export async function createPlain(type: PlainType, objects: readonly PlainObject[], transaction: Transaction): Promise<readonly Create[]> {
  const mentions = mentionsIn(type, objects);
  for (const each of mentions.values()) await each.findExisting(transaction);
  const created = new Creations(type, objects, mentions);
  created.giveUids(await transaction.uids(created.count));
  await transaction.write([...created.creates, ...created.links()]);
  return created.creates;
}

/** Objects that links lead to, by their type. */
type Mentions = ReadonlyMap<string, MentionedType>;

function mentionsIn({ type }: PlainType, objects: readonly PlainObject[]): Mentions {
  const mentions = new Map<string, MentionedType>();
  for (const { links } of objects) {
    for (const { link, targets } of links) {
      const { stored } = link.target.type;
      // An object of the batch may be the one that is meant.
      if (stored === type.stored) throw notPlain;
      let ofType = mentions.get(stored);
      if (ofType === undefined) {
        ofType = new MentionedType(link.target);
        mentions.set(stored, ofType);
      }
      for (const target of targets) ofType.mention(target);
    }
  }
  return mentions;
}

class MentionedType {
  readonly #target: PlainTarget;
  /** By the text of the key: the mention that a new node is made of. */
  readonly #definitions = new Map<string, PlainReference>();
  readonly #uids = new Map<string, Uid>();

  constructor(target: PlainTarget) {
    this.#target = target;
  }

  mention(reference: PlainReference): void {
    const name = String(reference.key);
    const before = this.#definitions.get(name);
    if (before === undefined || (before.isBare && !reference.isBare)) this.#definitions.set(name, reference);
    else if (!reference.isBare) throw notPlain;
  }

  async findExisting(transaction: Transaction): Promise<void> {
    const keys = new Map<string, Value>();
    for (const [name, { key }] of this.#definitions) keys.set(name, key);
    const holders = await findKeys(transaction, this.#target.type, this.#target.key, keys);
    for (const [name, uid] of holders) this.#uids.set(name, uid);
  }

  uidOf({ key }: PlainReference): Uid | undefined {
    return this.#uids.get(String(key));
  }

  /** Whether a new node is made of this mention. */
  isNew(reference: PlainReference): boolean {
    const name = String(reference.key);
    if (this.#definitions.get(name) !== reference || this.#uids.has(name)) return false;
    if (reference.isIncomplete) throw notPlain;
    return true;
  }

  made({ key }: PlainReference, uid: Uid): void {
    this.#uids.set(String(key), uid);
  }
}

/** A new node. Those at the top of the input refer to nothing. */
interface Made {
  readonly type: string;
  readonly object: PlainObject | PlainReference;
  readonly mentioned: MentionedType | undefined;
}

class Creations {
  readonly creates: Create[] = [];
  readonly #mentions: Mentions;
  readonly #made: Made[] = [];
  readonly #type: PlainType;
  readonly #uids = new Map<PlainObject, Uid>();

  constructor(type: PlainType, objects: readonly PlainObject[], mentions: Mentions) {
    this.#type = type;
    this.#mentions = mentions;
    for (const object of objects) {
      this.#made.push({ type: type.type.stored, object, mentioned: undefined });
      for (const { link, targets } of object.links) {
        const mentioned = mentions.get(link.target.type.stored);
        for (const target of targets) {
          if (mentioned?.isNew(target)) this.#made.push({ type: link.target.type.stored, object: target, mentioned });
        }
      }
    }
  }

  get count(): number {
    return this.#made.length;
  }

  giveUids(uids: readonly Uid[]): void {
    for (const [i, { type, object, mentioned }] of this.#made.entries()) {
      const uid = uids[i] ?? 0;
      if ("links" in object) this.#uids.set(object, uid);
      else mentioned?.made(object, uid);
      this.creates.push({ kind: "create", uid, type, fields: object.fields });
    }
  }

  *links(): Generator<Link> {
    const fromType = this.#type.type.stored;
    for (const [object, from] of this.#uids) {
      for (const { link, targets } of object.links) {
        const toType = link.target.type.stored;
        for (const target of targets) {
          const to = this.#mentions.get(toType)?.uidOf(target);
          if (to !== undefined) yield { kind: "link", end: link.field.stored, from, fromType, to, toType };
        }
      }
    }
  }
}
