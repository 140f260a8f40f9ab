// What the specs of killed builds deploy.

import { boats, byValue, field } from "../../conformance/storage/layouts.ts";

const fields = [field("Boat.number", "int"), field("Boat.name", "string")];

export const plainBoats = boats({ fields });

/** Has a key, an ordered index with a column, and lists of tokens. */
export const indexedBoats = boats({
  fields,
  indexes: [
    byValue("Boat.number", { ordered: true }),
    { name: "Boat.name/letters", field: "Boat.name", by: "tokens", id: "letters", tokens: (value) => [...new Set(String(value))] },
  ],
  keys: ["Boat.name"],
});
