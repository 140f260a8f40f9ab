// A small town of tasks, boxes, users and tags; random questions about it (lists, pages by cursors, groups, counts) and random things that happen in
// it, transactions and nested updates among them.

/** 0 to below `n`. */
export type Random = (n: number) => number;

export function generator(seed: number): Random {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  };
}

export const logins = ["ada", "ben", "cem", "dot", "eve", "fay"];
const words = ["red", "green", "blue", "old", "new", "odd"];
const titles = ["red roof", "green roof", "blue door", "old door", "new mill", "odd mill"];
const kinds = ["CHORE", "TRIP", "CALL"];
const dues = ["2024-01-01T00:00:00Z", "2024-06-01T12:00:00+02:00", "2024-06-01T10:00:00Z", "2025-01-01T00:00:00Z"];

export function townSchema(line: string): string {
  return `
    enum Kind { CHORE TRIP CALL }
    interface Item @withSubscription { id: ID!  title: String @search(by: [hash, term])  size: Int @search  weight: Float @search  note: String }
    type Task implements Item @withSubscription @paged @nested @groupBy(fields: ["kind", "size", "owner", "due"]) @auth(query: { or: [
        { rule: "query($ME: String!) { queryTask { owner(filter: {login: {eq: $ME}}) { login } } }" },
        { rule: "query { queryTask(filter: {open: true}) { id } }" },
        { rule: "query($ME: String!) { queryTask { tags { fans(filter: {login: {eq: $ME}}) { login } } } }" },
        { rule: "{$ROLE: {eq: \\"ADMIN\\"}}" } ] })
      { open: Boolean @search  kind: Kind @search  due: DateTime @search  marks: [Int] @search
        owner: User @hasInverse(field: tasks) @search  tags: [Tag] @hasInverse(field: tasks) @search @paged  next: Task @search }
    type Box implements Item @withSubscription { holds: [Thing] @search  keeper: User @search }
    union Thing = Task | Tag
    type Tag @withSubscription @paged @groupBy(fields: ["rank"]) { word: String! @id  rank: Int @increment  tasks: [Task] @search @paged @onDelete(linked: UNLINK)  fans: [User] @hasInverse(field: likes) @search }
    type User @withSubscription @paged @nested @groupBy(fields: ["age", "friend"]) { login: String! @id  age: Int @search  tasks: [Task] @search  likes: [Tag] @search  friend: User @search }
    ${line}
  `;
}

// ---- questions --------------------------------------------------------------------------------------------------------

export function randomSubscription(random: Random): string {
  const type = pick(random, ["Task", "Task", "Task", "Item", "Box", "Tag", "User"] as const);
  switch (random(11)) {
    case 8:
      return `subscription { ${pick(random, groupsAsked)(random)} }`;
    case 9:
    case 10:
      return `subscription { ${connection(random)} }`;
    case 0:
      return `subscription { aggregate${type}${list([filter(random, type)])} { count ${measures(random, type)} } }`;
    case 1:
      if (type === "Tag") return `subscription { getTag(word: "${pick(random, words)}") ${cascade(random)} { ${selection(random, type, 2)} } }`;
      if (type === "User") return `subscription { getUser(login: "${pick(random, logins)}") { ${selection(random, type, 2)} } }`;
      return `subscription { get${type}(id: "0x${(1 + random(60)).toString(16)}") { ${selection(random, type, 2)} } }`;
    default:
      return `subscription { query${type}${list([filter(random, type), ...page(random, type)])} ${cascade(random)} { ${selection(random, type, 2)} } }`;
  }
}

const groupsAsked: readonly ((random: Random) => string)[] = [
  (random) => `groupTask${list(["by: [{field: kind}]", filter(random, "Task")])} { key { kind } count sizeSum }`,
  (random) => `groupTask${list(["by: [{field: owner}]", filter(random, "Task"), "having: {count: {ge: 2}}"])} { key { owner { login } } count }`,
  () => "groupTask(by: [{field: due, unit: MONTH}, {field: size}], order: {desc: count}, first: 3) { key { due size } count weightMax }",
  (random) => `groupTag${list(["by: [{field: rank}]", filter(random, "Tag")])} { key { rank } count }`,
  () => "groupUser(by: [{field: friend}]) { key { friend { login age } } count ageAvg }",
  (random) => `getUser(login: "${pick(random, logins)}") { tasksGroup(by: [{field: kind}]) { key { kind } count } }`,
  (random) => `queryTag${list([filter(random, "Tag")])} { word tasksGroup(by: [{field: owner}]) { key { owner { login } } count } }`,
];

/** The first or the last page, with some of what a page can say. */
function connection(random: Random): string {
  const type = pick(random, ["Task", "Tag", "User"] as const);
  const parts = (of: Type) => list([filter(random, of), ...orders(random, of), `${pick(random, ["first", "last"])}: ${1 + random(4)}`]);
  const shown = () =>
    ["totalCount", "pageInfo { hasNextPage hasPreviousPage }", "pageInfo { endCursor }", "edges { cursor }"].filter(() => random(2) === 0).join(" ");
  if (type === "Tag" && random(2) === 0)
    return `getTag(word: "${pick(random, words)}") { tasksConnection${parts("Task")} { ${shown()} nodes { ${selection(random, "Task", 1)} } } }`;
  return `query${type}Connection${parts(type)} { ${shown()} nodes { ${selection(random, type, 1)} } }`;
}

type Type = "Task" | "Item" | "Box" | "Tag" | "User";

function selection(random: Random, type: Type, depth: number): string {
  const fields: string[] = some(random, values[type]);
  if (type === "Tag") fields.push("word");
  if (type === "User") fields.push("login");
  if (depth > 0) fields.push(...some(random, links[type]).map((link) => nested(random, link, depth - 1)));
  return fields.length === 0 ? "__typename" : [...new Set(fields)].join(" ");
}

const values: Readonly<Record<Type, readonly string[]>> = {
  Task: ["id", "title", "size", "weight", "note", "open", "kind", "due", "marks"],
  Item: ["id", "title", "size", "__typename"],
  Box: ["id", "title", "weight"],
  Tag: ["rank"],
  User: ["age"],
};

interface Link {
  readonly name: string;
  readonly type: Type | "Thing";
  readonly many: boolean;
}
const links: Readonly<Record<Type, readonly Link[]>> = {
  Task: [
    { name: "owner", type: "User", many: false },
    { name: "tags", type: "Tag", many: true },
    { name: "next", type: "Task", many: false },
  ],
  Item: [],
  Box: [
    { name: "holds", type: "Thing", many: true },
    { name: "keeper", type: "User", many: false },
  ],
  Tag: [
    { name: "tasks", type: "Task", many: true },
    { name: "fans", type: "User", many: true },
  ],
  User: [
    { name: "tasks", type: "Task", many: true },
    { name: "likes", type: "Tag", many: true },
    { name: "friend", type: "User", many: false },
  ],
};

function nested(random: Random, { name, type, many }: Link, depth: number): string {
  if (type === "Thing") {
    const given = random(3) === 0 ? `(filter: {memberTypes: [Task], taskFilter: ${condition(random, "Task", 1)}})` : "";
    return `${name}${given} { ... on Task { ${selection(random, "Task", depth)} } ... on Tag { ${selection(random, "Tag", depth)} } }`;
  }
  if (many && random(4) === 0) return `${name}Aggregate${list([filter(random, type)])} { count ${measures(random, type)} }`;
  const given = many ? list([filter(random, type), ...page(random, type)]) : list([filter(random, type)]);
  return `${name}${random(2) === 0 ? given : ""} { ${selection(random, type, depth)} }`;
}

function measures(random: Random, type: Type): string {
  const names = { Task: ["sizeMax", "weightSum", "titleMin"], Item: ["sizeSum"], Box: ["weightAvg"], Tag: ["rankMax"], User: ["ageSum"] };
  return some(random, names[type]).join(" ");
}

function cascade(random: Random): string {
  return random(8) === 0 ? "@cascade" : "";
}

function filter(random: Random, type: Type): string {
  return random(4) === 0 ? "" : `filter: ${condition(random, type, 2)}`;
}

function condition(random: Random, type: Type, depth: number): string {
  if (depth > 0 && random(3) === 0) {
    const inner = condition(random, type, depth - 1);
    const other = condition(random, type, depth - 1);
    return pick(random, [`{and: [${inner}, ${other}]}`, `{or: [${inner}, ${other}]}`, `{not: ${inner}}`]);
  }
  if (depth > 0 && links[type].length > 0 && random(3) === 0) return linkCondition(random, pick(random, links[type]), depth - 1);
  return pick(random, conditions[type])(random);
}

function linkCondition(random: Random, { name, type, many }: Link, depth: number): string {
  const inner = type === "Thing" || random(5) === 0 ? "{}" : condition(random, type, depth);
  if (!many) return `{${name}: ${inner}}`;
  if (random(4) === 0) return `{${name}: {count: {${pick(random, ["eq", "lt", "ge"])}: ${random(4)}}}}`;
  return `{${name}: {${pick(random, ["some", "every", "none"])}: ${inner}}}`;
}

const item: readonly ((random: Random) => string)[] = [
  (random) => `{title: {eq: "${pick(random, titles)}"}}`,
  (random) => `{title: {in: ["${pick(random, titles)}", "${pick(random, titles)}"]}}`,
  (random) => `{title: {anyofterms: "${pick(random, words)} ${pick(random, words)}"}}`,
  (random) => `{title: {allofterms: "${pick(random, words)} door"}}`,
  (random) => `{size: {${pick(random, ["eq", "lt", "le", "gt", "ge"])}: ${random(10)}}}`,
  (random) => `{size: {between: {min: ${random(5)}, max: ${5 + random(5)}}}}`,
  (random) => `{weight: {gt: ${random(10)}.5}}`,
  (random) => `{has: [${pick(random, ["note", "title", "size"])}]}`,
  (random) => `{id: ["0x${(1 + random(60)).toString(16)}", "0x${(1 + random(60)).toString(16)}"]}`,
];

const conditions: Readonly<Record<Type, readonly ((random: Random) => string)[]>> = {
  Item: item,
  Box: [...item, () => "{has: holds}", () => "{has: keeper}"],
  Task: [
    ...item,
    (random) => `{open: ${random(2) === 0}}`,
    (random) => `{kind: {eq: ${pick(random, kinds)}}}`,
    (random) => `{kind: {in: [${pick(random, kinds)}, ${pick(random, kinds)}]}}`,
    (random) => `{due: {${pick(random, ["eq", "le", "gt"])}: "${pick(random, dues)}"}}`,
    (random) => `{marks: {${pick(random, ["eq", "gt"])}: ${random(6)}}}`,
    () => "{has: owner}",
    () => "{has: tags}",
  ],
  Tag: [(random) => `{word: {eq: "${pick(random, words)}"}}`, () => "{has: tasks}", () => "{has: fans}"],
  User: [
    (random) => `{login: {eq: "${pick(random, logins)}"}}`,
    (random) => `{age: {ge: ${random(60)}}}`,
    () => "{has: tasks}",
    () => "{has: friend}",
  ],
};

function page(random: Random, type: Type): readonly string[] {
  const parts = [...orders(random, type)];
  if (random(2) === 0) parts.push(`first: ${1 + random(5)}`);
  if (random(4) === 0) parts.push(`offset: ${1 + random(3)}`);
  return parts;
}

function orders(random: Random, type: Type): readonly string[] {
  const order = {
    Task: ["size", "title", "due", "weight"],
    Item: ["size", "title"],
    Box: ["weight", "title"],
    Tag: ["word", "rank"],
    User: ["login", "age"],
  };
  const parts: string[] = [];
  if (random(2) === 0) {
    const [first, second] = [pick(random, order[type]), pick(random, order[type])];
    const then = first !== second && random(3) === 0 ? `, then: {asc: ${second}}` : "";
    parts.push(`order: {${pick(random, ["asc", "desc"])}: ${first}${then}}`);
  }
  const link = links[type].find(({ type: to }) => to !== "Thing");
  if (parts.length === 0 && link && random(3) === 0) {
    const key = link.many ? "count" : pick(random, order[link.type === "Thing" ? type : link.type]);
    parts.push(`order: {${link.name}: {${pick(random, ["asc", "desc"])}: ${key}}}`);
  }
  return parts;
}

function list(parts: readonly string[]): string {
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? "" : `(${given.join(", ")})`;
}

// ---- what happens -----------------------------------------------------------------------------------------------------

/** All run as an administrator. */
export function randomMutation(random: Random): string {
  switch (random(19)) {
    case 16:
      return `mutation @transaction { a: updateTag(input: {filter: {word: {eq: "${pick(random, words)}"}}, increment: {rank: ${1 + random(2)}}}) { numUids } b: addTask(input: [{${taskFields(random)}}]) { numUids } c: deleteTask(filter: {id: ["0x${(1 + random(90)).toString(16)}"]}) { numUids } }`;
    case 17:
      return `mutation { updateUser(input: {filter: {login: {eq: "${pick(random, logins)}"}}, links: {tasks: {${pick(random, ["remove", "delete"])}: ${condition(random, "Task", 0)}, update: [{filter: {}, set: {size: ${random(10)}}}], add: [{${taskFields(random)}}]}}}) { numUids } }`;
    case 18:
      return `mutation { updateTask(input: {filter: ${condition(random, "Task", 0)}, links: {tags: {${pick(random, ["remove: {}", `replace: [{word: "${pick(random, words)}"}]`, `add: [{word: "${pick(random, words)}"}]`])}}}}) { numUids } }`;
    case 0:
    case 1:
    case 2:
      return `mutation { addTask(input: [{${taskFields(random)}}]) { numUids } }`;
    case 3:
      return `mutation { addBox(input: [{title: "${pick(random, titles)}", weight: ${random(10)}, keeper: ${user(random)}, holds: [{tagRef: {word: "${pick(random, words)}"}}]}]) { numUids } }`;
    case 4:
      return `mutation { deleteTask(filter: {id: ["0x${(1 + random(90)).toString(16)}", "0x${(1 + random(90)).toString(16)}"]}) { numUids } }`;
    case 5:
      return random(3) === 0
        ? `mutation { deleteTag(filter: {word: {eq: "${pick(random, words)}"}}) { numUids } }`
        : `mutation { deleteBox(filter: {title: {eq: "${pick(random, titles)}"}}) { numUids } }`;
    case 6:
      return `mutation { addTag(input: [{word: "${pick(random, words)}", rank: ${random(5)}, fans: [${user(random)}]}], upsert: true) { numUids } }`;
    case 7:
      return `mutation { updateUser(input: {filter: {login: {eq: "${pick(random, logins)}"}}, set: {age: ${random(60)}, friend: ${user(random)}}}) { numUids } }`;
    case 8:
      return `mutation { updateUser(input: {filter: {login: {eq: "${pick(random, logins)}"}}, ${pick(random, ["set", "remove"])}: {likes: [{word: "${pick(random, words)}"}]}}) { numUids } }`;
    case 9:
      return `mutation { updateTask(input: {filter: ${condition(random, "Task", 0)}, remove: {${pick(random, ["note: null", "title: null", "size: null", "owner: null", "due: null", "open: null"])}}}) { numUids } }`;
    case 10:
      return `mutation { updateBox(input: {filter: ${condition(random, "Item", 0)}, set: {holds: [{taskRef: {${taskFields(random)}}}]}}) { numUids } }`;
    case 11:
      return `mutation { updateTask(input: {filter: ${condition(random, "Task", 0)}, ${pick(random, ["set", "remove"])}: {tags: [{word: "${pick(random, words)}"}]}}) { numUids } }`;
    default:
      return `mutation { updateTask(input: {filter: {id: ["0x${(1 + random(60)).toString(16)}", "0x${(1 + random(60)).toString(16)}"]}, set: {${taskFields(random)}}}) { numUids } }`;
  }
}

function taskFields(random: Random): string {
  const fields = [
    `title: "${pick(random, titles)}"`,
    `size: ${random(10)}`,
    `weight: ${random(10)}.${random(10)}`,
    `note: "${pick(random, words)}"`,
    `open: ${random(4) === 0}`,
    `kind: ${pick(random, kinds)}`,
    `due: "${pick(random, dues)}"`,
    `marks: [${random(6)}, ${random(6)}]`,
    `owner: ${user(random)}`,
    `tags: [{word: "${pick(random, words)}"}]`,
  ];
  const chosen = some(random, fields);
  return (chosen.length === 0 ? [`size: ${random(10)}`] : chosen).join(", ");
}

function user(random: Random): string {
  return `{login: "${pick(random, logins)}"}`;
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[random(from.length)];
  if (found === undefined) throw new TypeError("Nothing to pick from.");
  return found;
}

function some<T>(random: Random, from: readonly T[]): T[] {
  return from.filter(() => random(3) === 0);
}
