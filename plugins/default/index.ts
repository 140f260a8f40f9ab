// `@default`: values for fields that an input omits when a node is created or changed.

import { addToGroup, type DirectivePlugin } from "../../core/plugin.ts";
import { type Default, readDefaults } from "./defaults.ts";
import { fillIn } from "./fill-in.ts";

/** `@default`: values of fields that an input leaves out. */
export function defaultPlugin(): DirectivePlugin {
  return {
    name: "default",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: `
      "A default."
      input DgraphDefault {
        "The value as text: \\"5\\", \\"true\\", or $now for the time of the request."
        value: String
      }
      "The value when an input leaves the field out; $now is the time of the request."
      directive @default(add: DgraphDefault, update: DgraphDefault) on FIELD_DEFINITION
    `,
    model(context) {
      const defaults = readDefaults(context);
      if (defaults.length === 0) return undefined;
      const byType = new Map<string, Default[]>();
      for (const each of defaults) addToGroup(byType, each.field.owner.name, each);
      return { values: (input, { now }) => fillIn(input, byType.get(input.type.name) ?? [], now) };
    },
  };
}
