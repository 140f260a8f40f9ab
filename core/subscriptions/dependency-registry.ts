// Finds the watches that a touched node may concern, at a cost that goes with the node and not with the number of watches.

import type { EndName, FieldName, TypeName, Uid } from "../ground/values/value.ts";
import type { LayoutIndex } from "../query/layout-index/layout-index.ts";
import type { LookupSlot } from "../query/layout-index/lookup-slots.ts";
import type { Dependency, NodeDependency } from "./dependency.ts";
import { type DependencyKey, dependencyKeysOf, type LookupTerm } from "./dependency-key.ts";
import { IntervalSet } from "./interval-set.ts";
import type { LoadedNode } from "./loaded-node.ts";
import type { TouchedNode } from "./touched-node.ts";

/** A watch with the query that it stands for. */
export interface Registration<Owner> {
  watch: Dependency;
  readonly owner: Owner;
  readonly place: DependencyKey;
  /** Fields and ends that must be known of a touched node to judge it. */
  readonly needs: readonly string[];
}

export class DependencyRegistry<Owner> {
  readonly #layout: LayoutIndex;
  readonly #direct: DependencyIndex<Owner>;
  /** By end, what is found by a partner behind it. */
  readonly #byPartner = new Map<EndName, DependencyIndex<Owner>>();
  readonly #byType = new Map<TypeName, Buckets<string, Registration<Owner>>>();
  readonly #owners = new Buckets<TypeName, Registration<Owner>>();
  readonly #needs = new Map<TypeName, Counts>();
  /** Ends whose partners decide something. */
  readonly #ends = new Counts();

  constructor(layout: LayoutIndex) {
    this.#layout = layout;
    this.#direct = new DependencyIndex(layout);
  }

  add(watch: Dependency, owner: Owner): Registration<Owner> {
    const place = this.#leastCrowded(dependencyKeysOf(watch, this.#layout));
    const entry = { watch, owner, place, needs: needsOf(watch, place, this.#layout) };
    this.#put(entry, true);
    return entry;
  }

  /** The entry with another watch, where it stands, if that is where the watch belongs; else a new one in its stead. */
  renew(entry: Registration<Owner> | undefined, watch: Dependency, owner: Owner): Registration<Owner> {
    if (
      entry?.place.by === "range" &&
      isAlike(entry.watch, watch) &&
      dependencyKeysOf(watch, this.#layout).some((place) => isSameRange(place, entry.place))
    ) {
      entry.watch = watch;
      return entry;
    }
    if (entry) this.remove(entry);
    return this.add(watch, owner);
  }

  remove(entry: Registration<Owner>): void {
    this.#put(entry, false);
  }

  /** Owners of what hangs on nodes of `type`. */
  *ownersOf(type: TypeName): Iterable<Owner> {
    for (const { owner } of this.#owners.get(type)) yield owner;
  }

  needsOf(type: TypeName): Iterable<string> {
    return this.#needs.get(type)?.names() ?? [];
  }

  /** Ends of `type` behind which partners have to be looked at. */
  endsOf(type: TypeName): readonly EndName[] {
    return [...this.#ends.names()].filter((end) => this.#layout.edges.end(end)?.types.includes(type));
  }

  isWatched(type: TypeName): boolean {
    return this.#owners.size(type) > 0;
  }

  /** Calls `visit` with every entry that `node` may concern, perhaps several times. */
  find(node: TouchedNode, nodes: ReadonlyMap<Uid, TouchedNode>, visit: (entry: Registration<Owner>) => void): void {
    this.#direct.find(node, node.now, visit);
    this.#findByType(node, visit);
    for (const [end, shelf] of this.#byPartner) if (!shelf.isEmpty) this.#findByPartners(node, { end, shelf, nodes }, visit);
  }

  #findByType(node: TouchedNode, visit: (entry: Registration<Owner>) => void): void {
    for (const type of node.type === undefined ? this.#byType.keys() : [node.type]) {
      const buckets = this.#byType.get(type);
      if (!buckets) continue;
      for (const property of node.properties) buckets.visit(property, visit);
      if (node.bornAt !== undefined || node.removed) buckets.visit(living, visit);
    }
  }

  #findByPartners(
    node: TouchedNode,
    { end, shelf, nodes }: { readonly end: EndName; readonly shelf: DependencyIndex<Owner>; readonly nodes: ReadonlyMap<Uid, TouchedNode> },
    visit: (entry: Registration<Owner>) => void,
  ): void {
    if (node.type !== undefined && !this.#layout.edges.end(end)?.types.includes(node.type)) return;
    for (const uid of node.unlinked(end)) shelf.find(nodes.get(uid) ?? uid, nodes.get(uid)?.now, visit);
    if (node.now === undefined) return;
    const partners = node.partners.has(end) ? node.partners.get(end) : undefined;
    if (partners === undefined) shelf.all(visit);
    for (const partner of partners ?? []) shelf.find(nodes.get(partner.uid) ?? partner.uid, partner, visit);
  }

  #leastCrowded(places: readonly DependencyKey[]): DependencyKey {
    let best: DependencyKey | undefined;
    let crowd = Number.POSITIVE_INFINITY;
    for (const place of places) {
      const here = place.by === "types" ? crowded : this.#crowdAt(place);
      if (here < crowd) [best, crowd] = [place, here];
    }
    if (!best) throw new TypeError("A watch can always be found by its types.");
    return best;
  }

  #crowdAt(place: Exclude<DependencyKey, { by: "types" }>): number {
    if (place.by !== "partner") return this.#direct.crowdAt(place);
    // Looking behind links costs more than looking at the node.
    return (this.#byPartner.get(place.end)?.crowdAt(place.partner) ?? 0) + 1;
  }

  #put(entry: Registration<Owner>, on: boolean): void {
    const { place, watch, needs } = entry;
    if (place.by === "types") this.#putByType(place, entry, on);
    else if (place.by === "partner") this.#shelfAt(place.end).put(place.partner, entry, on);
    else this.#direct.put(place, entry, on);
    const types = watch.kind === "nodes" ? watch.types : (this.#layout.edges.end(watch.end)?.types ?? []);
    for (const type of types) {
      this.#owners.put(type, entry, on);
      const counts = this.#needs.get(type) ?? new Counts();
      this.#needs.set(type, counts);
      for (const name of needs) counts.count(name, on);
    }
    for (const end of endsIn(entry)) this.#ends.count(end, on);
  }

  #putByType({ types, properties, living: lives }: Extract<DependencyKey, { by: "types" }>, entry: Registration<Owner>, on: boolean): void {
    for (const type of types) {
      const buckets = this.#byType.get(type) ?? new Buckets<string, Registration<Owner>>();
      this.#byType.set(type, buckets);
      for (const property of properties) buckets.put(property, entry, on);
      if (lives) buckets.put(living, entry, on);
    }
  }

  #shelfAt(end: EndName): DependencyIndex<Owner> {
    const shelf = this.#byPartner.get(end) ?? new DependencyIndex(this.#layout);
    this.#byPartner.set(end, shelf);
    return shelf;
  }
}

/** Stands for coming and going among the properties of a type. */
const living = "*";

/** Any other place is better than "anything of these types". */
const crowded = 1e9;

type IndexedKey = Extract<DependencyKey, { by: "uids" | "keys" | "range" }>;

/** Entries by node id, by a value or token, and by ranges of values. */
class DependencyIndex<Owner> {
  readonly #layout: LayoutIndex;
  readonly #byUid = new Buckets<Uid, Registration<Owner>>();
  readonly #byKey = new Map<string, Buckets<LookupTerm, Registration<Owner>>>();
  readonly #byRange = new Map<string, IntervalSet<Registration<Owner>>>();

  constructor(layout: LayoutIndex) {
    this.#layout = layout;
  }

  get isEmpty(): boolean {
    return this.#byUid.isEmpty && this.#byKey.size === 0 && this.#byRange.size === 0;
  }

  put(place: IndexedKey, entry: Registration<Owner>, on: boolean): void {
    if (place.by === "uids") {
      for (const uid of place.uids) this.#byUid.put(uid, entry, on);
      return;
    }
    if (place.by === "range") {
      const ranges =
        this.#byRange.get(place.slot) ?? new IntervalSet<Registration<Owner>>(this.#layout.kindOf(this.#layout.slots.named(place.slot)?.field ?? ""));
      ranges.put(entry, place, on);
      if (ranges.size === 0) this.#byRange.delete(place.slot);
      else this.#byRange.set(place.slot, ranges);
      return;
    }
    const buckets = this.#byKey.get(place.slot) ?? new Buckets<LookupTerm, Registration<Owner>>();
    for (const key of place.keys) buckets.put(key, entry, on);
    if (buckets.isEmpty) this.#byKey.delete(place.slot);
    else this.#byKey.set(place.slot, buckets);
  }

  crowdAt(place: IndexedKey): number {
    if (place.by === "uids") return 0;
    // How many ranges a value lies in is not known beforehand; a good part of them, perhaps.
    if (place.by === "range") return (this.#byRange.get(place.slot)?.size ?? 0) / 4 + 2;
    const buckets = this.#byKey.get(place.slot);
    return buckets ? Math.max(0, ...place.keys.map((key) => buckets.size(key))) : 0;
  }

  /** @param node what is known of its past, or its id alone */
  find(node: TouchedNode | Uid, now: LoadedNode | undefined, visit: (entry: Registration<Owner>) => void): void {
    const touched = typeof node === "number" ? undefined : node;
    this.#byUid.visit(typeof node === "number" ? node : node.uid, visit);
    for (const [name, buckets] of this.#byKey) {
      const slot = this.#layout.slots.named(name);
      if (!slot) continue;
      if (touched && slot.past !== undefined) for (const key of touched.goneFrom(slot.past)) buckets.visit(key, visit);
      if (touched && slot.past === undefined && hadOther(touched, slot)) buckets.all(visit);
      else if (now) findNow(slot, buckets, now, visit);
    }
    for (const [name, ranges] of this.#byRange) {
      const slot = this.#layout.slots.named(name);
      if (slot?.past === undefined) continue;
      for (const key of touched?.goneFrom(slot.past) ?? []) ranges.visit(key, visit);
      const values = now?.values(slot.field);
      if (now && values === undefined) ranges.all(visit);
      for (const value of values ?? []) ranges.visit(value, visit);
    }
  }

  all(visit: (entry: Registration<Owner>) => void): void {
    this.#byUid.all(visit);
    for (const buckets of this.#byKey.values()) buckets.all(visit);
    for (const ranges of this.#byRange.values()) ranges.all(visit);
  }
}

/** Whether it was found under something else before, and nothing tells under what. */
function hadOther(node: TouchedNode, { field }: LookupSlot): boolean {
  if (node.bornAt === node.token) return false;
  return node.removed || node.properties.has(field);
}

function findNow<Owner>(
  { field, tokens }: LookupSlot,
  buckets: Buckets<LookupTerm, Registration<Owner>>,
  now: LoadedNode,
  visit: (entry: Registration<Owner>) => void,
): void {
  const values = now.values(field);
  if (values === undefined) buckets.all(visit);
  for (const value of values ?? []) {
    if (!tokens) buckets.visit(value, visit);
    else for (const token of tokens(value)) buckets.visit(token, visit);
  }
}

/** Sets by key; one that holds a single thing is that thing. */
class Buckets<K, T extends object> {
  readonly #map = new Map<K, T | Set<T>>();

  get isEmpty(): boolean {
    return this.#map.size === 0;
  }

  size(key: K): number {
    const found = this.#map.get(key);
    return found === undefined ? 0 : found instanceof Set ? found.size : 1;
  }

  put(key: K, thing: T, on: boolean): void {
    const found = this.#map.get(key);
    if (found instanceof Set) {
      if (on) found.add(thing);
      else if (found.delete(thing) && found.size === 0) this.#map.delete(key);
    } else if (on) {
      if (found !== thing) this.#map.set(key, found === undefined ? thing : new Set([found, thing]));
    } else if (found === thing) this.#map.delete(key);
  }

  get(key: K): Iterable<T> {
    const found = this.#map.get(key);
    return found === undefined ? [] : found instanceof Set ? found : [found];
  }

  visit(key: K, visit: (thing: T) => void): void {
    const found = this.#map.get(key);
    if (found === undefined) return;
    if (found instanceof Set) for (const each of found) visit(each);
    else visit(found);
  }

  all(visit: (thing: T) => void): void {
    for (const key of this.#map.keys()) this.visit(key, visit);
  }
}

/** How often each name is wanted. */
class Counts {
  readonly #counts = new Map<string, number>();

  count(name: string, on: boolean): void {
    const count = (this.#counts.get(name) ?? 0) + (on ? 1 : -1);
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }

  names(): Iterable<string> {
    return this.#counts.keys();
  }
}

function needsOf(watch: Dependency, place: DependencyKey, layout: LayoutIndex): readonly FieldName[] {
  const needs = new Set<string>();
  if (watch.kind === "nodes") {
    for (const name of watch.decides) if (layout.edges.end(name) === undefined) needs.add(name);
    for (const key of watch.window?.edge ? watch.window.order : []) needs.add(key.field);
    if (watch.within) needs.add(watch.within.end);
  }
  if (place.by === "keys" || place.by === "range") needs.add(layout.slots.named(place.slot)?.field ?? "");
  needs.delete("");
  return [...needs];
}

/** Whether both need the same to be judged: the same condition, bound to the same values, on the same things. */
function isAlike(a: Dependency, b: Dependency): boolean {
  if (a.kind !== "nodes" || b.kind !== "nodes") return false;
  return a.types === b.types && a.decides === b.decides && a.window?.order.length === b.window?.order.length && !a.within && !b.within;
}

function isSameRange(a: DependencyKey, b: DependencyKey): boolean {
  return a.by === "range" && b.by === "range" && a.slot === b.slot && a.low === b.low && a.high === b.high;
}

function endsIn({ watch, place }: Registration<unknown>): ReadonlySet<EndName> {
  const ends = new Set<EndName>(place.by === "partner" ? [place.end] : []);
  if (watch.kind === "nodes") for (const name of linkedEnds(watch)) ends.add(name);
  return ends;
}

function linkedEnds({ where }: NodeDependency): readonly EndName[] {
  const found: EndName[] = [];
  const walk = (predicate: NodeDependency["where"]): void => {
    if (predicate.kind === "and" || predicate.kind === "or") predicate.of.forEach(walk);
    else if (predicate.kind === "not") walk(predicate.of);
    else if (predicate.kind === "linked") found.push(predicate.end);
  };
  walk(where);
  return found;
}
