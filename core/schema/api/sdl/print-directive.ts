// Prints a directive: `@search(by: [term,exact])`.

import { type ConstDirectiveNode, type ConstValueNode, Kind } from "graphql";

export function printDirective({ name, arguments: given = [] }: ConstDirectiveNode): string {
  const list = given.map((argument) => `${argument.name.value}: ${printValue(argument.value)}`).join(", ");
  return list === "" ? `@${name.value}` : `@${name.value}(${list})`;
}

/** Without blanks, and strings on one line. */
function printValue(value: ConstValueNode): string {
  switch (value.kind) {
    case Kind.STRING:
      return JSON.stringify(value.value);
    case Kind.NULL:
      return "null";
    case Kind.LIST:
      return `[${value.values.map(printValue).join(",")}]`;
    case Kind.OBJECT:
      return `{${value.fields.map((field) => `${field.name.value}:${printValue(field.value)}`).join(",")}}`;
    default:
      return String(value.value);
  }
}
