// A set of fields as text: `id organization { id }`.

import { type FieldNode, GraphQLError, Kind, parse, type SelectionSetNode } from "graphql";

/** A field of a set, with the fields below it. */
export interface FieldSetItem {
  readonly name: string;
  readonly below: readonly FieldSetItem[];
}

/** @returns the fields, or what is wrong with the text */
export function parseFieldSet(text: string): readonly FieldSetItem[] | string {
  try {
    const [definition] = parse(`{${text}}`, { noLocation: true }).definitions;
    if (definition?.kind !== Kind.OPERATION_DEFINITION) return "it is no set of fields";
    return itemsOf(definition.selectionSet);
  } catch (error) {
    if (error instanceof GraphQLError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

function itemsOf({ selections }: SelectionSetNode): readonly FieldSetItem[] {
  return selections
    .filter((each): each is FieldNode => each.kind === Kind.FIELD)
    .map(({ name, selectionSet }) => ({ name: name.value, below: selectionSet ? itemsOf(selectionSet) : [] }));
}
