// The shapes of requests whose reads `growth.test.ts` measures, and the data they are asked of.

export const schema = `
  type Package @paged @index(fields: ["section", "bytes"]) @groupBy(fields: ["section", "maintainer", "built"]) {
    name: String! @id @search(by: [exact])
    code: String! @id
    section: String @search(by: [hash])
    summary: String @search(by: [term, fulltext, trigram])
    size: Int @search
    rank: Int @search
    weight: Float @search
    bytes: Int64 @search
    free: Boolean @search
    built: DateTime @search(by: [hour])
    words: [String] @search(by: [exact])
    place: Point @search
    maintainer: Person @hasInverse(field: packages) @search
    owner: Owner @hasInverse(field: packages) @search
    tags: [Tag] @hasInverse(field: packages) @search @paged
    labels: [Label] @hasInverse(field: packages) @search
    next: Package @hasInverse(field: previous)
    previous: Package
  }
  # Twenty, each with a part of all packages that grows with them.
  type Person { name: String! @id @search(by: [exact])  packages: [Package] @search @paged }
  # One for ten packages.
  type Owner { name: String! @id  age: Int @search  rank: Int @search  packages: [Package] @search  friends: [Owner] @hasInverse(field: friends) @search }
  # Nine, each on a ninth of all packages.
  type Tag { name: String! @id @search(by: [exact])  packages: [Package] @search }
  # One for five packages.
  type Label { name: String! @id  packages: [Package] @search }
  interface Being { id: ID!  nick: String! @id(interface: true) @search(by: [hash])  rank: Int @search  weight: Int @search  likes: [Being] @search }
  type Cat implements Being { lives: Int @search }
  type Dog implements Being { tail: Int  home: Home @hasInverse(field: dogs) }
  type Home { name: String! @id  dogs: [Dog] @search  pets: [Pet] }
  union Pet = Cat | Dog
  interface Page { id: ID!  slug: String! @id(interface: true, within: ["site"])  site: String! }
  type Article implements Page { text: String }
  type Story implements Page { text: String }
  type Doc { id: ID!  slug: String! @id(within: ["owner"])  owner: Owner }
  type Note @auth(query: { rule: "query { queryNote(filter: { open: true }) { id } }" }) { id: ID!  open: Boolean! @search  text: String  number: Int! @id @search }
  type Task @auth(query: { rule: "query { queryTask(filter: { owner: { rank: { ge: 0 } } }) { id } }" }, update: { rule: "query { queryTask(filter: { has: labels }) { id } }" }) {
    id: ID!  number: Int! @id  owner: Owner @search  labels: [Label] @search
  }
  type Named { name: String  size: Int }
  type Query {
    byKey(name: String!): [Named] @custom(dql: """query q($name: string) { byKey(func: eq(Package.name, $name)) { name: Package.name size: Package.size } }""")
    bySize: [Named] @custom(dql: """{ bySize(func: has(Package.size), orderdesc: Package.size, first: 5) { name: Package.name size: Package.size } }""")
    withTags: [Named] @custom(dql: """{ withTags(func: type(Package), first: 5) @filter(has(Package.tags)) { name: Package.name size: Package.size } }""")
  }`;

const number = (i: number) => String(i).padStart(6, "0");

/** Nodes to add, type by type. */
export function* inputs(packages: number): Generator<readonly [type: string, input: readonly object[]]> {
  yield ["Owner", list(packages / 10, (i) => ({ name: `o${i}`, age: i % 50, rank: i % 10 }))];
  yield ["Owner", list(packages / 10 - 1, (i) => ({ name: `o${i}`, friends: [{ name: `o${i + 1}` }] }))];
  yield [
    "Package",
    list(packages, (i) => ({
      name: `p${number(i)}`,
      code: `c${i}`,
      section: `s${i % 7}`,
      summary: `${i % 2 === 0 ? "stone" : "wooden"} mill number${i}`,
      ...(i % 5 > 0 && { size: (i * 7) % 400 }),
      rank: i,
      weight: i / 2,
      bytes: String(i % 100),
      free: i % 2 === 0,
      built: `20${10 + (i % 20)}-01-01T00:00:00Z`,
      words: [`w${i}`, `v${i % 9}`],
      place: { longitude: (i % 360) - 180, latitude: (i % 90) - 45 },
      maintainer: { name: `m${i % 20}` },
      owner: { name: `o${Math.floor(i / 10)}` },
      ...(i % 3 > 0 && { tags: [{ name: `t${i % 9}` }, { name: `t${(i + 1) % 9}` }] }),
      labels: [{ name: `l${Math.floor(i / 5)}` }],
    })),
  ];
  yield ["Cat", list(packages / 2, (i) => ({ nick: `cat${i}`, rank: i % 3, weight: i, lives: i % 9 }))];
  yield [
    "Dog",
    list(packages / 2, (i) => ({ nick: `dog${i}`, rank: i % 3, weight: i, tail: i, home: { name: `h${i % 5}` }, likes: [{ nick: `cat${i}` }] })),
  ];
  yield ["Home", list(5, (i) => ({ name: `h${i}`, pets: list(packages / 10, (k) => ({ catRef: { nick: `cat${k * 5 + i}` } })) }))];
  yield ["Article", list(packages / 2, (i) => ({ slug: `a${i}`, site: `s${i % 3}`, text: "x" }))];
  yield ["Story", list(packages / 2, (i) => ({ slug: `b${i}`, site: `s${i % 3}`, text: "x" }))];
  yield ["Doc", list(packages / 2, (i) => ({ slug: `d${i}`, owner: { name: "o1" } }))];
  yield ["Note", list(packages, (i) => ({ open: i % 2 === 0, text: "x", number: i }))];
  yield ["Task", list(packages, (i) => ({ number: i, owner: { name: `o${Math.floor(i / 10)}` }, labels: [{ name: `l${Math.floor(i / 5)}` }] }))];
}

function list<T>(length: number, item: (i: number) => T): readonly T[] {
  return Array.from({ length: Math.floor(length) }, (_, i) => item(i));
}

export interface Shape {
  readonly what: string;
  readonly query: string;
  /** Up to 500 links or nodes are looked up before nodes are tried one after the other. */
  readonly tries?: boolean;
  /** Why it reads more of more data, as the README says. */
  readonly grows?: string;
  /** It is asked before: its counts are in memory. */
  readonly again?: boolean;
  /** The code of the error that is the answer. */
  readonly fails?: string;
}

const package10 = (args: string) => `{ queryPackage(${args}, first: 10) { name size } }`;
const being10 = (args: string) => `{ queryBeing(${args}, first: 10) { nick } }`;

const keys: readonly Shape[] = [
  { what: "get by a key", query: `{ getPackage(name: "p000007") { size } }` },
  { what: "get by another key", query: `{ getPackage(code: "c7") { size } }` },
  { what: "a key in", query: `{ queryPackage(filter: { name: { in: ["p000007", "p000008", "none"] } }) { size } }` },
  { what: "get of an interface by its key", query: `{ getBeing(nick: "cat7") { nick rank } }` },
  { what: "get of a type by the key of its interface", query: `{ getCat(nick: "cat7") { lives } }` },
  { what: "an interface's key in", query: `{ queryBeing(filter: { nick: { in: ["cat7", "dog8", "none"] } }) { nick } }` },
  { what: "an interface's key or something else", query: `{ queryBeing(filter: { nick: { eq: "cat7" }, or: { nick: { eq: "dog7" } } }) { nick } }` },
  { what: "count by an interface's key", query: `{ aggregateBeing(filter: { nick: { eq: "cat7" } }) { count } }` },
  { what: "links to what has an interface's key", query: `{ queryDog(filter: { likes: { some: { nick: { eq: "cat7" } } } }) { nick } }` },
  { what: "get of a key within another field", query: `{ getArticle(slug: "a7", site: "s1") { text } }` },
  { what: "get of an interface's key within another field", query: `{ getPage(slug: "a7", site: "s1") { slug } }` },
  { what: "get of a key within a link", query: `{ getDoc(slug: "d7", owner: { name: "o1" }) { slug } }` },
];

const writes: readonly Shape[] = [
  { what: "update by a key", query: `mutation { updatePackage(input: { filter: { name: { eq: "p000007" } }, set: { size: 1 } }) { numUids } }` },
  {
    what: "update by an interface's key",
    query: `mutation { updateBeing(input: { filter: { nick: { eq: "cat7" } }, set: { rank: 1 } }) { numUids } }`,
  },
  { what: "upsert by an interface's key", query: `mutation { addCat(input: [{ nick: "cat7", lives: 3 }], upsert: true) { numUids } }` },
  { what: "a reference by an interface's key", query: `mutation { addDog(input: [{ nick: "new", likes: [{ nick: "cat7" }] }]) { numUids } }` },
  { what: "delete by an interface's key", query: `mutation { deleteDog(filter: { nick: { eq: "new" } }) { numUids } }` },
  { what: "a key that is taken", query: `mutation { addCat(input: [{ nick: "dog7" }]) { numUids } }`, fails: "KEY_TAKEN" },
  { what: "upsert by a key within a link", query: `mutation { addDoc(input: [{ slug: "d7", owner: { name: "o1" } }], upsert: true) { numUids } }` },
  {
    what: "upsert by an interface's key within a field",
    query: `mutation { addStory(input: [{ slug: "b7", site: "s1", text: "y" }], upsert: true) { numUids } }`,
  },
  {
    what: "update under a rule about links",
    query: `mutation { updateTask(input: { filter: { number: { eq: 7 } }, set: { owner: { name: "o2" } } }) { numUids } }`,
  },
  {
    what: "add with links of many to many",
    query: `mutation { addPackage(input: [{ name: "p7", code: "p7", tags: [{ name: "t1" }], labels: [{ name: "l1" }] }]) { numUids } }`,
  },
  {
    what: "move a to-one link",
    query: `mutation { updatePackage(input: { filter: { name: { eq: "p7" } }, set: { maintainer: { name: "m3" } } }) { numUids } }`,
  },
  { what: "delete with links", query: `mutation { deletePackage(filter: { name: { eq: "p7" } }) { numUids } }` },
];

const operators: readonly Shape[] = [
  { what: "eq", query: package10(`filter: { section: { eq: "s1" } }`) },
  { what: "in", query: package10(`filter: { section: { in: ["s1", "s2"] } }`) },
  { what: "lt", query: package10(`filter: { size: { lt: 50 } }, order: { asc: size }`) },
  { what: "ge", query: package10(`filter: { size: { ge: 50 } }, order: { desc: size }`) },
  { what: "between", query: package10(`filter: { rank: { between: { min: 3, max: 20 } } }`) },
  { what: "between, in another order", query: package10(`filter: { rank: { between: { min: 3, max: 20 } } }, order: { desc: size }`) },
  { what: "a range without an order", query: package10(`filter: { rank: { ge: 50 } }`) },
  { what: "a float", query: package10(`filter: { weight: { lt: 50 } }, order: { asc: weight }`) },
  { what: "an Int64", query: package10(`filter: { bytes: { eq: "7" } }`) },
  { what: "a Boolean", query: package10("filter: { free: true }") },
  { what: "a DateTime", query: package10(`filter: { built: { le: "2012-01-01T00:00:00Z" } }, order: { asc: built }`) },
  { what: "a value of a list", query: package10(`filter: { words: { eq: "w7" } }`) },
  { what: "one of two words", query: package10(`filter: { summary: { anyofterms: "stone wooden" } }`) },
  { what: "all words", query: package10(`filter: { summary: { allofterms: "stone number8" } }`) },
  { what: "text", query: package10(`filter: { summary: { alloftext: "mills" } }`) },
  { what: "a regular expression", query: package10(`filter: { summary: { regexp: "/number12/" } }`) },
  { what: "near a place", query: package10("filter: { place: { near: { coordinate: { longitude: 7, latitude: 7 }, distance: 1000 } } }") },
  { what: "has a value", query: package10("filter: { has: size }") },
  { what: "has no value", query: package10("filter: { not: { has: size } }") },
  { what: "not", query: package10(`filter: { not: { section: { eq: "s1" } } }`) },
  { what: "or", query: package10(`filter: { section: { eq: "s1" }, or: { size: { eq: 7 } } }`) },
  { what: "two conditions", query: package10(`filter: { section: { eq: "s1" }, free: true }`) },
];

const orders: readonly Shape[] = [
  { what: "the first ten", query: "{ queryPackage(first: 10) { name } }" },
  { what: "an order", query: "{ queryPackage(order: { asc: size }, first: 10) { name } }" },
  { what: "an order downwards", query: "{ queryPackage(order: { desc: size }, first: 10) { name } }" },
  { what: "an order by two fields", query: "{ queryPackage(order: { asc: rank, then: { desc: size } }, first: 10) { name } }" },
  { what: "an order by two fields, downwards first", query: "{ queryPackage(order: { desc: rank, then: { asc: size } }, first: 10) { name } }" },
  {
    what: "an order by two fields of which the first has few values",
    query: "{ queryPackage(order: { asc: built, then: { desc: rank } }, first: 10) { name } }",
    grows: "The nodes that are equal in the first field are sorted by the second.",
  },
  {
    what: "an order by two fields with an index over both",
    query: "{ queryPackage(order: { asc: section, then: { desc: bytes } }, first: 10) { name } }",
  },
  {
    what: "an order by three fields",
    query: "{ queryPackage(order: { asc: rank, then: { desc: size, then: { asc: name } } }, first: 10) { name } }",
  },
  {
    what: "an order by two fields with a filter",
    query: `{ queryPackage(filter: { section: { eq: "s1" } }, order: { asc: rank, then: { desc: size } }, first: 10) { name } }`,
  },
  {
    what: "a page by two fields with an offset",
    query: "{ queryPackage(order: { asc: rank, then: { desc: size } }, first: 10, offset: 30) { name } }",
  },
  { what: "an interface in order", query: "{ queryBeing(order: { desc: weight }, first: 10) { nick } }" },
  { what: "an interface by two fields", query: "{ queryBeing(order: { asc: weight, then: { desc: rank } }, first: 10) { nick } }" },
  { what: "connections", query: "{ queryPackageConnection(order: { asc: name }, first: 10) { nodes { name } pageInfo { hasNextPage endCursor } } }" },
  {
    what: "connections by two fields",
    query: "{ queryPackageConnection(order: { asc: rank, then: { desc: size } }, first: 10) { nodes { name } pageInfo { hasNextPage endCursor } } }",
  },
  {
    what: "connections with a total",
    query: "{ queryPackageConnection(order: { asc: name }, first: 10) { totalCount nodes { name } } }",
    again: true,
  },
  {
    what: "an order by what a single link leads to",
    query: "{ queryPackage(order: { owner: { asc: age } }, first: 10) { name } }",
    grows: "No index of a type has the values of another: all nodes that match are ordered.",
  },
  {
    what: "an order by the number of links",
    query: "{ queryPerson(order: { packages: { desc: count } }, first: 10) { name } }",
    again: true,
  },
];

const links: readonly Shape[] = [
  { what: "to-one links", query: "{ queryPackage(first: 10) { name maintainer { name } owner { name } } }" },
  { what: "a single link back", query: "{ queryPackage(first: 10) { name next { name } previous { name } } }" },
  { what: "short lists", query: "{ queryOwner(first: 10) { name packages { name } } }" },
  { what: "lists of many to many", query: "{ queryPackage(first: 10) { name tags { name } labels { name } } }" },
  { what: "a page of a long list", query: `{ getPerson(name: "m1") { packages(first: 3) { name } } }` },
  { what: "a page of a long list in order", query: `{ getPerson(name: "m1") { packages(order: { desc: rank }, first: 3) { name } } }` },
  {
    what: "a page of a long list by two fields",
    query: `{ getPerson(name: "m1") { packages(order: { desc: rank, then: { asc: size } }, first: 3) { name } } }`,
  },
  { what: "pages of long lists", query: "{ queryPerson(first: 10) { packages(first: 3) { name } } }" },
  { what: "a page of a long list of many to many", query: `{ getTag(name: "t1") { packages(first: 3) { name } } }` },
  { what: "pages of long lists of many to many", query: "{ queryTag(first: 9) { packages(first: 3) { name } } }" },
  {
    what: "a page of a long list of many to many in order",
    query: `{ getTag(name: "t2") { packages(order: { asc: name }, first: 3) { name } } }`,
    tries: true,
  },
  {
    what: "a page of a long list of many to many with a filter",
    query: `{ getTag(name: "t2") { packages(filter: { free: true }, first: 3) { name } } }`,
    tries: true,
  },
  {
    what: "the number of links of one with many",
    query: `{ getPerson(name: "m1") { packagesAggregate { count } } }`,
    again: true,
  },
  {
    what: "the number of links of many to many",
    query: `{ getTag(name: "t1") { packagesAggregate { count } } }`,
    again: true,
  },
  { what: "a page of a list of a union", query: `{ getHome(name: "h1") { pets(first: 3) { ... on Cat { nick } ... on Dog { nick } } } }` },
  {
    what: "pages beside a list with their total",
    query: `{ getPerson(name: "m1") { packagesConnection(order: { asc: name }, first: 3) { totalCount nodes { name } } } }`,
    again: true,
  },
  { what: "has a to-one link", query: package10("filter: { has: owner }") },
  { what: "has no to-one link", query: package10("filter: { not: { has: next } }") },
  { what: "has a list with a to-one other side", query: "{ queryOwner(filter: { has: packages }, first: 10) { name } }" },
  { what: "has a list of many to many", query: package10("filter: { has: tags }") },
  { what: "has no list of many to many", query: package10("filter: { not: { has: tags } }") },
  { what: "has a list of many to many, or a value", query: package10(`filter: { has: tags, or: { section: { eq: "s1" } } }`) },
  { what: "has a list of many to many, in order", query: package10("filter: { has: tags }, order: { desc: size }") },
  { what: "has a list of many to many, by two fields", query: package10("filter: { has: labels }, order: { asc: rank, then: { desc: size } }") },
  {
    what: "has a list of an interface",
    query: being10("filter: { has: likes }"),
  },
  { what: "has a list of a union", query: "{ queryHome(filter: { has: pets }, first: 3) { name } }" },
  {
    what: "count of those that have a list of many to many",
    query: "{ aggregatePackage(filter: { has: tags }) { count } }",
    grows: "A count of nodes by their links reads these links.",
  },
  { what: "one that has a list of many to many", query: `{ queryPackage(filter: { name: { eq: "p000007" }, has: tags }) { name } }` },
  { what: "what a single link leads to", query: package10(`filter: { owner: { name: { eq: "o7" } } }`) },
  { what: "what a single link leads to, a part of all", query: package10("filter: { owner: { age: { ge: 25 } } }") },
  { what: "some of a list", query: `{ queryOwner(filter: { packages: { some: { section: { eq: "s3" } } } }, first: 10) { name } }` },
  { what: "some of long lists", query: `{ queryPerson(filter: { packages: { some: { section: { eq: "s3" } } } }, first: 10) { name } }` },
  { what: "every one of a list", query: "{ queryOwner(filter: { packages: { every: { size: { lt: 390 } } } }, first: 10) { name } }" },
  { what: "none of a list", query: "{ queryOwner(filter: { packages: { none: { size: { gt: 390 } } } }, first: 10) { name } }" },
  { what: "at least so many", query: "{ queryOwner(filter: { packages: { count: { ge: 5 } } }, first: 10) { name } }" },
  { what: "some of many to many", query: package10(`filter: { tags: { some: { name: { eq: "t1" } } } }`) },
  { what: "some of many to many, few", query: package10(`filter: { labels: { some: { name: { eq: "l7" } } } }`) },
  { what: "two links deep", query: package10("filter: { owner: { friends: { some: { rank: { ge: 5 } } } } }") },
];

const others: readonly Shape[] = [
  { what: "cascade", query: "{ queryPackage(first: 5) @cascade { name size maintainer { name } } }" },
  { what: "cascade through many to many", query: "{ queryPackage(first: 5) @cascade { name tags { name } } }" },
  { what: "cascade through a list", query: "{ queryOwner(first: 5) @cascade { name packages { name size } } }" },
  { what: "a rule", query: "{ queryNote(first: 10) { number } }" },
  { what: "a rule and an order", query: "{ queryNote(order: { desc: number }, first: 10) { number } }" },
  { what: "a rule about links", query: "{ queryTask(first: 10) { number } }" },
  { what: "get under a rule about links", query: "{ getTask(number: 7) { number } }" },
  { what: "count of all", query: "{ aggregatePackage { count } }", again: true },
  { what: "the least and the greatest of all", query: "{ aggregatePackage { rankMin rankMax nameMax builtMin } }" },
  { what: "the greatest of a group", query: `{ aggregatePackage(filter: { free: true }) { rankMax } }` },
  {
    what: "an aggregate of a group",
    query: `{ aggregatePackage(filter: { section: { eq: "s1" } }) { count sizeMax } }`,
    again: true,
  },
  {
    what: "groups",
    query: "{ groupPackage(by: [{ field: section }]) { key { section } count } }",
    grows: "Groups are made of all nodes that match.",
  },
  { what: "DQL by key", query: `{ byKey(name: "p000007") { name size } }` },
  { what: "DQL in order", query: "{ bySize { name size } }" },
  { what: "DQL that has links", query: "{ withTags { name size } }" },
];

export const shapes: readonly Shape[] = [...keys, ...writes, ...operators, ...orders, ...links, ...others];
