// The fields of a selection set by their keys, as `OverlappingFields` compares them: inline fragments are opened, fragment spreads are not.

import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
  type ValidationContext,
} from "graphql";
import type { Work } from "../../ground/work.ts";

/** The declared type of an object. */
export type ParentType = GraphQLNamedType | undefined;

/** A field where it is selected. */
export interface SelectedField {
  readonly parentType: ParentType;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Without arguments and without a selection set. */
  readonly isPlain: boolean;
}

export interface FieldSet {
  readonly byKey: ReadonlyMap<string, readonly SelectedField[]>;
  /** Names of the fragments that are spread here. */
  readonly fragments: readonly string[];
  /** Fragments with which it was compared. True: as of types of which no object is both. */
  readonly compared: Map<string, boolean>;
  /** The keys that it shares with another set. */
  readonly shared: Map<FieldSet, readonly SharedKey[]>;
}

export interface SharedKey {
  readonly key: string;
  readonly fields: readonly SelectedField[];
  readonly others: readonly SelectedField[];
}

/** Selections that are collected in one step. */
const stepSelections = 256;

export class FieldSets {
  readonly #context: ValidationContext;
  readonly #known = new Map<ParentType, Map<SelectionSetNode, FieldSet>>();
  #collected = 0;

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  *of(parentType: ParentType, selectionSet: SelectionSetNode): Work<FieldSet> {
    const ofType = this.#known.get(parentType) ?? new Map<SelectionSetNode, FieldSet>();
    this.#known.set(parentType, ofType);
    const known = ofType.get(selectionSet);
    if (known !== undefined) return known;
    const byKey = new Map<string, SelectedField[]>();
    const fragments = new Set<string>();
    yield* this.#collect(parentType, selectionSet, { byKey, fragments });
    const collected = { byKey, fragments: [...fragments], compared: new Map(), shared: new Map() };
    ofType.set(selectionSet, collected);
    return collected;
  }

  *ofFragment({ typeCondition, selectionSet }: FragmentDefinitionNode): Work<FieldSet> {
    return yield* this.of(typeFromAST(this.#context.getSchema(), typeCondition), selectionSet);
  }

  *#collect(parentType: ParentType, { selections }: SelectionSetNode, into: Collecting): Work<void> {
    for (const selection of selections) {
      if (++this.#collected % stepSelections === 0) yield;
      if (selection.kind === Kind.FIELD) add(into.byKey, selection, parentType);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) into.fragments.add(selection.name.value);
      else {
        const { typeCondition } = selection;
        const type = typeCondition ? typeFromAST(this.#context.getSchema(), typeCondition) : parentType;
        yield* this.#collect(type, selection.selectionSet, into);
      }
    }
  }
}

interface Collecting {
  readonly byKey: Map<string, SelectedField[]>;
  readonly fragments: Set<string>;
}

function add(byKey: Map<string, SelectedField[]>, node: FieldNode, parentType: ParentType): void {
  const name = node.name.value;
  const hasFields = isObjectType(parentType) || isInterfaceType(parentType);
  const field: SelectedField = {
    parentType,
    node,
    definition: hasFields ? parentType.getFields()[name] : undefined,
    isPlain: (node.arguments?.length ?? 0) === 0 && !node.selectionSet,
  };
  const key = node.alias?.value ?? name;
  const known = byKey.get(key);
  if (known) known.push(field);
  else byKey.set(key, [field]);
}
