// Decides for every input object what it is: an existing node, a new one, or a fault. Pure: what exists was looked up before.

import type { Budget } from "../../contracts/budget.ts";
import type { LinkField, NodeType } from "../../contracts/model.ts";
import type { InputPath, QuernError } from "../../ground/errors.ts";
import type { Uid } from "../../ground/values/value.ts";
import {
  at,
  duplicateKey,
  keyExists,
  keyExistsInSibling,
  keyMissing,
  noSuchObject,
  nothingNamed,
  severalFound,
  undisclosed,
  wrongId,
} from "../context/error-messages.ts";
import { type InputNode, type InputTree, type KeyValue, objectsBetweenLooks, pathOf } from "../input/input-tree.ts";
import type { Contents } from "../input/input-values.ts";
import { missingField } from "../input/required.ts";
import type { Existing, ExistingNodes } from "./look-up.ts";
import type { Entities, Entity } from "./request-keys.ts";
import { keyLabel } from "./scoped-keys.ts";

/** A node that is there, or the input object from which one will be made. */
export type Target = { readonly kind: "existing"; readonly node: Existing } | { readonly kind: "new"; readonly input: InputNode };

export interface RequestedLink {
  /** Whose link it is: an object that is created, updated by an upsert, or the patch of an update. */
  readonly owner: InputNode;
  readonly field: LinkField;
  readonly target: Target;
}

export interface Resolution {
  /** Objects that become new nodes; the ids follow this order. */
  readonly created: readonly InputNode[];
  /** Objects of an upsert that exist already. */
  readonly updated: readonly { readonly input: InputNode; readonly node: Existing }[];
  /** Links to be there, in the order of the input. */
  readonly links: readonly RequestedLink[];
  /** Links to be gone. */
  readonly unlinks: readonly RequestedLink[];
  /** Faults of the input, each of one object. */
  readonly problems: readonly QuernError[];
  /** Values that cannot be stored and are used. */
  readonly faults: readonly QuernError[];
}

export interface ResolveFacts {
  readonly tree: InputTree;
  readonly entities: Entities;
  readonly contents: Contents;
  readonly found: ExistingNodes;
  readonly upsert: boolean;
  readonly budget?: Budget;
  /** Whether an upsert may change the node; if not, it leaves it alone. */
  readonly updatable: (uid: Uid) => boolean;
  /** Whether an input may name the node. */
  readonly referable: (uid: Uid) => boolean;
  /** Whether the caller may not see that the node has the key: then it cannot be named by it. */
  readonly hides: (uid: Uid, key: KeyValue, by: InputNode) => boolean;
  /** Types whose nodes errors must not disclose. */
  readonly undisclosed: ReadonlySet<NodeType>;
}

export function resolveInput(facts: ResolveFacts): Resolution {
  const resolver = new Resolver(facts);
  resolver.run();
  const created = resolver.created.sort((a, b) => a.index - b.index);
  return {
    created,
    updated: resolver.updated,
    links: resolver.links,
    unlinks: resolver.unlinks,
    problems: resolver.problems,
    faults: resolver.faults,
  };
}

/** What the keys of an input object find. */
interface Hits {
  readonly own: ReadonlyMap<Uid, Existing>;
  /** Keys that nodes of other types hold. */
  readonly siblings: readonly KeyValue[];
  /** The first key by which a node was found that the caller cannot name by it. */
  readonly hidden: KeyValue | undefined;
}

class Resolver {
  readonly created: InputNode[] = [];
  readonly updated: { readonly input: InputNode; readonly node: Existing }[] = [];
  readonly links: RequestedLink[] = [];
  readonly unlinks: RequestedLink[] = [];
  readonly problems: QuernError[] = [];
  readonly faults: QuernError[] = [];
  readonly #facts: ResolveFacts;
  readonly #missing = new Map<InputNode, QuernError | undefined>();
  readonly #entered = new Set<InputNode>();
  readonly #upserted = new Set<Uid>();
  /** Nodes that the mentions of an entity find, all together. */
  readonly #holders = new Map<Entity, readonly Existing[]>();

  constructor(facts: ResolveFacts) {
    this.#facts = facts;
  }

  run(): void {
    let i = 0;
    for (const root of this.#facts.tree.roots) {
      if (i++ % objectsBetweenLooks === 0) this.#facts.budget?.spend(0);
      if (root.role === "add") this.#addRoot(root);
      else this.#patch(root);
    }
  }

  #patch(root: InputNode): void {
    this.faults.push(...this.#facts.contents(root).faults);
    const requested = root.role === "set" ? this.links : this.unlinks;
    for (const { field, targets } of root.links) this.#request(root, field, targets, requested);
  }

  #addRoot(root: InputNode): void {
    if (this.#facts.upsert) this.#upsert(root);
    else this.#addNew(root);
  }

  #addNew(root: InputNode): void {
    const problem = this.#firstTaken(root);
    if (problem) this.problems.push(problem);
    else this.#create(root);
  }

  #upsert(root: InputNode): void {
    const hits = this.#hits(root);
    const [own] = hits.own.values();
    if (hits.siblings.length > 0) {
      this.#addNew(root);
    } else if (hits.hidden) {
      this.#fail(this.#taken(root, hits.hidden, this.#facts.found.byKey(root.type, hits.hidden)));
    } else if (hits.own.size > 1) {
      this.problems.push(at(pathOf(root), severalFound()));
    } else if (!own) {
      this.#create(root);
    } else if (this.#upserted.has(own.uid)) {
      this.problems.push(at(keyPath(root, root.keys[0]), duplicateKey(String(root.keys.at(0)?.value))));
    } else if (this.#facts.updatable(own.uid)) {
      this.#upserted.add(own.uid);
      this.updated.push({ input: root, node: own });
      this.#enter(root);
    }
  }

  /** The first key, by field name, that a node already holds. */
  #firstTaken(root: InputNode): QuernError | undefined {
    for (const each of root.keys) {
      const holders = this.#facts.found.byKey(root.type, each);
      if (holders.length > 0) return this.#taken(root, each, holders);
    }
    return undefined;
  }

  #create(input: InputNode): void {
    if (this.#entered.has(input)) return;
    this.created.push(input);
    this.#enter(input);
  }

  #enter(input: InputNode): void {
    this.#entered.add(input);
    this.faults.push(...this.#facts.contents(input).faults);
    for (const { field, targets } of input.links) this.#request(input, field, targets, this.links);
  }

  #request(owner: InputNode, field: LinkField, targets: readonly InputNode[], requested: RequestedLink[]): void {
    for (const each of targets) {
      const target = this.#target(each);
      if (target) requested.push({ owner, field, target });
    }
  }

  #target(node: InputNode): Target | undefined {
    if (node.reference) return this.#byId(node, node.reference);
    const hits = this.#hits(node);
    const [own] = hits.own.values();
    if (hits.hidden) {
      const taken = this.#taken(node, hits.hidden, this.#facts.found.byKey(node.type, hits.hidden));
      return this.#fail(this.#unmakeable(node) ?? taken);
    }
    if (hits.own.size > 1) return this.#fail(at(pathOf(node), severalFound()));
    if (own) return this.#facts.referable(own.uid) ? { kind: "existing", node: own } : this.#fail(this.#firstTaken(node));
    const [sibling] = hits.siblings;
    if (sibling) return this.#fail(this.#taken(node, sibling, this.#facts.found.byKey(node.type, sibling)));
    const [other, ...more] = this.#otherHolders(node);
    if (more.length > 0) return this.#fail(at(pathOf(node), severalFound()));
    return other ? { kind: "existing", node: other } : this.#fresh(node);
  }

  #byId(node: InputNode, reference: NonNullable<InputNode["reference"]>): Target | undefined {
    const found = this.#facts.found.byId(reference.uid);
    const fits = found && node.type.members.includes(found.type) && this.#facts.referable(found.uid);
    return fits
      ? { kind: "existing", node: found }
      : this.#fail(at([...pathOf(node), node.type.idField?.name ?? "id"], wrongId(reference.text, node.type.name)));
  }

  /** Nodes that other objects of the request, which mean the same, name by another key. */
  #otherHolders(node: InputNode): readonly Existing[] {
    const entity = this.#facts.entities.of.get(node);
    if (!entity || entity.mentions.length === 1) return [];
    let holders = this.#holders.get(entity);
    if (!holders) {
      holders = [...new Map(entity.mentions.flatMap((each) => [...this.#hits(each).own])).values()];
      this.#holders.set(entity, holders);
    }
    return holders;
  }

  /** Nothing exists: what the request itself defines, or a new node. */
  #fresh(node: InputNode): Target | undefined {
    const entity = this.#facts.entities.of.get(node);
    const definition = entity ? entity.definition : node.type.kind === "object" && !node.removes ? node : undefined;
    if (!definition) return this.#fail(this.#nothingThere(node));
    if (node.removes) return { kind: "new", input: definition };
    if (definition.role !== "add" && !this.#entered.has(definition)) {
      const missing = this.#missingIn(definition, entity?.mentions ?? [node]);
      if (missing) return this.#fail(missing);
      this.#create(definition);
    }
    return { kind: "new", input: definition };
  }

  /** Why no node could be made of the object, if there were none: a caller to whom the key of one is hidden gets this reason. */
  #unmakeable(node: InputNode): QuernError | undefined {
    const entity = this.#facts.entities.of.get(node);
    const definition = entity ? entity.definition : node.type.kind === "object" && !node.removes ? node : undefined;
    if (!definition) return this.#nothingThere(node);
    return definition.role === "add" || node.removes ? undefined : this.#missingIn(definition, entity?.mentions ?? [node]);
  }

  /** Computed once, reported for each mention. */
  #missingIn(definition: InputNode, mentions: readonly InputNode[]): QuernError | undefined {
    if (!this.#missing.has(definition)) {
      this.#missing.set(definition, missingField(definition, this.#facts.contents(definition), waysBack(mentions)));
    }
    return this.#missing.get(definition);
  }

  #nothingThere(node: InputNode): QuernError {
    const missing = missingField(node, this.#facts.contents(node), new Set());
    if (missing) return missing;
    if (node.removes) return at(pathOf(node), nothingNamed());
    const [key] = node.keys;
    if (key) return at(keyPath(node, key), noSuchObject(node.type.name, keyLabel(key.key), String(key.value)));
    const id = node.type.idField?.name ?? "id";
    return at([...pathOf(node), id], keyMissing(id));
  }

  #hits(node: InputNode): Hits {
    const own = new Map<Uid, Existing>();
    const siblings: KeyValue[] = [];
    let hidden: KeyValue | undefined;
    for (const key of node.keys) {
      for (const each of this.#facts.found.byKey(node.type, key)) {
        if (!node.type.members.includes(each.type)) siblings.push(key);
        else if (this.#facts.hides(each.uid, key, node)) hidden ??= key;
        else own.set(each.uid, each);
      }
    }
    return { own, siblings, hidden };
  }

  #taken(node: InputNode, key: KeyValue, holders: readonly Existing[]): QuernError {
    const error = at(keyPath(node, key), taken(node.type, key, holders));
    const types = [node.type, ...holders.map((holder) => holder.type)];
    return types.some((type) => this.#facts.undisclosed.has(type)) ? undisclosed(error) : error;
  }

  #fail(problem: QuernError | undefined): undefined {
    if (problem) this.problems.push(problem);
    return undefined;
  }
}

/** Links from these sides fill their fields. */
function waysBack(mentions: readonly InputNode[]): ReadonlySet<LinkField> {
  return new Set(mentions.flatMap((each) => (each.back ? [each.back] : [])));
}

/** The place of a key in the arguments. */
export function keyPath(node: InputNode, key: KeyValue | undefined): InputPath {
  return key === undefined ? pathOf(node) : [...pathOf(node), key.key.field.name];
}

/** Why an object of `type` cannot have the key value. */
export function taken(type: NodeType, { key, value }: KeyValue, holders: readonly Existing[]): QuernError {
  const own = holders.some((holder) => type.members.includes(holder.type));
  return own || !key.across ? keyExists(String(value), keyLabel(key), type.name) : keyExistsInSibling(String(value), keyLabel(key), key.across.name);
}
