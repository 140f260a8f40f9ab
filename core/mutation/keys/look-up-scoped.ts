// Looks up keys that are unique within other fields: after the objects that they are within, level after level where these have such keys themselves.

import type { LinkField } from "../../contracts/model.ts";
import { and, or, type Predicate } from "../../contracts/predicate.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import { addToGroup } from "../../ground/groups.ts";
import type { EndName, FieldName, TypeName, Uid, Value } from "../../ground/values/value.ts";
import { hasRules, type Permits, permitted } from "../access/authorize.ts";
import type { Mutation } from "../context/mutation.ts";
import type { InputNode, KeyValue, ScopePart } from "../input/input-tree.ts";
import { type HiddenKeys, hiddenKeys } from "./hidden-keys.ts";
import { type Existing, type ExistingNodes, keyScope, searchName } from "./look-up.ts";
import { namesOfKey, partnersOf } from "./scoped-keys.ts";

export interface ScopedLookUp {
  readonly nodes: readonly InputNode[];
  /** By IDs and by keys of one field. */
  readonly found: ExistingNodes;
  /** The nodes that an update has chosen. */
  readonly patched: readonly NodeRef[];
}

/** A key of an object in the input. */
interface Asked {
  readonly node: InputNode;
  readonly given: KeyValue;
}

/** What `found` holds, and the nodes that hold the keys within others. */
export async function lookUpScoped(mutation: Mutation, { nodes, found, patched }: ScopedLookUp, transaction: Snapshot): Promise<ExistingNodes> {
  const holders = new Map<KeyValue, readonly Existing[]>();
  const known: ExistingNodes = {
    byId: (uid) => found.byId(uid),
    byKey: (type, key) => (key.scope === undefined ? found.byKey(type, key) : (holders.get(key) ?? [])),
  };
  let open = nodes.flatMap((node) => node.keys.filter(({ scope }) => scope !== undefined).map((given): Asked => ({ node, given })));
  const waiting = new Set(open.map(({ node }) => node));
  while (open.length > 0) {
    const ready = open.filter(({ given }) => !targetsOf(given).some((target) => waiting.has(target)));
    // What is left is within one another: such nodes cannot be there yet.
    if (ready.length === 0) break;
    const round = await Round.begin(mutation, { asked: ready, known, patched }, transaction);
    for (const [given, found] of await round.run(transaction)) holders.set(given, found);
    const done = new Set(ready);
    open = open.filter((each) => !done.has(each));
    waiting.clear();
    for (const { node } of open) waiting.add(node);
  }
  return known;
}

function targetsOf({ scope = [] }: KeyValue): readonly InputNode[] {
  return scope.flatMap((part) => ("target" in part ? [part.target] : []));
}

interface RoundRequest {
  readonly asked: readonly Asked[];
  readonly known: ExistingNodes;
  readonly patched: readonly NodeRef[];
}

/** Scopes that one search asks about. */
const scopesAtOnce = 64;

interface Search {
  readonly names: readonly (FieldName | EndName)[];
  readonly types: readonly TypeName[];
  /** By the text of the scope: what it demands, and the values that are looked for. */
  readonly scopes: Map<string, { readonly where: readonly Predicate[]; readonly values: Map<string, Value> }>;
  /** By the texts of all parts. */
  readonly asked: Map<string, KeyValue[]>;
}

/** The keys whose scopes are known. */
class Round {
  readonly #mutation: Mutation;
  readonly #request: RoundRequest;
  readonly #permits: Permits;
  readonly #hidden: HiddenKeys;

  private constructor(mutation: Mutation, request: RoundRequest, access: { readonly permits: Permits; readonly hidden: HiddenKeys }) {
    this.#mutation = mutation;
    this.#request = request;
    this.#permits = access.permits;
    this.#hidden = access.hidden;
  }

  static async begin(mutation: Mutation, request: RoundRequest, transaction: Snapshot): Promise<Round> {
    const targets = request.asked.flatMap(({ given }) => targetsOf(given));
    const hidden = await hiddenKeys(mutation, targets, request.known, transaction);
    const named = targets.flatMap((target) => namedBy(target, request.known).map(({ uid, type }) => ({ uid, type: type.stored })));
    return new Round(mutation, request, { hidden, permits: await permitsReference(mutation, named, transaction) });
  }

  async run(transaction: Snapshot): Promise<ReadonlyMap<KeyValue, readonly Existing[]>> {
    const searches = new Map<string, Search>();
    for (const asked of this.#request.asked) this.#addTo(searches, asked);
    const found = new Map<KeyValue, readonly Existing[]>();
    for (const search of searches.values()) await this.#search(search, found, transaction);
    return found;
  }

  #addTo(searches: Map<string, Search>, { node, given }: Asked): void {
    const parts = (given.scope ?? []).map((part) => this.#partOf(part));
    const scope = parts.flatMap((part) => (part === undefined ? [] : [part]));
    if (scope.length < parts.length) return;
    const name = searchName(node.type, given);
    const search = searches.get(name) ?? newSearch({ node, given });
    searches.set(name, search);
    const text = textOf(scope.map((each) => each.text));
    const values = search.scopes.get(text)?.values ?? new Map<string, Value>();
    search.scopes.set(text, { where: scope.map(({ where }) => where), values });
    values.set(String(given.value), given.value);
    const whole = textOf([String(given.value), ...scope.map((each) => each.text)]);
    addToGroup(search.asked, whole, given);
  }

  /** Undefined: no node is there that the caller may name. */
  #partOf(part: ScopePart): { readonly text: string; readonly where: Predicate } | undefined {
    if ("value" in part) {
      return { text: String(part.value), where: { kind: "compare", field: part.field.stored, op: "eq", operands: [part.value] } };
    }
    const uid = this.#uidOf(part.target, part.field);
    if (uid === undefined) return undefined;
    return { text: String(uid), where: { kind: "linked", end: part.field.stored, where: { kind: "uids", uids: [uid] }, atLeast: 1 } };
  }

  /** The one node that an object names. The caller must be allowed to name it: what is within hidden nodes is hidden too. */
  #uidOf(target: InputNode, field: LinkField): Uid | undefined {
    const { known, patched } = this.#request;
    if (target.role === "set" || target.role === "remove") return patched[0]?.uid;
    const types = partnersOf(field);
    const shown = (node: Existing) => types.includes(node.type) && this.#permits(node.uid) && !this.#hides(node, target);
    const [only, ...others] = new Set(
      namedBy(target, known)
        .filter(shown)
        .map(({ uid }) => uid),
    );
    return others.length === 0 ? only : undefined;
  }

  #hides({ uid }: Existing, target: InputNode): boolean {
    return target.keys.some((key) => this.#hidden.hides(uid, key, target));
  }

  async #search({ names, types, scopes, asked }: Search, found: Map<KeyValue, readonly Existing[]>, transaction: Snapshot): Promise<void> {
    const [field = ""] = names;
    const conditions = [...scopes.values()].map(({ where, values }) =>
      and({ kind: "compare", field, op: values.size === 1 ? "eq" : "in", operands: [...values.values()] }, ...where),
    );
    for (let start = 0; start < conditions.length; start += scopesAtOnce) {
      const where = or(...conditions.slice(start, start + scopesAtOnce));
      const batch = await transaction.find({ types, where, fields: names });
      for (const [text, nodes] of this.#byText(batch)) for (const given of asked.get(text) ?? []) found.set(given, nodes);
    }
  }

  #byText({ uids, types, columns }: Batch): ReadonlyMap<string, readonly Existing[]> {
    const byText = new Map<string, Existing[]>();
    for (const [row, uid] of uids.entries()) {
      const type = this.#mutation.facts.typeOf(types[row] ?? "");
      const text = textOf(columns.map((column) => String(column[row])));
      if (type) addToGroup(byText, text, { uid, type });
    }
    return byText;
  }
}

function newSearch({ node, given }: Asked): Search {
  return { names: namesOfKey(given), types: keyScope(node.type, given).map(({ stored }) => stored), scopes: new Map(), asked: new Map() };
}

/** The nodes that an object of the input names by its ID or its keys. */
function namedBy({ reference, keys, type }: InputNode, known: ExistingNodes): readonly Existing[] {
  if (!reference) return keys.flatMap((key) => known.byKey(type, key));
  const node = known.byId(reference.uid);
  return node ? [node] : [];
}

/** Nobody is known before the caller is: the mutation will be refused. */
async function permitsReference(mutation: Mutation, nodes: readonly NodeRef[], transaction: Snapshot): Promise<Permits> {
  if (mutation.context.refused && hasRules(mutation)) return () => false;
  return permitted(mutation, transaction, "reference", nodes);
}

function textOf(parts: readonly string[]): string {
  return JSON.stringify(parts);
}
