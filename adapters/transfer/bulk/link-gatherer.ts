// Links by keys, gathered while their nodes are created. A link takes twelve bytes, of memory or of a file; a key is kept once.

import type { Create, Key, Link, NodeType, Snapshot } from "../../../core/plugin.ts";
import type { PlainLink, PlainType } from "../../../core/server.ts";
import { onlyKey } from "./bulk-link.ts";
import { KeyTable } from "./key-table.ts";
import type { KeyedLinks } from "./keyed-links.ts";
import { LinkRows } from "./link-rows.ts";
import { isList, keyIn, notPlain, type PlainObject } from "./plain-objects.ts";

/** Memory of all keys: fourteen million short ones. */
const maxKeyBytes = 512 << 20;

export interface GatheringBatch {
  readonly objects: readonly PlainObject[];
  readonly keyed: readonly KeyedLinks[];
  readonly left: () => void;
}

interface KeptBatch {
  /** The number of links up to its end. */
  readonly end: number;
  readonly left: () => void;
}

/** A link of the type, and the keys of the objects that it leads to. */
interface LinkTable {
  readonly link: PlainLink;
  readonly targets: KeyTable;
}

export class LinkGatherer {
  readonly #type: PlainType;
  readonly #tables: KeyTable[] = [];
  readonly #links: readonly LinkTable[];
  readonly #numbers: ReadonlyMap<PlainLink, number>;
  readonly #rows: LinkRows;
  readonly #batches: KeptBatch[] = [];
  /** The key that identifies the objects. */
  #own: KeyTable | undefined;
  #isOver = false;

  /** @param folder for what memory does not hold */
  constructor(type: PlainType, folder: string | undefined) {
    this.#type = type;
    this.#rows = new LinkRows({ folder });
    for (const key of type.keys.values()) this.#tableOf(type.type, key);
    this.#links = [...type.links.values()].map((link) => ({ link, targets: this.#tableOf(link.target.type, link.target.key) }));
    this.#numbers = new Map(this.#links.map(({ link }, number) => [link, number]));
  }

  #tableOf(type: NodeType, key: Key): KeyTable {
    const known = this.#tables.find((each) => each.type === type && each.key.field === key.field);
    if (known !== undefined) return known;
    const table = new KeyTable(type, key);
    this.#tables.push(table);
    return table;
  }

  /** True: there are more keys than it holds. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** These nodes are written. */
  created(creates: readonly Create[]): void {
    for (const { uid, type, fields } of creates) {
      for (const table of this.#tables) {
        const value = table.type.stored === type ? fields[table.key.field.stored] : undefined;
        if (value !== undefined && !isList(value)) table.created(value, uid);
      }
    }
  }

  /** Whether `GatheringBatch.keyed` may hold something. */
  get takesKeys(): boolean {
    return this.#type.keys.size === 1 && this.#tables.every(({ key }) => key.field.kind === "string");
  }

  /** Keeps the links of a batch of objects, which exist; what they lead to may be created later. @throws notPlain when an ordinary add must decide */
  add({ objects, keyed, left }: GatheringBatch): void {
    const begin = this.#rows.count;
    try {
      if (objects.length > 0) this.#addObjects(objects);
      for (const each of keyed) this.#addKeyed(each);
      this.#batches.push({ end: this.#rows.count, left });
    } catch (thrown) {
      this.#rows.truncate(begin);
      throw thrown;
    }
    this.#rows.settle();
    this.#isOver = this.#tables.reduce((sum, { bytes }) => sum + bytes, 0) > maxKeyBytes;
    if (this.#isOver) this.#rows.close();
  }

  #addObjects(objects: readonly PlainObject[]): void {
    const key = onlyKey(this.#type, objects);
    this.#own ??= this.#tableOf(this.#type.type, key);
    if (this.#own.key.field !== key.field) throw notPlain;
    for (const { fields, links } of objects) {
      const from = this.#own.numberOf(keyIn(fields, key));
      for (const { link, targets } of links) {
        const number = this.#numbers.get(link);
        const table = this.#links[number ?? 0]?.targets;
        if (link.single || number === undefined || table === undefined) throw notPlain;
        for (const target of targets) {
          if (!target.isBare) throw notPlain;
          this.#rows.push(number, from, table.numberOf(target.key));
        }
      }
    }
  }

  /** A text that no node has for its key leaves the batch in the end. */
  #addKeyed({ key, links }: KeyedLinks): void {
    const [own] = this.#type.keys.values();
    if (own === undefined) throw notPlain;
    this.#own ??= this.#tableOf(this.#type.type, own);
    const from = this.#own.numberOf(key);
    for (const { field, keys } of links) {
      const link = this.#type.links.get(field);
      const number = link && this.#numbers.get(link);
      const table = this.#links[number ?? 0]?.targets;
      if (link === undefined || link.single || number === undefined || table === undefined) throw notPlain;
      for (const each of keys) {
        if (each === "") throw notPlain;
        this.#rows.push(number, from, table.numberOf(each));
      }
    }
  }

  /** The links of all batches. A batch is left when one of its keys has no node. */
  async *all(snapshot: () => Snapshot): AsyncGenerator<readonly Link[]> {
    try {
      for (const table of this.#tables) await table.findMissing(snapshot);
      let begin = 0;
      for (const { end, left } of this.#batches) {
        const links = this.#linksBetween(begin, end);
        if (links === undefined) left();
        else yield links;
        begin = end;
      }
    } finally {
      this.#rows.close();
    }
  }

  #linksBetween(begin: number, end: number): readonly Link[] | undefined {
    const found: Link[] = [];
    const fromType = this.#type.type.stored;
    for (let i = begin; i < end; i++) {
      const row = this.#rows.row(i);
      const table = this.#links[row.link];
      const from = this.#own?.uidOf(row.from) ?? 0;
      const to = table?.targets.uidOf(row.to) ?? 0;
      if (table === undefined || from === 0 || to === 0) return undefined;
      const { field, target } = table.link;
      found.push({ kind: "link", end: field.stored, from, fromType, to, toType: target.type.stored });
    }
    return found;
  }
}
