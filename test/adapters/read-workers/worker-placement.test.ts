// Where a query begins: in the kernel's thread, or in a worker, by its estimated cost first and by its runs then.

import { beforeEach, expect, it } from "vitest";
import { MeasuredPlacement } from "../../../adapters/read-workers/worker-placement.ts";

const [operation, neighbour] = [{}, {}];
const large = () => 20_000;
const small = () => 19_999;
let places: MeasuredPlacement;
let isBusy = false;

beforeEach(() => {
  isBusy = false;
  places = new MeasuredPlacement(20_000, () => isBusy);
});

const runsHere = (...usedTurns: readonly number[]) => {
  for (const turns of usedTurns) places.ranHere(operation, turns, 1);
};

it("begins elsewhere from the given cost on, which is estimated once", () => {
  expect([places.of(operation, large), places.of(neighbour, small)]).toEqual(["elsewhere", "here"]);
  expect([places.of(operation, small), places.of(neighbour, large)]).toEqual(["elsewhere", "here"]);
});

it("begins elsewhere after one run that became long here", () => {
  places.of(operation, small);
  places.becameLong(operation);
  expect(places.of(operation, small)).toBe("elsewhere");
});

it("begins elsewhere after three runs in a row that used up a turn here; its neighbours do not", () => {
  places.of(operation, small);
  places.of(neighbour, small);
  runsHere(1, 4);
  places.ranHere(neighbour, 1, 1);
  expect(places.of(operation, small)).toBe("here");
  runsHere(1);
  expect([places.of(operation, small), places.of(neighbour, small)]).toEqual(["elsewhere", "here"]);
});

it("a query stays while a run within one turn comes between those that used up theirs", () => {
  places.of(operation, small);
  runsHere(1, 1, 0, 1, 1, 0);
  expect(places.of(operation, small)).toBe("here");
});

it("comes back when a worker answers within three milliseconds, and needs three more runs to leave again", () => {
  places.of(operation, large);
  places.ranElsewhere(operation, 3);
  expect(places.of(operation, large)).toBe("elsewhere");
  places.ranElsewhere(operation, 2.9);
  expect(places.of(operation, large)).toBe("here");
  runsHere(1, 1);
  expect(places.of(operation, large)).toBe("here");
  runsHere(1);
  expect(places.of(operation, large)).toBe("elsewhere");
});

it("never comes back where every query runs elsewhere", () => {
  const everywhere = new MeasuredPlacement(0, () => false);
  everywhere.of(operation, () => 0);
  everywhere.ranElsewhere(operation, 0);
  expect(everywhere.of(operation, () => 0)).toBe("elsewhere");
});

it("leaves a busy thread after three runs of a millisecond, and stays away from it while a worker takes as long", () => {
  places.of(operation, small);
  const runs = (...tookMs: readonly number[]) => {
    for (const ms of tookMs) places.ranHere(operation, 0, ms);
  };
  runs(1, 4, 1, 2);
  expect(places.of(operation, small)).toBe("here");
  isBusy = true;
  runs(1, 4, 0.9, 1, 2);
  expect(places.of(operation, small)).toBe("here");
  runs(1);
  expect(places.of(operation, small)).toBe("elsewhere");
  places.ranElsewhere(operation, 0.8);
  expect(places.of(operation, small)).toBe("elsewhere");
  isBusy = false;
  places.ranElsewhere(operation, 0.8);
  expect(places.of(operation, small)).toBe("here");
});

it("comes back to a busy thread when a worker answers within three quarters of a millisecond", () => {
  isBusy = true;
  places.of(operation, large);
  places.ranElsewhere(operation, 0.7);
  expect(places.of(operation, large)).toBe("here");
});
