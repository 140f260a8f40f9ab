// Both sides of a link, through every mutation: operations.md 3.7. The store's own check runs at the end of the file.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Teacher { name: String! @id  desk: Desk @hasInverse(field: owner)  lessons: [Lesson] @hasInverse(field: teacher)  clubs: [Club] @hasInverse(field: staff)
      friends: [Teacher] @hasInverse(field: friends)  partner: Teacher @hasInverse(field: partner) }
    type Desk { tag: String! @id  owner: Teacher }
    type Lesson { code: String! @id  teacher: Teacher }
    type Club { title: String! @id  staff: [Teacher] }
    type Part { name: String! @id  whole: Part @hasInverse(field: parts)  parts: [Part] }
    type Bench { id: ID!  mark: String! @search(by: [hash])  pupils: [Pupil] @hasInverse(field: bench) }
    type Pupil { id: ID!  nick: String! @search(by: [hash])  bench: Bench }
    interface Pet { id: ID!  chip: String! @id  keeper: Keeper }
    type Cat implements Pet { lives: Int }
    type Dog implements Pet { tricks: [String] }
    type Keeper { login: String! @id  pets: [Pet] @hasInverse(field: keeper) }
    interface Vessel { name: String! @id  captain: Captain }
    type Ketch implements Vessel { masts: Int }
    type Yawl implements Vessel { length: Int }
    type Captain { login: String! @id  ketch: Ketch @hasInverse(field: captain)  yawls: [Yawl] @hasInverse(field: captain) }
  `);
});
beforeEach(async () => {
  const types = ["Teacher", "Desk", "Lesson", "Club", "Part", "Bench", "Pupil", "Pet", "Keeper", "Vessel", "Captain"];
  await api.run(`mutation { ${types.map((type) => `${type}: delete${type}(filter: {}) { numUids }`).join(" ")} }`);
});
afterAll(() => api.close());

const teachers = () =>
  api.run(
    `{ t: queryTeacher(order: {asc: name}) { name desk { tag } lessons(order: {asc: code}) { code } } d: queryDesk(order: {asc: tag}) { tag owner { name } } l: queryLesson(order: {asc: code}) { code teacher { name } } }`,
  );

describe("one to one", () => {
  beforeEach(() => api.run(`mutation { addTeacher(input: [{name: "T1", desk: {tag: "D1"}}, {name: "T2", desk: {tag: "D2"}}]) { numUids } }`));
  const sides = () => api.run(`{ t: queryTeacher(order: {asc: name}) { name desk { tag } } d: queryDesk(order: {asc: tag}) { tag owner { name } } }`);
  const pairs = (...links: readonly (readonly [string, string])[]) => ({
    t: expect.arrayContaining(links.map(([name, tag]) => ({ name, desk: { tag } }))),
    d: expect.arrayContaining(links.map(([name, tag]) => ({ tag, owner: { name } }))),
  });
  const loners = async () => {
    const { t, d } = (await sides()) as { t: { name: string; desk: unknown }[]; d: { tag: string; owner: unknown }[] };
    return [...t.filter((each) => each.desk === null).map((each) => each.name), ...d.filter((each) => each.owner === null).map((each) => each.tag)];
  };

  it.each([
    {
      name: "swapped from the declaring side",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {desk: {tag: "D2"}}})`,
      linked: [["T1", "D2"]],
      alone: ["T2", "D1"],
    },
    {
      name: "swapped from the other side",
      change: `updateDesk(input: {filter: {tag: {eq: "D1"}}, set: {owner: {name: "T2"}}})`,
      linked: [["T2", "D1"]],
      alone: ["T1", "D2"],
    },
    {
      name: "stolen by a new object",
      change: `addTeacher(input: [{name: "T3", desk: {tag: "D2"}}])`,
      linked: [
        ["T1", "D1"],
        ["T3", "D2"],
      ],
      alone: ["T2"],
    },
    {
      name: "stolen by an upsert",
      change: `addTeacher(input: [{name: "T1", desk: {tag: "D2"}}], upsert: true)`,
      linked: [["T1", "D2"]],
      alone: ["T2", "D1"],
    },
    {
      name: "replaced by a new object",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {desk: {tag: "D3"}}})`,
      linked: [
        ["T1", "D3"],
        ["T2", "D2"],
      ],
      alone: ["D1"],
    },
    {
      name: "replaced by a new object from the other side",
      change: `updateDesk(input: {filter: {tag: {eq: "D1"}}, set: {owner: {name: "T3"}}})`,
      linked: [
        ["T3", "D1"],
        ["T2", "D2"],
      ],
      alone: ["T1"],
    },
    {
      name: "set to what it is",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {desk: {tag: "D1"}}})`,
      linked: [
        ["T1", "D1"],
        ["T2", "D2"],
      ],
      alone: [],
    },
    {
      name: "set to null",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {desk: null}})`,
      linked: [
        ["T1", "D1"],
        ["T2", "D2"],
      ],
      alone: [],
    },
    {
      name: "removed by key",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, remove: {desk: {tag: "D1"}}})`,
      linked: [["T2", "D2"]],
      alone: ["T1", "D1"],
    },
    {
      name: "removed by a key that is not linked",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, remove: {desk: {tag: "D2"}}})`,
      linked: [
        ["T1", "D1"],
        ["T2", "D2"],
      ],
      alone: [],
    },
    {
      name: "removed by null from the other side",
      change: `updateDesk(input: {filter: {tag: {eq: "D1"}}, remove: {owner: null}})`,
      linked: [["T2", "D2"]],
      alone: ["T1", "D1"],
    },
    {
      name: "set and removed in one request",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {desk: {tag: "D2"}}, remove: {desk: {tag: "D1"}}})`,
      linked: [["T1", "D2"]],
      alone: ["T2", "D1"],
    },
    {
      name: "a new object that names another owner",
      change: `addTeacher(input: [{name: "T3", desk: {tag: "D3", owner: {name: "T1"}}}])`,
      linked: [
        ["T1", "D1"],
        ["T2", "D2"],
        ["T3", "D3"],
      ],
      alone: [],
    },
    { name: "one side deleted", change: `deleteTeacher(filter: {name: {eq: "T1"}})`, linked: [["T2", "D2"]], alone: ["D1"] },
    { name: "the other side deleted", change: `deleteDesk(filter: {tag: {eq: "D1"}})`, linked: [["T2", "D2"]], alone: ["T1"] },
  ] as const)("holds on both sides: $name", async ({ change, linked, alone }) => {
    await api.run(`mutation { ${change} { numUids } }`);
    expect(await sides()).toEqual(pairs(...linked));
    expect(await loners()).toEqual(alone);
  });

  it("two new objects cannot have one", async () => {
    expect(
      await api.refused(`mutation { addTeacher(input: [{name: "T3", desk: {tag: "D1"}}, {name: "T4", desk: {tag: "D1"}}]) { numUids } }`),
    ).toEqual(["couldn't rewrite mutation addTeacher because failed to rewrite mutation payload because duplicate XID found: D1"]);
    expect(await loners()).toEqual([]);
  });

  it("gives a shared partner to one of several objects, on both sides", async () => {
    await api.run(`mutation { updateTeacher(input: {filter: {}, set: {desk: {tag: "D1"}}}) { numUids } }`);
    const { t, d } = (await sides()) as { t: { name: string; desk: { tag: string } | null }[]; d: { tag: string; owner: { name: string } | null }[] };
    const holders = t.filter((each) => each.desk?.tag === "D1").map((each) => each.name);
    expect(holders).toEqual([d.find((each) => each.tag === "D1")?.owner?.name]);
  });
});

describe("one to many", () => {
  beforeEach(() => api.run(`mutation { addTeacher(input: [{name: "T1", lessons: [{code: "L1"}, {code: "L2"}]}, {name: "T2"}]) { numUids } }`));

  it.each([
    {
      name: "the child moves by its new parent",
      change: `updateTeacher(input: {filter: {name: {eq: "T2"}}, set: {lessons: [{code: "L1"}]}})`,
      of: { T1: ["L2"], T2: ["L1"] },
    },
    {
      name: "the child moves by itself",
      change: `updateLesson(input: {filter: {code: {eq: "L1"}}, set: {teacher: {name: "T2"}}})`,
      of: { T1: ["L2"], T2: ["L1"] },
    },
    {
      name: "the child is given its own parent",
      change: `updateLesson(input: {filter: {code: {eq: "L1"}}, set: {teacher: {name: "T1"}}})`,
      of: { T1: ["L1", "L2"], T2: [] },
    },
    {
      name: "the parent is given its own child",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {lessons: [{code: "L1"}]}})`,
      of: { T1: ["L1", "L2"], T2: [] },
    },
    {
      name: "a new child names another parent",
      change: `updateTeacher(input: {filter: {name: {eq: "T2"}}, set: {lessons: [{code: "L3", teacher: {name: "T1"}}]}})`,
      of: { T1: ["L1", "L2"], T2: ["L3"] },
    },
    {
      name: "a new parent has a child of its own",
      change: `updateLesson(input: {filter: {code: {eq: "L1"}}, set: {teacher: {name: "T3", lessons: [{code: "L3"}]}}})`,
      of: { T1: ["L2"], T2: [], T3: ["L1", "L3"] },
    },
    {
      name: "a new parent takes a child",
      change: `addTeacher(input: [{name: "T3", lessons: [{code: "L1"}, {code: "L3"}]}])`,
      of: { T1: ["L2"], T2: [], T3: ["L1", "L3"] },
    },
    {
      name: "removed by the parent",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, remove: {lessons: [{code: "L1"}]}})`,
      of: { T1: ["L2"], T2: [] },
    },
    {
      name: "removed by the child",
      change: `updateLesson(input: {filter: {code: {eq: "L1"}}, remove: {teacher: null}})`,
      of: { T1: ["L2"], T2: [] },
    },
    {
      name: "all removed by the parent",
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, remove: {lessons: null}})`,
      of: { T1: [], T2: [] },
    },
    {
      name: "a child of another is not removed",
      change: `updateTeacher(input: {filter: {name: {eq: "T2"}}, remove: {lessons: [{code: "L1"}]}})`,
      of: { T1: ["L1", "L2"], T2: [] },
    },
    {
      name: "several children move to one parent",
      change: `updateLesson(input: {filter: {}, set: {teacher: {name: "T2"}}})`,
      of: { T1: [], T2: ["L1", "L2"] },
    },
    {
      name: "several children move to a new parent",
      change: `updateLesson(input: {filter: {}, set: {teacher: {name: "T3"}}})`,
      of: { T1: [], T2: [], T3: ["L1", "L2"] },
    },
    { name: "the child is deleted", change: `deleteLesson(filter: {code: {eq: "L1"}})`, of: { T1: ["L2"], T2: [] } },
    { name: "the parent is deleted", change: `deleteTeacher(filter: {name: {eq: "T1"}})`, of: { T2: [] } },
  ])("reads the same from both sides: $name", async ({ change, of }) => {
    await api.run(`mutation { ${change} { numUids } }`);
    const { t, l } = (await teachers()) as {
      t: { name: string; lessons: { code: string }[] }[];
      l: { code: string; teacher: { name: string } | null }[];
    };
    expect(Object.fromEntries(t.map((each) => [each.name, each.lessons.map((lesson) => lesson.code)]))).toEqual(of);
    const fromChildren = l.filter((each) => each.teacher).map((each) => `${each.teacher?.name} ${each.code}`);
    const fromParents = Object.entries(of).flatMap(([name, codes]) => codes.map((code) => `${name} ${code}`));
    expect(fromChildren.sort()).toEqual(fromParents.sort());
  });

  it("works by ID as by key", async () => {
    const added = (await api.run(
      `mutation { addBench(input: [{mark: "b1", pupils: [{nick: "x"}, {nick: "y"}]}, {mark: "b2"}]) { bench { id mark pupils(order: {asc: nick}) { id } } } }`,
    )) as {
      addBench: { bench: { id: string; pupils: { id: string }[] }[] };
    };
    const [b1, b2] = added.addBench.bench;
    const x = b1?.pupils[0]?.id;
    await api.run(`mutation { updateBench(input: {filter: {id: ["${b2?.id}"]}, set: {pupils: [{id: "${x}"}]}}) { numUids } }`);
    const benches = () => api.run(`{ queryBench(order: {asc: mark}) { mark pupils { nick bench { mark } } } }`);
    expect(await benches()).toEqual({
      queryBench: [
        { mark: "b1", pupils: [{ nick: "y", bench: { mark: "b1" } }] },
        { mark: "b2", pupils: [{ nick: "x", bench: { mark: "b2" } }] },
      ],
    });
    // Two parents at once by ID are not refused; one of them has it.
    await api.run(`mutation { addBench(input: [{mark: "b4", pupils: [{id: "${x}"}]}, {mark: "b5", pupils: [{id: "${x}"}]}]) { numUids } }`);
    expect(await benches()).toEqual({
      queryBench: [
        { mark: "b1", pupils: [{ nick: "y", bench: { mark: "b1" } }] },
        { mark: "b2", pupils: [] },
        { mark: "b4", pupils: [] },
        { mark: "b5", pupils: [{ nick: "x", bench: { mark: "b5" } }] },
      ],
    });
  });
});

describe("many to many, and own inverses", () => {
  it("are added, removed and deleted on both sides", async () => {
    await api.run(
      `mutation { addTeacher(input: [{name: "T1", clubs: [{title: "C1"}, {title: "C2"}]}, {name: "T2", clubs: [{title: "C1"}]}]) { numUids } }`,
    );
    await api.run(
      `mutation { updateClub(input: {filter: {title: {eq: "C1"}}, set: {staff: [{name: "T3"}]}, remove: {staff: [{name: "T2"}]}}) { numUids } }`,
    );
    expect(
      await api.run(`{ queryTeacher(order: {asc: name}) { name clubs(order: {asc: title}) { title staff(order: {asc: name}) { name } } } }`),
    ).toEqual({
      queryTeacher: [
        {
          name: "T1",
          clubs: [
            { title: "C1", staff: [{ name: "T1" }, { name: "T3" }] },
            { title: "C2", staff: [{ name: "T1" }] },
          ],
        },
        { name: "T2", clubs: [] },
        { name: "T3", clubs: [{ title: "C1", staff: [{ name: "T1" }, { name: "T3" }] }] },
      ],
    });
    await api.run(`mutation { deleteClub(filter: {title: {eq: "C1"}}) { numUids } }`);
    expect(await api.run(`{ queryTeacher(order: {asc: name}) { clubs { title } } }`)).toEqual({
      queryTeacher: [{ clubs: [{ title: "C2" }] }, { clubs: [] }, { clubs: [] }],
    });
  });

  it("a field that is its own inverse reads the same from both nodes, also linked to itself", async () => {
    await api.run(`mutation { addTeacher(input: [{name: "T1", friends: [{name: "T2"}, {name: "T3"}]}]) { numUids } }`);
    await api.run(`mutation { a: updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {friends: [{name: "T1"}], partner: {name: "T2"}}}) { numUids }
      b: updateTeacher(input: {filter: {name: {eq: "T3"}}, set: {partner: {name: "T2"}}, remove: {friends: [{name: "T1"}]}}) { numUids } }`);
    expect(await api.run(`{ queryTeacher(order: {asc: name}) { name friends(order: {asc: name}) { name } partner { name } } }`)).toEqual({
      queryTeacher: [
        { name: "T1", friends: [{ name: "T1" }, { name: "T2" }], partner: null },
        { name: "T2", friends: [{ name: "T1" }], partner: { name: "T3" } },
        { name: "T3", friends: [], partner: { name: "T2" } },
      ],
    });
  });
});

describe("set and remove in one update, as `remove` comes after `set`", () => {
  it.each([
    {
      name: "a list that is emptied loses what `set` gave it from the other side, in either order",
      add: `addPart(input: [{name: "P1"}, {name: "P2"}, {name: "P3"}])`,
      change: `updatePart(input: {filter: {}, set: {whole: {name: "P2"}}, remove: {parts: null}})`,
      after: { q: ["P1", "P2", "P3"].map((name) => ({ name, whole: null, parts: [] })) },
      ask: `q: queryPart(order: {asc: name}) { name whole { name } parts { name } }`,
    },
    {
      name: "a list of some that is emptied keeps what others have",
      add: `addClub(input: [{title: "A", staff: [{name: "T1"}, {name: "T2"}]}])`,
      change: `updateTeacher(input: {filter: {name: {eq: "T1"}}, set: {clubs: [{title: "B"}]}, remove: {clubs: null}})`,
      after: {
        q: [
          { title: "A", staff: [{ name: "T2" }] },
          { title: "B", staff: [] },
        ],
      },
      ask: `q: queryClub(order: {asc: title}) { title staff { name } }`,
    },
  ])("$name", async ({ add, change, after, ask }) => {
    await api.run(`mutation { ${add} { numUids } }`);
    await api.run(`mutation { ${change} { numUids } }`);
    expect(await api.run(`{ ${ask} }`)).toEqual(after);
  });
});

describe("on interfaces", () => {
  const keepers = () =>
    api.run(
      `{ k: queryKeeper(order: {asc: login}) { login pets(order: {asc: chip}) { __typename chip } } p: queryPet(order: {asc: chip}) { chip keeper { login } } }`,
    );
  beforeEach(() =>
    api.run(
      `mutation { a: addKeeper(input: [{login: "K1"}, {login: "K2"}]) { numUids } b: addCat(input: [{chip: "c1", keeper: {login: "K1"}}]) { numUids } c: addDog(input: [{chip: "g1", keeper: {login: "K1"}}]) { numUids } }`,
    ),
  );

  it("both sides hold for every implementing type", async () => {
    await api.run(`mutation { updateKeeper(input: {filter: {login: {eq: "K2"}}, set: {pets: [{chip: "g1"}]}}) { numUids } }`);
    expect(await keepers()).toEqual({
      k: [
        { login: "K1", pets: [{ __typename: "Cat", chip: "c1" }] },
        { login: "K2", pets: [{ __typename: "Dog", chip: "g1" }] },
      ],
      p: [
        { chip: "c1", keeper: { login: "K1" } },
        { chip: "g1", keeper: { login: "K2" } },
      ],
    });
    await api.run(`mutation { updatePet(input: {filter: {}, set: {keeper: {login: "K2"}}}) { numUids } }`);
    await api.run(`mutation { updateKeeper(input: {filter: {login: {eq: "K2"}}, remove: {pets: [{chip: "c1"}]}}) { numUids } }`);
    await api.run(`mutation { addDog(input: [{chip: "g2", keeper: {login: "K3"}}]) { numUids } }`);
    expect(await keepers()).toEqual({
      k: [
        { login: "K1", pets: [] },
        { login: "K2", pets: [{ __typename: "Dog", chip: "g1" }] },
        { login: "K3", pets: [{ __typename: "Dog", chip: "g2" }] },
      ],
      p: [
        { chip: "c1", keeper: null },
        { chip: "g1", keeper: { login: "K2" } },
        { chip: "g2", keeper: { login: "K3" } },
      ],
    });
    await api.run(`mutation { a: deletePet(filter: {chip: {eq: "g1"}}) { numUids } b: deleteKeeper(filter: {login: {eq: "K3"}}) { numUids } }`);
    expect(await keepers()).toEqual({
      k: [
        { login: "K1", pets: [] },
        { login: "K2", pets: [] },
      ],
      p: [
        { chip: "c1", keeper: null },
        { chip: "g2", keeper: null },
      ],
    });
  });

  it("two fields of one side, one of them single, hold each for its type", async () => {
    await api.run(
      `mutation { a: addCaptain(input: [{login: "A", ketch: {name: "k1"}, yawls: [{name: "y1"}, {name: "y2"}]}, {login: "B"}]) { numUids } }`,
    );
    await api.run(
      `mutation { a: addKetch(input: [{name: "k2", captain: {login: "A"}}]) { numUids } b: updateYawl(input: {filter: {name: {eq: "y1"}}, set: {captain: {login: "B"}}}) { numUids } }`,
    );
    expect(
      await api.run(
        `{ c: queryCaptain(order: {asc: login}) { login ketch { name } yawls { name } } v: queryVessel(order: {asc: name}) { name captain { login } } }`,
      ),
    ).toEqual({
      c: [
        { login: "A", ketch: { name: "k2" }, yawls: [{ name: "y2" }] },
        { login: "B", ketch: null, yawls: [{ name: "y1" }] },
      ],
      v: [
        { name: "k1", captain: null },
        { name: "k2", captain: { login: "A" } },
        { name: "y1", captain: { login: "B" } },
        { name: "y2", captain: { login: "A" } },
      ],
    });
  });
});
