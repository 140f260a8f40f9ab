// Runs that overlap without an end, as on a storage behind a network: what happened before a run began does not make its result old.

import { beforeEach, describe, expect, it } from "vitest";
import type { LiveOperation } from "../../../../../core/plugin.ts";
import { prepareDeployment } from "../../../../../core/prepare-deployment.ts";
import { CommitDelta } from "../../../../../plugins/subscription/live/commits/commit-delta.ts";
import { ReadLog } from "../../../../../plugins/subscription/live/dependencies/recording-snapshot.ts";
import { InvalidationIndex, type RunningQuery } from "../../../../../plugins/subscription/live/invalidation/invalidation-index.ts";
import { SharedQuery } from "../../../../../plugins/subscription/live/sharing/shared-query.ts";

const schema = { ...prepareDeployment("type Boat { name: String }  type Pier { name: String }", []), version: 1 };
const operation: LiveOperation = {
  document: "",
  operationName: undefined,
  name: undefined,
  variables: {},
  schema,
  caller: { facts: {}, headers: {} },
  readsAnyHeader: false,
  run: () => {
    throw new TypeError("nothing runs here");
  },
};

let index: InvalidationIndex;
let query: SharedQuery;
let commits = 0;
beforeEach(() => {
  index = new InvalidationIndex(schema.layout, { tests: 0 });
  query = new SharedQuery(operation, "");
});

function commit(type: string): void {
  const delta = new CommitDelta(index.layout);
  delta.add({ kind: "coarse", token: String(++commits).padStart(9, "0"), types: [type], fields: [], ends: [] });
  index.recordDuringRuns(delta);
}

/** Each begins before the one before it ends. */
function overlap(count: number, during: () => void): RunningQuery {
  let running = index.beginRun();
  for (let i = 0; i < count; i++) {
    during();
    const next = index.beginRun();
    index.endRun(running);
    running = next;
  }
  return running;
}

function boats(): ReadLog {
  const reads = new ReadLog();
  const found = { uids: [], types: [], columns: [[]] };
  reads.list.push({ kind: "find", request: { types: ["Boat"], fields: ["Boat.name"] }, found, edge: undefined, reached: undefined });
  return reads;
}

describe("a run among others that overlap", () => {
  it("is not old by the commits before it began, however many there were", () => {
    const running = overlap(300, () => commit("Boat"));
    expect(index.update(query, boats(), running)).toBe(false);
  });

  it("is old by a commit on its type since it began, and not by one on another", () => {
    const running = overlap(3, () => commit("Boat"));
    commit("Pier");
    expect(index.update(query, boats(), running)).toBe(false);
    commit("Boat");
    expect(index.update(query, boats(), running)).toBe(true);
  });

  it("is old when more commits came during it than are kept, on whatever types", () => {
    const running = overlap(3, () => commit("Boat"));
    for (let i = 0; i < 201; i++) commit("Pier");
    expect(index.update(query, boats(), running)).toBe(true);
  });
});
