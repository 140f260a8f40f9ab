// The note in which a store keeps its catalog: what cannot be one is damage, and what an interrupted migration built is freed.

import { describe, expect, it } from "vitest";
import { catalogIn, emptyCatalog } from "../../../adapters/ordered/layout/catalog.ts";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import { writeJson } from "../../../core/ground/json/write-json.ts";

/** As a store gives it back. */
const stored = (note: unknown): unknown => parseJson(writeJson(note));

describe("the note of the catalog", () => {
  it("is read as it was written, also by a store without a deploy", () => {
    const catalog = { ...emptyCatalog, version: 3, document: "type A { b: Int }", nextId: 9, types: { A: 2 }, garbage: [5] };
    expect(catalogIn(stored(catalog))).toEqual(catalog);
    expect(catalogIn(stored(emptyCatalog))).toEqual(emptyCatalog);
  });

  it("gives up what an interrupted migration built", () => {
    expect(catalogIn(stored({ ...emptyCatalog, garbage: [5], unfinished: [7, 8] }))).toMatchObject({ garbage: [5, 7, 8], unfinished: [] });
  });

  it.each([null, 7, "catalog", [], {}, { ...emptyCatalog, garbage: 5 }, { ...emptyCatalog, types: [] }, { ...emptyCatalog, version: "3" }])(
    "is damage when it is %j",
    (note) =>
      expect(() => catalogIn(stored(note))).toThrow(
        expect.objectContaining({ code: "STORE_CORRUPT", message: "the store's own notes cannot be read" }),
      ),
  );
});
