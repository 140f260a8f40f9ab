// Finds the dependencies that a touched node may affect. The cost grows with the node, not with the number of dependencies.

import type { EndName, FieldName, LayoutIndex, TypeName, Uid } from "../../../../core/plugin.ts";
import type { TouchedNode } from "../commits/touched-node.ts";
import type { Dependency, NodeDependency } from "../dependencies/dependency.ts";
import { type DependencyKey, dependencyKeysOf, isSameKey, type KeyContext, type SingleKey, singleKeysOf } from "../dependencies/dependency-key.ts";
import type { Registration } from "../dependencies/registration.ts";
import { DependencyIndex } from "./dependency-index.ts";
import type { FieldTypes } from "./field-types.ts";
import { MultiMap, RefCounts } from "./multi-map.ts";

type TypesKey = Extract<DependencyKey, { by: "types" }>;
type Visit<Owner> = (registration: Registration<Owner>) => void;

interface PartnerIndex<Owner> {
  readonly end: EndName;
  readonly index: DependencyIndex<Owner>;
  readonly nodes: ReadonlyMap<Uid, TouchedNode>;
}

export class DependencyRegistry<Owner> {
  readonly #layout: LayoutIndex;
  readonly #byNode: DependencyIndex<Owner>;
  /** By end: registrations that are found by a partner at that end. */
  readonly #byPartner = new Map<EndName, DependencyIndex<Owner>>();
  readonly #byType = new Map<TypeName, MultiMap<string, Registration<Owner>>>();
  readonly #ofType = new MultiMap<TypeName, Registration<Owner>>();
  readonly #requiredFields = new Map<TypeName, RefCounts>();
  /** Ends whose partners have to be loaded. */
  readonly #requiredEnds = new RefCounts();
  readonly #keyContext: KeyContext;
  readonly #fields: FieldTypes;

  constructor(layout: LayoutIndex, fields: FieldTypes) {
    this.#layout = layout;
    this.#keyContext = { layout, choose: (keys) => this.#mostSelective(keys) };
    this.#fields = fields;
    this.#byNode = new DependencyIndex(layout, fields);
  }

  add(dependency: Dependency, owner: Owner): Registration<Owner> {
    const key = this.#mostSelective(dependencyKeysOf(dependency, this.#keyContext));
    if (!key) throw new TypeError("Every dependency has a key by its types.");
    const registration = { dependency, owner, key, requiredFields: requiredFieldsOf(dependency, key, this.#layout) };
    this.#addToIndex(registration);
    for (const type of this.#typesOf(registration)) {
      this.#ofType.add(type, registration);
      for (const name of registration.requiredFields) this.#requiredFieldsOf(type).retain(name);
    }
    for (const end of endsIn(registration)) this.#requiredEnds.retain(end);
    return registration;
  }

  remove(registration: Registration<Owner>): void {
    this.#removeFromIndex(registration);
    for (const type of this.#typesOf(registration)) {
      this.#ofType.delete(type, registration);
      for (const name of registration.requiredFields) this.#requiredFieldsOf(type).release(name);
    }
    for (const end of endsIn(registration)) this.#requiredEnds.release(end);
  }

  /** Replaces `registration` by one of `dependency`. Keeps its index entries where its key still fits: most runs read what the run before has read. */
  replace(registration: Registration<Owner> | undefined, dependency: Dependency, owner: Owner): Registration<Owner> {
    if (registration && this.#keepsKey(registration, dependency)) {
      registration.dependency = dependency;
      return registration;
    }
    if (registration) this.remove(registration);
    return this.add(dependency, owner);
  }

  /** Whether `registration` depends on nodes of `type`. */
  isOf(registration: Registration<Owner>, type: TypeName): boolean {
    for (const each of this.#typesOf(registration)) if (each === type) return true;
    return false;
  }

  /** Owners of dependencies on nodes of `type`; one may appear more than once. */
  *ownersOf(type: TypeName): Iterable<Owner> {
    for (const { owner } of this.#ofType.get(type)) yield owner;
  }

  /** Fields and ends of `type` that must be loaded to test a touched node. */
  requiredFieldsOf(type: TypeName): Iterable<string> {
    return this.#requiredFields.get(type)?.names() ?? [];
  }

  /** Ends of `type` whose partners must be loaded. */
  requiredEndsOf(type: TypeName): readonly EndName[] {
    return [...this.#requiredEnds.names()].filter((end) => this.#layout.edges.end(end)?.types.includes(type));
  }

  hasDependenciesOn(type: TypeName): boolean {
    return this.#ofType.count(type) > 0;
  }

  /** Calls `visit` with every registration that `node` may affect, possibly several times. */
  find(node: TouchedNode, nodes: ReadonlyMap<Uid, TouchedNode>, visit: Visit<Owner>): void {
    this.#byNode.find(node, node.now, visit);
    this.#findByType(node, visit);
    for (const [end, index] of this.#byPartner) if (!index.isEmpty) this.#findByPartners(node, { end, index, nodes }, visit);
  }

  #findByType(node: TouchedNode, visit: Visit<Owner>): void {
    for (const type of node.type === undefined ? this.#byType.keys() : [node.type]) {
      const properties = this.#byType.get(type);
      if (!properties) continue;
      for (const property of node.properties) properties.visit(property, visit);
      if (node.createdAt !== undefined || node.removed) properties.visit(lifecycle, visit);
    }
  }

  #findByPartners(node: TouchedNode, { end, index, nodes }: PartnerIndex<Owner>, visit: Visit<Owner>): void {
    if (node.type !== undefined && !this.#layout.edges.end(end)?.types.includes(node.type)) return;
    for (const uid of node.unlinked(end)) index.find(nodes.get(uid) ?? uid, nodes.get(uid)?.now, visit);
    if (node.now === undefined) return;
    const partners = node.partners.has(end) ? node.partners.get(end) : undefined;
    if (partners === undefined) index.visitAll(visit);
    for (const partner of partners ?? []) index.find(nodes.get(partner.uid) ?? partner.uid, partner, visit);
  }

  #mostSelective(keys: readonly DependencyKey[]): DependencyKey | undefined {
    let best: DependencyKey | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      const cardinality = this.#cardinality(key);
      if (cardinality < lowest) [best, lowest] = [key, cardinality];
    }
    return best;
  }

  #cardinality(key: DependencyKey): number {
    if (key.by === "types") return leastSelective;
    if (key.by === "any") return key.of.reduce((sum, each) => sum + this.#cardinality(each), 0);
    if (key.by !== "partner") return this.#byNode.cardinality(key);
    // A lookup by partner costs more than a lookup by the node itself.
    return (this.#byPartner.get(key.end)?.cardinality(key.partner) ?? 0) + 1;
  }

  #addToIndex(registration: Registration<Owner>): void {
    for (const key of singleKeysOf(registration.key)) this.#addKey(key, registration);
  }

  #addKey(key: SingleKey, registration: Registration<Owner>): void {
    if (key.by === "types") this.#addByType(key, registration);
    else if (key.by === "partner") this.#partnerIndex(key.end).add(key.partner, registration);
    else this.#byNode.add(key, registration);
  }

  #removeFromIndex(registration: Registration<Owner>): void {
    for (const key of singleKeysOf(registration.key)) this.#removeKey(key, registration);
  }

  #removeKey(key: SingleKey, registration: Registration<Owner>): void {
    if (key.by === "types") this.#removeByType(key, registration);
    else if (key.by === "partner") this.#partnerIndex(key.end).remove(key.partner, registration);
    else this.#byNode.remove(key, registration);
  }

  #addByType(key: TypesKey, registration: Registration<Owner>): void {
    for (const type of key.types) {
      const properties = this.#byType.get(type) ?? new MultiMap<string, Registration<Owner>>();
      this.#byType.set(type, properties);
      for (const property of propertiesOf(key)) properties.add(property, registration);
    }
  }

  #removeByType(key: TypesKey, registration: Registration<Owner>): void {
    for (const type of key.types) {
      const properties = this.#byType.get(type);
      for (const property of propertiesOf(key)) properties?.delete(property, registration);
    }
  }

  #keepsKey({ key, dependency: old }: Registration<Owner>, dependency: Dependency): boolean {
    return (
      requiresTheSame(old, dependency) &&
      (hasTheSameKeys(old, dependency) || dependencyKeysOf(dependency, this.#keyContext).some((each) => isSameKey(each, key)))
    );
  }

  #typesOf({ dependency }: Registration<Owner>): Iterable<TypeName> {
    return dependency.kind === "nodes" ? dependency.types : (this.#layout.edges.end(dependency.end)?.types ?? []);
  }

  #requiredFieldsOf(type: TypeName): RefCounts {
    const counts = this.#requiredFields.get(type) ?? new RefCounts();
    this.#requiredFields.set(type, counts);
    return counts;
  }

  #partnerIndex(end: EndName): DependencyIndex<Owner> {
    const index = this.#byPartner.get(end) ?? new DependencyIndex(this.#layout, this.#fields);
    this.#byPartner.set(end, index);
    return index;
  }
}

/** Stands for creation and removal among the properties of a type. */
const lifecycle = "*";

/** Any other key is more selective than "a node of these types". */
const leastSelective = 1e9;

function propertiesOf(key: TypesKey): readonly string[] {
  return key.lifecycle ? [...key.properties, lifecycle] : key.properties;
}

function requiredFieldsOf(dependency: Dependency, key: DependencyKey, layout: LayoutIndex): readonly FieldName[] {
  const names = new Set<string>();
  if (dependency.kind === "nodes") {
    for (const name of dependency.filterFields) if (layout.edges.end(name) === undefined) names.add(name);
    for (const { field } of dependency.window?.edge ? dependency.window.order : []) names.add(field);
    if (dependency.within) names.add(dependency.within.end);
  }
  for (const each of singleKeysOf(key)) if (each.by === "keys" || each.by === "range") names.add(layout.slots.named(each.slot)?.field ?? "");
  names.delete("");
  return [...names];
}

/** Whether both require the same fields and are filed under the same types. */
function requiresTheSame(a: Dependency, b: Dependency): boolean {
  if (a.kind === "links" || b.kind === "links") return a.kind === "links" && b.kind === "links" && a.end === b.end;
  const isSameWindow = (a.window?.edge && a.window.order.length) === (b.window?.edge && b.window.order.length);
  return a.types === b.types && a.filterFields === b.filterFields && isSameWindow && a.within?.end === b.within?.end;
}

/** Whether the same keys fit both, as far as that is seen without making them: most runs of a query have the very condition of the run before. */
function hasTheSameKeys(a: Dependency, b: Dependency): boolean {
  return (
    a.kind === "nodes" &&
    b.kind === "nodes" &&
    a.where === b.where &&
    a.selectedFields === b.selectedFields &&
    isFoundByItself(a) &&
    isFoundByItself(b)
  );
}

/** Its keys are those of its condition and its types. */
function isFoundByItself({ linked, within, reached }: NodeDependency): boolean {
  return !linked && within === undefined && reached === undefined;
}

function endsIn({ dependency, key }: Registration<unknown>): ReadonlySet<EndName> {
  const ends = new Set<EndName>(singleKeysOf(key).flatMap((each) => (each.by === "partner" ? [each.end] : [])));
  if (dependency.kind === "nodes") for (const name of linkedEnds(dependency)) ends.add(name);
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
