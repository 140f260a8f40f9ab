// A pipeline becomes a find only where a find does the same.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { asFind } from "../../../adapters/mongodb/session/find-command.ts";

describe("a pipeline that is a find", () => {
  it("filters, orders and cuts, in this order", () => {
    const stages = [{ $match: { a: 1 } }, { $sort: { b: -1 } }, { $skip: 5 }, { $limit: 10 }, { $project: { _id: 1, b: 1 } }];
    assert.deepEqual(asFind(stages), { filter: { a: 1 }, sort: { b: -1 }, skip: 5, limit: 10, projection: { _id: 1, b: 1 } });
    assert.deepEqual(asFind([{ $limit: 3 }]), { filter: {}, limit: 3 });
    assert.deepEqual(asFind([]), { filter: {} });
  });

  for (const [what, stages] of Object.entries({
    "cuts before it skips": [{ $limit: 10 }, { $skip: 5 }],
    "cuts before it orders": [{ $limit: 10 }, { $sort: { a: 1 } }],
    "filters what is cut": [{ $limit: 10 }, { $match: { a: 1 } }],
    "filters twice": [{ $match: { a: 1 } }, { $match: { a: { $gt: 0 } } }],
    computes: [{ $project: { n: { $size: "$a" } } }],
    "reads another collection": [{ $match: { a: 1 } }, { $unionWith: { coll: "b", pipeline: [] } }],
    "has a stage that an object has by nature": [{ constructor: {} }],
  })) {
    it(`is none where it ${what}`, () => assert.equal(asFind(stages), undefined));
  }
});
