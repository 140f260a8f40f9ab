// Tools read the directives of the served schema by their definitions.

import { getDirectives } from "@graphql-tools/utils";
import { isObjectType } from "graphql";
import { describe, expect, it } from "vitest";
import { directiveFaults } from "../../support/directive-faults.ts";
import { apiOf } from "./harness.ts";

describe("the directives of the served schema", () => {
  it("have values of the kinds that their definitions name, however the schema writes them", () => {
    const { schema, sdl } = apiOf(`
      type Mill {
        name: String! @id @search(by: [hash, "regexp"])
        motto: String @search(by: [term])
        stones: [Stone] @hasInverse(field: mill)
        grade: Int @search
        old: String @deprecated(reason: "dull")
      }
      type Stone { no: Int! @id  mill: Mill @hasInverse(field: "stones") }
    `);
    const type = schema.getType("Mill");
    const fields = isObjectType(type) ? type.getFields() : {};
    const of = (name: string) => fields[name] && getDirectives(schema, fields[name]);
    expect(of("name")).toEqual([
      { name: "id", args: {} },
      { name: "search", args: { by: ["hash", "regexp"] } },
    ]);
    expect(of("motto")).toEqual([{ name: "search", args: { by: ["term"] } }]);
    expect(of("stones")).toEqual([{ name: "hasInverse", args: { field: "mill" } }]);
    expect(of("grade")).toEqual([{ name: "search", args: {} }]);
    expect(of("old")).toEqual([{ name: "deprecated", args: { reason: "dull" } }]);
    // The printed text is what clients of Dgraph know.
    expect(sdl).toContain('@search(by: [hash,"regexp"])');
    expect(sdl).toContain("@hasInverse(field: mill)");
  });

  it("can be read at every place, in inputs and enums too", () => {
    const { schema } = apiOf(`
      enum Way { SAIL STEAM @deprecated }
      interface Ship { id: ID!  name: String! @search(by: [exact])  way: Way @search(by: [hash]) }
      type Boat implements Ship { at: Point @search  built: DateTime @search(by: [year])  crew: [Sailor] @hasInverse(field: boat) }
      type Sailor { boat: Boat  code: Int64! @id  note(of: Int = 1): String }
      type Far @remote { a: String @deprecated }
      input Range { from: Int @deprecated  to: Int }
      type Query {
        far(range: Range): Far @custom(http: { url: "http://127.0.0.1:1/f", method: "GET", forwardHeaders: "X-A", introspectionHeaders: [] })
      }
    `);
    expect(directiveFaults(schema)).toEqual([]);
  });
});
