// Who loses a link when another takes its place: every cardinality, from both sides, against a store that refuses a full end.

import { describe, expect, it } from "vitest";
import type { Change } from "../../core/contracts/change.ts";
import type { NodeRef } from "../../core/contracts/storage/snapshot.ts";
import type { EndName, Uid } from "../../core/ground/values/value.ts";
import { type LinkIntent, planLinks } from "../../core/mutation/links/plan-links.ts";
import fc from "../support/properties.ts";
import { schemaOf } from "./facts.ts";

const school = schemaOf(`
type Teacher { name: String! @id  desk: Desk @hasInverse(field: owner)  lessons: [Lesson] @hasInverse(field: teacher)  clubs: [Club] @hasInverse(field: staff)
  deputy: Teacher  friends: [Teacher] @hasInverse(field: friends)  partner: Teacher @hasInverse(field: partner) }
type Desk { tag: String! @id  owner: Teacher }
type Lesson { code: String! @id  teacher: Teacher }
type Club { title: String! @id  staff: [Teacher] }
`);
const { edges: ends } = school.facts;

const teachers: readonly NodeRef[] = [1, 2, 3].map((uid) => ({ uid, type: "Teacher" }));
const desks: readonly NodeRef[] = [11, 12].map((uid) => ({ uid, type: "Desk" }));
const lessons: readonly NodeRef[] = [21, 22].map((uid) => ({ uid, type: "Lesson" }));
const clubs: readonly NodeRef[] = [31, 32].map((uid) => ({ uid, type: "Club" }));

/** What is linked, by end and node; kept from both sides as a store keeps it. */
class Store {
  readonly #links = new Map<string, { readonly end: EndName; readonly from: NodeRef; readonly to: NodeRef }>();

  partner(node: Uid, end: EndName): NodeRef | undefined {
    return this.of(node, end)[0];
  }

  of(node: Uid, end: EndName): readonly NodeRef[] {
    return [...this.#links.values()].flatMap((link) => {
      const shownFrom = ends.singleEnds(link.end, link.from.type, link.to.type).from.includes(end) || link.end === end;
      const shownTo = ends.singleEnds(link.end, link.from.type, link.to.type).to.includes(end) || opposite(link.end) === end;
      return [
        ...(shownFrom && link.from.uid === node ? [link.to] : []),
        ...(shownTo && link.to.uid === node && link.from.uid !== node ? [link.from] : []),
      ];
    });
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind !== "link" && change.kind !== "unlink") throw new TypeError(change.kind);
      const from = { uid: change.from, type: change.fromType };
      const to = { uid: change.to, type: change.toType };
      const name = nameOf(change.end, from, to);
      if (change.kind === "unlink") this.#links.delete(name);
      else if (!this.#links.has(name)) {
        const taken = ends.singleEnds(change.end, from.type, to.type);
        for (const end of taken.from) if (this.partner(from.uid, end)) throw new Error(`END_TAKEN ${end} of ${from.uid}`);
        for (const end of taken.to) if (this.partner(to.uid, end)) throw new Error(`END_TAKEN ${end} of ${to.uid}`);
        this.#links.set(name, { end: change.end, from, to });
      }
    }
  }

  get size(): number {
    return this.#links.size;
  }
}

const opposites: Readonly<Record<EndName, EndName>> = {
  "Teacher.desk": "Desk.owner",
  "Desk.owner": "Teacher.desk",
  "Teacher.lessons": "Lesson.teacher",
  "Lesson.teacher": "Teacher.lessons",
  "Teacher.clubs": "Club.staff",
  "Club.staff": "Teacher.clubs",
  "Teacher.friends": "Teacher.friends",
  "Teacher.partner": "Teacher.partner",
  "Teacher.deputy": "~Teacher.deputy",
};
const opposite = (end: EndName) => opposites[end] ?? "";

function nameOf(end: EndName, from: NodeRef, to: NodeRef): string {
  const other = opposite(end);
  const swap = end === other ? from.uid > to.uid : end > other;
  return swap ? `${other} ${to.uid} ${from.uid}` : `${end} ${from.uid} ${to.uid}`;
}

function run(store: Store, ...intents: readonly LinkIntent[]): readonly Change[] {
  const changes = planLinks(intents, (node, end) => store.partner(node, end), ends);
  store.apply(changes);
  return changes;
}

const link = (end: EndName, from: NodeRef | undefined, to: NodeRef | undefined): LinkIntent => intent("link", end, from, to);
const unlink = (end: EndName, from: NodeRef | undefined, to: NodeRef | undefined): LinkIntent => intent("unlink", end, from, to);
function intent(kind: LinkIntent["kind"], end: EndName, from: NodeRef | undefined, to: NodeRef | undefined): LinkIntent {
  if (!from || !to) throw new TypeError("no such node");
  return { kind, end, from, to };
}
const uids = (nodes: readonly NodeRef[]) => nodes.map((node) => node.uid).sort((a, b) => a - b);

describe("links that displace a partner", () => {
  const [t1, t2, t3] = teachers;
  const [d1, d2] = desks;
  const [l1, l2] = lessons;
  const [c1] = clubs;

  it("one to one: both old partners are freed, whichever side is written", () => {
    for (const swap of [link("Teacher.desk", t1, d2), link("Desk.owner", d2, t1)]) {
      const store = new Store();
      run(store, link("Teacher.desk", t1, d1), link("Teacher.desk", t2, d2));
      run(store, swap);
      expect([store.partner(1, "Teacher.desk")?.uid, store.partner(2, "Teacher.desk"), store.partner(11, "Desk.owner")]).toEqual([
        12,
        undefined,
        undefined,
      ]);
    }
  });

  it("one to many: the child leaves its old parent, its siblings stay linked", () => {
    const store = new Store();
    run(store, link("Teacher.lessons", t1, l1), link("Teacher.lessons", t1, l2));
    run(store, link("Teacher.lessons", t2, l1));
    expect([uids(store.of(1, "Teacher.lessons")), uids(store.of(2, "Teacher.lessons")), store.partner(21, "Lesson.teacher")?.uid]).toEqual([
      [22],
      [21],
      2,
    ]);
  });

  it("many to many: no link is removed", () => {
    const store = new Store();
    run(store, link("Teacher.clubs", t1, c1));
    expect(run(store, link("Club.staff", c1, t2))).toHaveLength(1);
    expect(uids(store.of(31, "Club.staff"))).toEqual([1, 2]);
  });

  it("its own inverse, single: both old partners of a displaced link become free", () => {
    const store = new Store();
    run(store, link("Teacher.partner", t1, t2));
    run(store, link("Teacher.partner", t3, t2));
    expect([1, 2, 3].map((uid) => store.partner(uid, "Teacher.partner")?.uid)).toEqual([undefined, 3, 2]);
  });

  it("its own inverse: a node can be linked to itself", () => {
    const store = new Store();
    run(store, link("Teacher.partner", t1, t2));
    run(store, link("Teacher.partner", t1, t1));
    expect([1, 2].map((uid) => store.partner(uid, "Teacher.partner")?.uid)).toEqual([1, undefined]);
  });

  it("an existing link causes no change", () => {
    const store = new Store();
    run(store, link("Teacher.desk", t1, d1));
    expect(run(store, link("Desk.owner", d1, t1))).toEqual([]);
  });

  it("one-way: only the owner's end counts", () => {
    const store = new Store();
    run(store, link("Teacher.deputy", t1, t3), link("Teacher.deputy", t2, t3));
    expect([store.partner(1, "Teacher.deputy")?.uid, store.partner(2, "Teacher.deputy")?.uid]).toEqual([3, 3]);
  });

  it("unlinks only existing links", () => {
    const store = new Store();
    run(store, link("Teacher.lessons", t1, l1));
    expect(run(store, unlink("Teacher.lessons", t2, l1))).toEqual([]);
    expect(store.partner(21, "Lesson.teacher")?.uid).toBe(1);
  });

  it("set and remove of one link remove it, also when it existed before", () => {
    for (const before of [[], [link("Teacher.clubs", t1, c1)]]) {
      const store = new Store();
      run(store, ...before);
      run(store, link("Teacher.clubs", t1, c1), unlink("Teacher.clubs", t1, c1));
      expect(store.size).toBe(0);
    }
  });

  it("the last of several links to one single end in a request wins", () => {
    const store = new Store();
    run(store, link("Teacher.desk", t3, d1));
    run(store, link("Teacher.desk", t1, d1), link("Teacher.desk", t2, d1));
    expect([1, 2, 3].map((uid) => store.partner(uid, "Teacher.desk")?.uid)).toEqual([undefined, 11, undefined]);
  });
});

describe("any sequence of links and unlinks", () => {
  const pools: readonly (readonly [EndName, readonly NodeRef[], readonly NodeRef[]])[] = [
    ["Teacher.desk", teachers, desks],
    ["Desk.owner", desks, teachers],
    ["Teacher.lessons", teachers, lessons],
    ["Lesson.teacher", lessons, teachers],
    ["Teacher.clubs", teachers, clubs],
    ["Teacher.friends", teachers, teachers],
    ["Teacher.partner", teachers, teachers],
  ];
  const anyIntent = fc
    .record({
      kind: fc.constantFrom("link" as const, "link" as const, "unlink" as const),
      pool: fc.constantFrom(...pools),
      from: fc.nat(2),
      to: fc.nat(2),
    })
    .map(({ kind, pool: [end, sources, targets], from, to }) => intent(kind, end, sources[from % sources.length], targets[to % targets.length]));

  it("has the same result as one at a time, and never links an occupied end", () => {
    fc.assert(
      fc.property(fc.array(anyIntent, { maxLength: 8 }), fc.array(anyIntent, { maxLength: 8 }), (before, intents) => {
        const together = new Store();
        const apart = new Store();
        for (const store of [together, apart]) for (const each of before) run(store, each);
        run(together, ...intents);
        for (const each of intents) run(apart, each);
        for (const [end, sources] of pools)
          for (const node of sources) expect(uids(together.of(node.uid, end))).toEqual(uids(apart.of(node.uid, end)));
      }),
      { numRuns: 500 },
    );
  });
});
