// The input of a mutation as a tree of objects: one pass over the coerced arguments that collects every key, ID and nested
// object, and finds every fault that needs no look at the data.

import type { Budget } from "../../contracts/budget.ts";
import type { Key, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { InputPath, QuernError } from "../../ground/errors.ts";
import { isObject } from "../../ground/is-object.ts";
import { parseUid } from "../../ground/values/uid.ts";
import type { Stored, Uid, Value } from "../../ground/values/value.ts";
import { operandOf } from "../../query/plan/operands.ts";
import { at, badId, keyEmpty, notOneMember, nullInList } from "../context/error-messages.ts";
import type { WriteFacts } from "../context/write-facts.ts";
import { storedInput } from "./stored-input.ts";

export { isObject };

/** One input object. Objects are compared by identity; `index` is their place, parents before children. */
export interface InputNode {
  readonly index: number;
  readonly type: NodeType;
  /** `add`: top level of an add; `nested`: below another one; `set`, `remove`: the patches of an update. */
  readonly role: "add" | "nested" | "set" | "remove";
  /** Below the `remove` patch: it only says which links go. */
  readonly removes: boolean;
  /** Set when the object gives an ID: it is nothing but a reference. */
  readonly reference: Reference | undefined;
  /** The values of key fields, by field name; then those of keys within others, once the values are known (`completeKeys`). */
  readonly keys: readonly KeyValue[];
  /** Given values of value fields, by field name; null when given as null. Lists may be empty. */
  readonly values: ReadonlyMap<string, Stored | null>;
  readonly links: readonly InputLink[];
  /** The field that leads here from its parent's input. */
  readonly via: LinkField | undefined;
  /** The field of this object that shows the way back; a single one is never taken from the input. */
  readonly back: LinkField | undefined;
  /** Where it stands in the arguments of the root field. */
  readonly way: Way;
  /** Values that cannot be stored. They count when the object is written, not when it turns out a reference. */
  readonly faults: readonly QuernError[];
}

export interface Reference {
  readonly text: string;
  /** 0 matches no node. */
  readonly uid: Uid;
}

export interface KeyValue {
  readonly key: Key;
  readonly value: Value;
  /** Of a key within other fields: what the object gives of these, in their order. */
  readonly scope?: readonly ScopePart[];
}

/** A value that a key is unique within, or the object of the input that is linked there. */
export type ScopePart = { readonly field: ValueField; readonly value: Value } | { readonly field: LinkField; readonly target: InputNode };

export interface InputLink {
  readonly field: LinkField;
  readonly targets: readonly InputNode[];
  /** Given as null: in a `remove` patch, every link of the field goes. */
  readonly cleared: boolean;
}

export interface InputTree {
  readonly roots: readonly InputNode[];
  /** All objects, parents before children, fields by name. */
  readonly nodes: readonly InputNode[];
  /** Faults that refuse the mutation, in that order. */
  readonly problems: readonly QuernError[];
  /** Objects of types with keys within other fields. */
  readonly scoped: readonly ScopedObject[];
}

/** An object that may have keys within other fields. */
export interface ScopedObject {
  readonly node: InputNode;
  /** Undefined at the top. */
  readonly parent: InputNode | undefined;
  /** `node.keys`, which gets these keys. */
  readonly keys: KeyValue[];
}

/** Where an input object stands. */
interface Place {
  readonly role: InputNode["role"];
  readonly removes: boolean;
  readonly parent?: NodeType;
  readonly via?: LinkField;
  readonly way: Way;
}

/** The steps from the object around to this one. They are only put together for errors. */
interface Way {
  readonly from: Way | undefined;
  readonly steps: InputPath;
}

/** The way from the arguments of the root field to an input object: `["input", 0, "author"]`. */
export function pathOf({ way }: { readonly way: Way }): InputPath {
  const { from, steps } = way;
  return from === undefined ? steps : [...pathOf({ way: from }), ...steps];
}

/** An input may be long: it is looked now and then whether there is time left for it. */
export const objectsBetweenLooks = 256;

export type RawObject = Readonly<Record<string, unknown>>;

export class InputReader {
  readonly #facts: WriteFacts;
  readonly #budget: Budget | undefined;
  readonly #nodes: (InputNode | undefined)[] = [];
  readonly #problems: QuernError[] = [];
  readonly #roots: InputNode[] = [];
  readonly #scoped: { readonly index: number; readonly parentIndex: number; readonly keys: KeyValue[] }[] = [];
  /** The objects that are being read, the innermost last. */
  readonly #open: number[] = [];

  constructor(facts: WriteFacts, budget?: Budget) {
    this.#facts = facts;
    this.#budget = budget;
  }

  /** Reads one object at the top of the input. */
  root(type: NodeType, raw: RawObject, role: "add" | "set" | "remove"): InputNode {
    const way = { from: undefined, steps: ["input", role === "add" ? this.#roots.length : role] };
    const node = this.#object(type, raw, { role, removes: role === "remove", way });
    this.#roots.push(node);
    return node;
  }

  tree(): InputTree {
    const nodes = this.#nodes.filter((node) => node !== undefined);
    const scoped = this.#scoped.flatMap(({ index, parentIndex, keys }) => {
      const node = this.#nodes[index];
      return node ? [{ node, parent: this.#nodes[parentIndex], keys }] : [];
    });
    return { roots: this.#roots, nodes, problems: this.#problems, scoped };
  }

  #object(type: NodeType, raw: RawObject, place: Place): InputNode {
    const index = this.#nodes.push(undefined) - 1;
    if (index % objectsBetweenLooks === objectsBetweenLooks - 1) this.#budget?.spend(0);
    const { role, removes, via, way } = place;
    const reference = role === "nested" ? this.#reference(type, raw, place) : undefined;
    this.#open.push(index);
    const content = reference ? nothing : this.#content(type, raw, place);
    this.#open.pop();
    const node: InputNode = { index, type, role, removes, reference, via, way, ...content };
    this.#nodes[index] = node;
    return node;
  }

  /** An ID that is there and not null makes the object a pure reference, whatever else it holds. */
  #reference(type: NodeType, raw: RawObject, place: Place): Reference | undefined {
    const { idField } = type;
    const text = idField && member(raw, idField.name);
    if (idField === undefined || text === undefined || text === null) return undefined;
    const uid = parseUid(String(text));
    if (uid === undefined) this.#problems.push(at([...pathOf(place), idField.name], badId(String(text))));
    return { text: String(text), uid: uid ?? 0 };
  }

  #content(type: NodeType, raw: RawObject, place: Place): Omit<InputNode, "index" | "type" | "role" | "removes" | "reference" | "via" | "way"> {
    const { values: valueFields, links: linkFields, scopedKeys } = this.#facts.of(type);
    const faults: QuernError[] = [];
    const values = new Map<string, Stored | null>();
    for (const field of valueFields) {
      const given = member(raw, field.name);
      if (given === undefined) continue;
      const read = storedInput(field, given, { searchable: this.#facts.searchable(field.stored) });
      if ("fault" in read) faults.push(at([...pathOf(place), field.name], read.fault));
      else values.set(field.name, read.value);
    }
    const back = place.via && place.parent ? this.#facts.edges.inverseField(place.via, place.parent, type) : undefined;
    const keys = this.#keys(type, values, place);
    if (scopedKeys.length > 0 && (place.role === "add" || place.role === "nested")) this.#scoped.push({ ...this.#place(), keys });
    const links: InputLink[] = [];
    for (const field of linkFields) {
      const given = member(raw, field.name);
      if (given === undefined || (field === back && !field.type.list)) continue;
      links.push(this.#link(type, field, given, place, faults));
    }
    return { keys, values, links, back, faults };
  }

  /** That of the object that is being read, and of the one above. */
  #place(): { readonly index: number; readonly parentIndex: number } {
    return { index: this.#open.at(-1) ?? -1, parentIndex: this.#open.at(-2) ?? -1 };
  }

  #keys(type: NodeType, values: ReadonlyMap<string, Stored | null>, place: Place): KeyValue[] {
    if (place.role === "remove") return [];
    const keys: KeyValue[] = [];
    for (const key of this.#facts.of(type).keys) {
      const value = values.get(key.field.name);
      if (value === undefined || value === null || isList(value)) continue;
      if (value === "") this.#problems.push(at([...pathOf(place), key.field.name], keyEmpty(type.name, key.field.name)));
      else keys.push({ key, value: operandOf(key.field, value, this.#facts.plugins) });
    }
    return keys;
  }

  #link(owner: NodeType, field: LinkField, given: unknown, place: Place, faults: QuernError[]): InputLink {
    if (given === null) return { field, targets: [], cleared: true };
    const targets: InputNode[] = [];
    const elements: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const [i, element] of elements.entries()) {
      const steps = field.type.list ? [field.name, i] : [field.name];
      if (!isObject(element)) {
        faults.push(at([...pathOf(place), ...steps], nullInList(owner.name, field.name)));
        continue;
      }
      const chosen = this.#member(owner, field, { raw: element, steps, place });
      if (!chosen) continue;
      const way = { from: place.way, steps: chosen.steps };
      targets.push(this.#object(chosen.type, chosen.raw, { role: "nested", removes: place.removes, parent: owner, via: field, way }));
    }
    return { field, targets, cleared: false };
  }

  /** The type a nested object is of; for a union, that of its one member. */
  #member(owner: NodeType, field: LinkField, { raw, steps, place }: Linked): Chosen | undefined {
    if (field.target.kind !== "union") return { type: field.target, raw, steps };
    const given = Object.entries(raw).filter(([, value]) => value !== undefined);
    const [only] = given;
    const type = only && this.#facts.unionMembers(field.target.name).get(only[0]);
    if (given.length === 1 && only && type && isObject(only[1])) return { type, raw: only[1], steps: [...steps, only[0]] };
    const index = steps.find((step) => typeof step === "number");
    const problem = notOneMember(field.name, owner.name, index, given.length === 1 ? 0 : given.length);
    this.#problems.push(at([...pathOf(place), ...steps], problem));
    return undefined;
  }
}

/** One element of a link. */
interface Linked {
  readonly raw: RawObject;
  readonly steps: InputPath;
  readonly place: Place;
}

interface Chosen {
  readonly type: NodeType;
  readonly raw: RawObject;
  readonly steps: InputPath;
}

const nothing = Object.freeze({ keys: [], values: new Map(), links: [], back: undefined, faults: [] });

/** Only what the client gave: a field may be called `constructor`. */
function member(raw: RawObject, name: string): unknown {
  return Object.hasOwn(raw, name) ? raw[name] : undefined;
}

export function isList(value: Stored | null): value is readonly Value[] {
  return Array.isArray(value);
}
