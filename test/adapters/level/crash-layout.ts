// What the crash tests write into.

import { boats, byValue, end, field } from "../../conformance/storage/layouts.ts";

export const crashLayout = boats({
  fields: [field("Boat.number", "int"), field("Boat.name", "string"), field("Boat.tags", "string", { list: true })],
  indexes: [byValue("Boat.number", { ordered: true }), byValue("Boat.name", { ordered: true }), byValue("Boat.tags", { ordered: false })],
  keys: ["Boat.number"],
  edges: [
    {
      name: "Boat.fleet",
      sides: [{ ends: [end("Boat.fleet", ["Boat"], ["Boat"], "many")] }, { ends: [end("~Boat.fleet", ["Boat"], ["Boat"], "many")] }],
    },
  ],
});
