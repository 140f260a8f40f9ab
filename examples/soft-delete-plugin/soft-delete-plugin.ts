// `@softDelete`: a delete marks the object. A marked object is hidden from all callers, and is still stored with its links and keys.

import { type Change, type DirectivePlugin, type LayoutAdditions, not, type Remove, type TypeName } from "quern/plugin";

export function softDeletePlugin(): DirectivePlugin {
  return {
    name: "softDelete",
    definitions: "directive @softDelete on OBJECT",
    model(context) {
      const types = new Set(context.uses("softDelete").flatMap(({ type }) => type?.stored ?? []));
      if (types.size === 0) return undefined;
      return {
        layout: () => marks([...types]),
        // In DQL too.
        narrowsEverywhere: true,
        narrow: ({ stored }) => (types.has(stored) ? not({ kind: "has", field: markOf(stored) }) : undefined),
        changes: ({ changes, request }) => changes.map((each) => (each.kind === "remove" && types.has(each.type) ? marked(each, request.now) : each)),
      };
    },
  };
}

function markOf(type: TypeName): string {
  return `${type}.softDelete.at`;
}

/** A field of each type that the API does not show, with an index that finds the marked nodes. */
function marks(types: readonly TypeName[]): LayoutAdditions {
  const names = types.map(markOf);
  return {
    types: types.map((name) => ({ name, fields: [markOf(name)] })),
    fields: names.map((name) => ({ name, kind: "dateTime", list: false })),
    indexes: names.map((name) => ({ name, field: name, by: "value", ordered: true })),
  };
}

function marked({ uid, type }: Remove, now: string): Change {
  return { kind: "set", uid, type, fields: { [markOf(type)]: now } };
}
