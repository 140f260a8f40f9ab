// The cleaning pass: removes members of missing types, then inputs without enough members, until nothing changes.

import { type FieldsDefinition, namedType } from "../definition.ts";

/**
 * The remaining `inputs`. Inputs in a cycle keep each other.
 *
 * @param inputs the inputs that may be removed
 * @param missing whether a type that is not among `inputs` is known not to exist
 * @see reference/schema.md 3.9
 */
export function cleanInputs(inputs: readonly FieldsDefinition[], missing: (name: string) => boolean): readonly FieldsDefinition[] {
  const left = new Map(inputs.map((input) => [input.name, input]));
  let before: number;
  do {
    before = size(left);
    for (const input of [...left.values()]) {
      const members = input.members.filter(({ type }) => left.has(namedType(type)) || !missing(namedType(type)));
      if (members.length < (input.atLeast ?? 1)) left.delete(input.name);
      else if (members.length < input.members.length) left.set(input.name, { ...input, members });
    }
  } while (size(left) < before);
  return [...left.values()];
}

function size(inputs: ReadonlyMap<string, FieldsDefinition>): number {
  return [...inputs.values()].reduce((sum, { members }) => sum + 1 + members.length, 0);
}
