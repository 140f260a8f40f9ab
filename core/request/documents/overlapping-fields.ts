// The rule that fields of one key can be merged, in steps. Most of the time that a long document takes is this rule's: it compares pairs of fields, and
// `OverlappingFieldsCanBeMergedRule` of `graphql` compares up to 250,000 of them at one node, a tenth of a second. This one compares the same pairs in the
// same order, with the same bound, and so finds the same errors.

import {
  type FieldNode,
  GraphQLError,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from "graphql";
import type { Work } from "../../ground/work.ts";
import { type FieldSet, FieldSets, type ParentType, type SelectedField, type SharedKey } from "./field-sets.ts";
import { ArgumentComparison } from "./same-arguments.ts";

/** Of all comparisons of one document, as in `graphql`. */
const maxWork = 500_000;
/** Work of one step: a fraction of a millisecond. */
const stepWork = 1_000;
const maxDetailLength = 1_000;
const maxNodes = 20;

interface Conflict {
  readonly key: string;
  readonly reason: string;
  readonly nodes: readonly FieldNode[];
  readonly others: readonly FieldNode[];
}

/** Two parts of an answer that are compared. */
interface Comparison {
  /** No object shows both. */
  readonly isExclusive: boolean;
  readonly conflicts: Conflict[];
}

export class OverlappingFields {
  readonly #context: ValidationContext;
  readonly #sets: FieldSets;
  readonly #arguments = new ArgumentComparison((cost) => this.#spend(cost));
  /** Pairs of fragments that were compared. */
  readonly #pairs = new ComparedPairs();
  /** Why two fields differ in name or arguments; null: they do not. */
  readonly #reasons = new Map<SelectedField, Map<SelectedField, string | null>>();
  #worked = 0;
  #rested = 0;

  constructor(context: ValidationContext) {
    this.#context = context;
    this.#sets = new FieldSets(context);
  }

  /** Reports the conflicts in a selection set that a field, a fragment or an operation has. @throws GraphQLError when it has compared too much */
  *check(parentType: ParentType, selectionSet: SelectionSetNode): Work<void> {
    const { selections } = selectionSet;
    if (selections.length <= 1 && selections[0]?.kind !== Kind.INLINE_FRAGMENT) return;
    const conflicts: Conflict[] = [];
    yield* this.#within(yield* this.#sets.of(parentType, selectionSet), { isExclusive: false, conflicts });
    for (const { key, reason, nodes, others } of conflicts) {
      const text = `Fields "${shortened(key)}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`;
      this.#context.reportError(new GraphQLError(text, { nodes: [...nodes, ...others] }));
    }
  }

  #spend(cost: number): void {
    this.#worked += cost;
    if (this.#worked > maxWork) throw new GraphQLError("Validation aborted.");
  }

  get #isTired(): boolean {
    return this.#worked - this.#rested >= stepWork;
  }

  *#rest(): Work<void> {
    this.#rested = this.#worked;
    yield;
  }

  /** The pairs of fields in a set, then the set with each fragment that it spreads, and these with one another. */
  *#within(set: FieldSet, comparison: Comparison): Work<void> {
    for (const [key, fields] of set.byKey) {
      for (const [i, field] of fields.entries()) {
        for (let k = i + 1; k < fields.length; k++) {
          const other = fields[k];
          if (other !== undefined && this.#differ(field, other)) yield* this.#pair(key, [field, other], comparison);
          if (this.#isTired) yield* this.#rest();
        }
      }
    }
    if (set.fragments.length === 0 || (set.byKey.size === 0 && set.fragments.length === 1)) return;
    for (const [i, name] of set.fragments.entries()) {
      yield* this.#withFragment(set, name, comparison);
      for (const other of set.fragments.slice(i + 1)) yield* this.#fragments(name, other, comparison);
    }
  }

  *#withFragment(set: FieldSet, name: string, comparison: Comparison): Work<void> {
    this.#spend(1);
    if (this.#isTired) yield* this.#rest();
    if (set.byKey.size === 0) return;
    const compared = set.compared.get(name);
    // What was found to be no conflict for objects of one type is none for those of two.
    if (compared === false || (comparison.isExclusive && compared === true)) return;
    set.compared.set(name, comparison.isExclusive);
    const fragment = this.#context.getFragment(name);
    if (!fragment) return;
    const fields = yield* this.#sets.ofFragment(fragment);
    if (fields === set) return;
    yield* this.#between(set, fields, comparison);
    for (const spread of fields.fragments) yield* this.#withFragment(set, spread, comparison);
  }

  *#fragments(name: string, other: string, comparison: Comparison): Work<void> {
    this.#spend(2);
    if (this.#isTired) yield* this.#rest();
    if (name === other || this.#pairs.isKnown(name, other, comparison)) return;
    this.#pairs.add(name, other, comparison);
    const fragment = this.#context.getFragment(name);
    const second = this.#context.getFragment(other);
    if (!fragment || !second) return;
    const fields = yield* this.#sets.ofFragment(fragment);
    const others = yield* this.#sets.ofFragment(second);
    yield* this.#between(fields, others, comparison);
    for (const spread of others.fragments) yield* this.#fragments(name, spread, comparison);
    for (const spread of fields.fragments) yield* this.#fragments(spread, other, comparison);
  }

  *#between(set: FieldSet, other: FieldSet, comparison: Comparison): Work<void> {
    if (set.byKey.size === 0 || other.byKey.size === 0) return;
    for (const { key, fields, others } of yield* this.#sharedKeys(set, other)) {
      for (const field of fields) {
        for (const each of others) {
          if (this.#differ(field, each)) yield* this.#pair(key, [field, each], comparison);
          if (this.#isTired) yield* this.#rest();
        }
      }
    }
  }

  *#sharedKeys(set: FieldSet, other: FieldSet): Work<readonly SharedKey[]> {
    const known = set.shared.get(other);
    if (known !== undefined) return known;
    const shared: SharedKey[] = [];
    for (const [key, fields] of set.byKey) {
      this.#spend(1);
      if (this.#isTired) yield* this.#rest();
      const others = other.byKey.get(key);
      if (others !== undefined) shared.push({ key, fields, others });
    }
    set.shared.set(other, shared);
    return shared;
  }

  /** A function, not steps: most pairs are the same field. */
  #differ(a: SelectedField, b: SelectedField): boolean {
    this.#spend(2);
    return !(a.isPlain && b.isPlain && a.definition?.type === b.definition?.type && a.node.name.value === b.node.name.value);
  }

  *#pair(key: string, [a, b]: readonly [SelectedField, SelectedField], comparison: Comparison): Work<void> {
    const isExclusive = comparison.isExclusive || areExclusive(a.parentType, b.parentType);
    const reason = (isExclusive ? null : yield* this.#difference(a, b)) ?? this.#differentTypes(a, b);
    if (reason !== null) comparison.conflicts.push({ key, reason, nodes: [a.node], others: [b.node] });
    else if (a.node.selectionSet && b.node.selectionSet) yield* this.#selected(key, [a, b], { isExclusive, conflicts: comparison.conflicts });
  }

  /** Two fields of one key for one object must be the same field with the same arguments. */
  *#difference(a: SelectedField, b: SelectedField): Work<string | null> {
    const known = this.#reasons.get(a)?.get(b);
    if (known !== undefined) return known;
    const name = a.node.name.value;
    const other = b.node.name.value;
    let reason: string | null = null;
    if (name !== other) reason = `"${shortened(name)}" and "${shortened(other)}" are different fields`;
    else if (!(yield* this.#arguments.areSame(a.node, b.node))) reason = "they have differing arguments";
    const ofFirst = this.#reasons.get(a) ?? new Map<SelectedField, string | null>();
    this.#reasons.set(a, ofFirst.set(b, reason));
    return reason;
  }

  #differentTypes({ definition: a }: SelectedField, { definition: b }: SelectedField): string | null {
    if (!a || !b || !this.#areDifferent(a.type, b.type)) return null;
    return `they return conflicting types "${a.type}" and "${b.type}"`;
  }

  /** Lists and non-nulls must match, and leaves; of objects the fields are compared. */
  #areDifferent(a: GraphQLOutputType, b: GraphQLOutputType): boolean {
    if (a === b) return false;
    this.#spend(1);
    if (isListType(a) || isListType(b)) return !isListType(a) || !isListType(b) || this.#areDifferent(a.ofType, b.ofType);
    if (isNonNullType(a) || isNonNullType(b)) return !isNonNullType(a) || !isNonNullType(b) || this.#areDifferent(a.ofType, b.ofType);
    return isLeafType(a) || isLeafType(b);
  }

  /** What two fields select; all its conflicts are one conflict of the fields. */
  *#selected(key: string, [a, b]: readonly [SelectedField, SelectedField], { isExclusive, conflicts }: Comparison): Work<void> {
    const inner: Comparison = { isExclusive, conflicts: [] };
    const set = yield* this.#selectedBy(a);
    const other = yield* this.#selectedBy(b);
    yield* this.#between(set, other, inner);
    for (const name of other.fragments) yield* this.#withFragment(set, name, inner);
    for (const name of set.fragments) yield* this.#withFragment(other, name, inner);
    for (const name of set.fragments) for (const second of other.fragments) yield* this.#fragments(name, second, inner);
    if (inner.conflicts.length > 0) conflicts.push(conflictOf(key, [a, b], inner.conflicts));
  }

  *#selectedBy({ node, definition }: SelectedField): Work<FieldSet> {
    const type = definition && getNamedType(definition.type);
    return yield* this.#sets.of(type, node.selectionSet ?? noSelections);
  }
}

const noSelections: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [] };

function areExclusive(a: ParentType, b: ParentType): boolean {
  return a !== b && isObjectType(a) && isObjectType(b);
}

function conflictOf(key: string, [a, b]: readonly [SelectedField, SelectedField], inner: readonly Conflict[]): Conflict {
  let reason = "";
  for (const each of inner) {
    reason += `${reason === "" ? "" : " and "}subfields "${shortened(each.key)}" conflict because ${each.reason}`;
    if (reason.length > maxDetailLength) break;
  }
  const nodes = (field: SelectedField, side: "nodes" | "others") =>
    nodesOf(
      field.node,
      inner.map((each) => each[side]),
    );
  return { key, reason: shortened(reason), nodes: nodes(a, "nodes"), others: nodes(b, "others") };
}

/** Of the innermost ones the last. */
function nodesOf(node: FieldNode, inner: readonly (readonly FieldNode[])[]): readonly FieldNode[] {
  const nodes = [node];
  for (const each of inner) {
    nodes.push(...each.slice(nodes.length - maxNodes));
    if (nodes.length === maxNodes) break;
  }
  return nodes;
}

function shortened(text: string): string {
  return text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}...` : text;
}

/** Pairs of names in either order. */
class ComparedPairs {
  readonly #known = new Map<string, Map<string, boolean>>();

  isKnown(a: string, b: string, comparison: Comparison): boolean {
    return this.#isKnown(a, b, comparison) || this.#isKnown(b, a, comparison);
  }

  #isKnown(a: string, b: string, { isExclusive }: Comparison): boolean {
    const known = this.#known.get(a)?.get(b);
    return known !== undefined && (isExclusive || known === isExclusive);
  }

  add(a: string, b: string, { isExclusive }: Comparison): void {
    const known = this.#known.get(a);
    if (known) known.set(b, isExclusive);
    else this.#known.set(a, new Map([[b, isExclusive]]));
  }
}
