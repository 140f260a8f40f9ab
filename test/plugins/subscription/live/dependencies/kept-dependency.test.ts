// What a query depends on is kept where its next run loads the same nodes, and made anew otherwise.

import { describe, expect, it } from "vitest";
import type { LiveOperation, LoadRequest, Uid } from "../../../../../core/plugin.ts";
import { prepareDeployment } from "../../../../../core/prepare-deployment.ts";
import type { Read } from "../../../../../plugins/subscription/live/dependencies/dependencies-of.ts";
import { ReadLog } from "../../../../../plugins/subscription/live/dependencies/recording-snapshot.ts";
import { InvalidationIndex } from "../../../../../plugins/subscription/live/invalidation/invalidation-index.ts";
import { SharedQuery } from "../../../../../plugins/subscription/live/sharing/shared-query.ts";

const schema = { ...prepareDeployment("type Boat { name: String  log: String }  type Pier { name: String }", []), version: 1 };
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

const found = (uids: readonly Uid[]) => ({ uids, types: uids.map(() => "Boat"), columns: [] });

function loaded(uids: readonly Uid[], { of = uids, ...more }: Partial<LoadRequest> & { readonly of?: readonly Uid[] } = {}): Read {
  return { kind: "load", request: { uids, types: ["Boat"], fields: ["Boat.name"], ...more }, found: found(of) };
}

const listed: Read = { kind: "find", request: { types: ["Boat"], fields: ["Boat.name"] }, found: found([3, 7]), edge: undefined, reached: undefined };

/** What the query depends on after each of the runs. */
function dependenciesAfter(...runs: readonly (readonly Read[])[]): readonly (readonly unknown[])[] {
  const index = new InvalidationIndex(schema.layout, { tests: 0 });
  const query = new SharedQuery(operation, "");
  return runs.map((list) => {
    const reads = new ReadLog();
    reads.list.push(...list);
    const running = index.beginRun();
    index.update(query, reads, running);
    index.endRun(running);
    return query.registrations.map(({ dependency }) => dependency);
  });
}

describe("what a query depends on", () => {
  it("stays where a run loads the nodes of the run before", () => {
    const [before, after] = dependenciesAfter([loaded([3, 7]), loaded([9])], [loaded([3, 7]), loaded([9])]);
    expect(after?.map((each, i) => each === before?.[i])).toEqual([true, true]);
  });

  it.each([
    ["other nodes", loaded([3, 8])],
    ["fewer nodes", loaded([3])],
    ["nodes of which one is gone", loaded([3, 7], { of: [3] })],
    ["nodes of another type", loaded([3, 7], { types: ["Pier"] })],
    ["other fields", loaded([3, 7], { fields: ["Boat.name", "Boat.log"] })],
    ["a list of the same nodes", listed],
  ])("is made anew where it reads %s", (_, read) => {
    const [before, after, fresh] = [...dependenciesAfter([loaded([3, 7])], [read]), ...dependenciesAfter([read])];
    expect(after).not.toEqual(before);
    expect(after).toEqual(fresh);
  });

  it("is that of each read, where some stay and others come, go and change", () => {
    const runs = [[loaded([3]), listed, loaded([9])], [loaded([3]), loaded([9])], [loaded([1]), loaded([9]), listed, loaded([3])], []];
    expect(dependenciesAfter(...runs)).toEqual(runs.map((run) => dependenciesAfter(run)[0]));
  });
});
