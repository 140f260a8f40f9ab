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
    const [definition, ...more] = parse(`{${text}}`, { noLocation: true }).definitions;
    // A brace of the text may close the frame.
    if (definition?.kind !== Kind.OPERATION_DEFINITION || more.length > 0) return "it is no set of fields";
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
