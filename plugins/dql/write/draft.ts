// A snapshot with what is being written: operations change it in memory, and at the end it says which changes lead to it.

import {
  type Batch,
  type EndName,
  equalValues,
  type FieldName,
  run,
  type Snapshot,
  type Stored,
  type Turns,
  type TypeName,
  type Uid,
  type Value,
  type Work,
} from "../../../core/plugin.ts";
import { addRecords, readRecords, type StoredRecords } from "../overlay/loose-records.ts";
import { Overlay, type OverlayNode } from "../overlay/overlay.ts";
import type { WriteFacts } from "./facts.ts";
import { type Operation, typePredicate } from "./operations.ts";

type Purpose = "set" | "delete";

/** Operations of one mutation, in the order in which they are carried out. */
export interface Applied {
  readonly operations: readonly Operation[];
  readonly purpose: Purpose;
}

const sliceSize = 1_000;
/** Operations between two steps. */
const operationsOfTurn = 64;

export class Draft {
  readonly overlay: Overlay;
  readonly facts: WriteFacts;
  #base: Snapshot;
  records: StoredRecords = new Map();
  /** Nodes that operations name. */
  readonly named = new Set<Uid>();
  /** Values of the store, by node and field; undefined: it has none there. */
  readonly stored = new Map<Uid, Map<FieldName, Stored | undefined>>();
  /** Links of the store, by end and node. */
  readonly linked = new Map<EndName, Map<Uid, readonly Uid[]>>();

  private constructor(base: Snapshot, facts: WriteFacts) {
    this.#base = base;
    this.facts = facts;
    this.overlay = new Overlay(facts.index);
  }

  static async begin(base: Snapshot, facts: WriteFacts): Promise<Draft> {
    const draft = new Draft(base, facts);
    draft.records = await readRecords(base);
    await addRecords(draft.overlay, draft.records, { snapshot: base, index: facts.index, types: facts.catalog.types });
    return draft;
  }

  /** Carries out what another draft has. */
  async replay(steps: readonly Applied[], turns: Turns): Promise<void> {
    for (const step of steps) {
      await this.prepare(step.operations, turns);
      await run(this.carryOut(step), turns);
    }
  }

  /** For operations that it is prepared for. */
  *carryOut({ operations, purpose }: Applied): Work<void> {
    for (const [i, operation] of operations.entries()) {
      if (i % operationsOfTurn === operationsOfTurn - 1) yield;
      this.#apply(operation, purpose);
    }
  }

  /** Reads what the operations depend on. */
  async prepare(operations: readonly Operation[], turns: Turns): Promise<void> {
    for (let start = 0; start < operations.length; start += sliceSize) {
      await this.#prepareSlice(operations.slice(start, start + sliceSize));
      if (turns.isTurnOver) await turns.turn();
    }
  }

  async #prepareSlice(operations: readonly Operation[]): Promise<void> {
    await this.#addNodes(operations);
    const retyped = operations.flatMap((each) => (each.kind === "everything" || each.kind === "type" || each.kind === "untype" ? [each.uid] : []));
    const whole = [...new Set(retyped)].flatMap((uid) => this.overlay.nodes.get(uid) ?? []);
    await this.#readFields(operations, whole);
    await this.#readLinks(operations, whole);
  }

  #apply(operation: Operation, purpose: Purpose): void {
    const node = this.node(operation.uid);
    this.named.add(operation.uid);
    switch (operation.kind) {
      case "value":
        this.#changeValue(node, operation, purpose);
        break;
      case "clear":
        for (const field of operation.fields) node.fields.set(field, null);
        break;
      case "link":
        this.named.add(operation.to);
        if (purpose === "set") this.#link(operation);
        else this.overlay.links.set({ ...linkOf(operation, operation.to), on: false });
        break;
      case "unlink":
        for (const to of this.partners(operation.end, operation.uid)) this.overlay.links.set({ ...linkOf(operation, to), on: false });
        break;
      case "type":
        if (purpose === "set") this.#addType(node, operation.name);
        else this.#removeType(node, operation.name);
        break;
      case "untype":
        node.names.clear();
        this.#retype(node, undefined);
        break;
      case "everything":
        this.#clearAll(node, operation.only);
    }
  }

  node(uid: Uid): OverlayNode {
    return this.overlay.nodes.get(uid) ?? this.overlay.add(uid, undefined);
  }

  /** The value that a node has now. */
  value(node: OverlayNode, field: FieldName): Stored | undefined {
    const own = node.fields.get(field);
    return own === undefined ? this.stored.get(node.uid)?.get(field) : (own ?? undefined);
  }

  partners(end: EndName, uid: Uid): readonly Uid[] {
    const partners = new Set(this.linked.get(end)?.get(uid) ?? []);
    for (const [partner, on] of this.overlay.links.at(end, uid) ?? []) {
      if (on) partners.add(partner);
      else partners.delete(partner);
    }
    return [...partners];
  }

  // ---- values -------------------------------------------------------------------------------------------------------------------

  #changeValue(node: OverlayNode, operation: Extract<Operation, { kind: "value" }>, purpose: Purpose): void {
    if (purpose === "delete") this.#deleteValue(node, operation);
    else if (operation.list) this.#addValue(node, operation);
    else node.fields.set(operation.field, operation.value);
  }

  #addValue(node: OverlayNode, { field, value }: Extract<Operation, { kind: "value" }>): void {
    const values = listOf(this.value(node, field));
    if (!this.#includes(values, value, field)) node.fields.set(field, [...values, value]);
  }

  #deleteValue(node: OverlayNode, { field, list, value }: Extract<Operation, { kind: "value" }>): void {
    const values = listOf(this.value(node, field));
    if (!this.#includes(values, value, field)) return;
    const left = values.filter((each) => !this.#equal(each, value, field));
    node.fields.set(field, list && left.length > 0 ? left : null);
  }

  #includes(values: readonly Value[], value: Value, field: FieldName): boolean {
    return values.some((each) => this.#equal(each, value, field));
  }

  #equal(a: Value, b: Value, field: FieldName): boolean {
    return equalValues(this.facts.index.kindOf(field), a, b);
  }

  // ---- links --------------------------------------------------------------------------------------------------------------------

  #link(operation: Extract<Operation, { kind: "link" }>): void {
    const { uid, end, to } = operation;
    this.node(to);
    this.#displace(end, uid, to);
    const back = this.facts.index.edges.opposite(end);
    for (const each of back) this.#displace(each.name, to, uid);
    this.overlay.links.set({ ...linkOf(operation, to), on: true });
  }

  /** A single end leads to one node. */
  #displace(end: EndName, uid: Uid, to: Uid): void {
    if (!this.facts.index.edges.isSingle(end)) return;
    for (const partner of this.partners(end, uid)) if (partner !== to) this.overlay.links.set({ end, from: uid, to: partner, on: false });
  }

  // ---- types --------------------------------------------------------------------------------------------------------------------

  #addType(node: OverlayNode, name: string): void {
    const { isConcrete, namesOf } = this.facts;
    if (node.type !== undefined && namesOf(node.type).includes(name)) return;
    if (!isConcrete(name) || node.type !== undefined) return void node.names.add(name);
    this.#retype(node, name);
    for (const each of namesOf(name)) node.names.delete(each);
  }

  #removeType(node: OverlayNode, name: string): void {
    node.names.delete(name);
    if (node.type !== name) return;
    const next = [...node.names].find((each) => this.facts.isConcrete(each));
    if (next !== undefined) node.names.delete(next);
    this.#retype(node, next);
  }

  /** Everything that the store has of the node is written anew. */
  #retype(node: OverlayNode, type: TypeName | undefined): void {
    if (node.type === type) return;
    if (node.native !== undefined) this.#pin(node, node.native);
    node.type = type;
  }

  #pin(node: OverlayNode, native: TypeName): void {
    for (const [field, value] of this.stored.get(node.uid) ?? []) if (value !== undefined && !node.fields.has(field)) node.fields.set(field, value);
    for (const end of this.facts.endsOf(native)) {
      for (const to of this.partners(end, node.uid)) this.overlay.links.set({ end, from: node.uid, to, on: true });
    }
  }

  /** The predicates of the node's types go, and the types. Values of other predicates stay. */
  #clearAll(node: OverlayNode, only: ReadonlySet<string> | undefined): void {
    const { type } = node;
    if (type === undefined) return;
    const goes = (name: string) => only === undefined || only.has(name);
    for (const field of this.facts.fieldsOf(type)) if (goes(field)) node.fields.set(field, null);
    for (const end of this.facts.endsOf(type).filter(goes)) {
      for (const to of this.partners(end, node.uid)) this.overlay.links.set({ end, from: node.uid, to, on: false });
    }
    if (!goes(typePredicate)) return;
    node.names.clear();
    this.#retype(node, undefined);
  }

  // ---- reading ------------------------------------------------------------------------------------------------------------------

  async #addNodes(operations: readonly Operation[]): Promise<void> {
    const named = operations.flatMap((each) => (each.kind === "link" ? [each.uid, each.to] : [each.uid]));
    await this.#loadNodes(named);
  }

  async #loadNodes(named: readonly Uid[]): Promise<void> {
    const unknown = [...new Set(named)].filter((uid) => !this.overlay.nodes.has(uid)).sort((a, b) => a - b);
    for (const uids of slices(unknown)) {
      const found = await this.#base.load({ uids, types: this.facts.catalog.types, fields: [] });
      const types = new Map(found.uids.map((uid, row) => [uid, found.types[row]]));
      for (const uid of uids) this.overlay.add(uid, types.get(uid));
    }
  }

  async #readFields(operations: readonly Operation[], whole: readonly OverlayNode[]): Promise<void> {
    const wanted = new Map<FieldName, Set<Uid>>();
    for (const each of operations) {
      if (each.kind === "value") addTo(wanted, each.field, each.uid);
      if (each.kind === "clear") for (const field of each.fields) addTo(wanted, field, each.uid);
    }
    for (const { uid, native } of whole) if (native !== undefined) for (const field of this.facts.fieldsOf(native)) addTo(wanted, field, uid);
    for (const [field, uids] of wanted) await this.#readField(field, uids);
  }

  async #readField(field: FieldName, wanted: ReadonlySet<Uid>): Promise<void> {
    const uids = [...wanted].filter((uid) => this.overlay.nodes.get(uid)?.native !== undefined && !this.stored.get(uid)?.has(field));
    for (const slice of slices(uids.sort((a, b) => a - b))) {
      const batch: Batch = await this.#base.load({ uids: slice, types: this.facts.catalog.types, fields: [field] });
      for (const [row, uid] of batch.uids.entries()) {
        const known = this.stored.get(uid) ?? new Map<FieldName, Stored | undefined>();
        this.stored.set(uid, known.set(field, batch.columns[0]?.[row]));
      }
    }
  }

  async #readLinks(operations: readonly Operation[], whole: readonly OverlayNode[]): Promise<void> {
    const { edges } = this.facts.index;
    const wanted = new Map<EndName, Set<Uid>>();
    for (const each of operations) {
      if (each.kind === "unlink") addTo(wanted, each.end, each.uid);
      if (each.kind !== "link") continue;
      // Lists may be long, and need not be known.
      if (edges.isSingle(each.end)) addTo(wanted, each.end, each.uid);
      for (const { name, many } of edges.opposite(each.end)) if (!many) addTo(wanted, name, each.to);
    }
    for (const { uid, native } of whole) if (native !== undefined) for (const end of this.facts.endsOf(native)) addTo(wanted, end, uid);
    const partners: Uid[] = [];
    for (const [end, uids] of wanted) partners.push(...(await this.#readEnd(end, uids)));
    await this.#loadNodes(partners);
  }

  async #readEnd(end: EndName, wanted: ReadonlySet<Uid>): Promise<readonly Uid[]> {
    const known = this.linked.get(end) ?? new Map<Uid, readonly Uid[]>();
    this.linked.set(end, known);
    const found: Uid[] = [];
    const from = [...wanted].filter((uid) => this.overlay.nodes.get(uid)?.native !== undefined && !known.has(uid));
    for (const slice of slices(from.sort((a, b) => a - b))) {
      const { starts, rows, nodes } = await this.#base.follow({ from: slice, end, fields: [] });
      for (const [i, uid] of slice.entries()) {
        const partners = rows.slice(starts[i] ?? 0, starts[i + 1] ?? 0).map((row) => nodes.uids[row] ?? 0);
        known.set(uid, partners);
        for (const partner of partners) found.push(partner);
      }
    }
    return found;
  }
}

function linkOf({ uid, end }: { readonly uid: Uid; readonly end: EndName }, to: Uid) {
  return { end, from: uid, to };
}

function listOf(stored: Stored | undefined): readonly Value[] {
  if (stored === undefined) return [];
  return isList(stored) ? stored : [stored];
}

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

function addTo<K>(map: Map<K, Set<Uid>>, key: K, uid: Uid): void {
  const known = map.get(key);
  if (known) known.add(uid);
  else map.set(key, new Set([uid]));
}

function* slices(uids: readonly Uid[]): Generator<readonly Uid[]> {
  for (let start = 0; start < uids.length; start += sliceSize) yield uids.slice(start, start + sliceSize);
}
