// Nodes with hundreds of partners: their orders and pages may be found through indexes, and are those of a scan.

import assert from "node:assert/strict";
import { type Change, type FollowRequest, rowComparator, type Snapshot, type Uid } from "../../../core/storage.ts";
import { type Bench, type Check, createOf, linkOf } from "./kit.ts";
import { library } from "./layouts.ts";
import { Oracle } from "./oracle.ts";
import { type Pick, randomFields, randomOrder, randomPage, randomPredicate, seeded } from "./random.ts";
import { asKernelAsks } from "./without-links.ts";

/** Posts of each author. The last one has none, and so many posts have no author. */
const crowds = [600, 90, 65, 64, 1, 0];
const strays = 400;

interface Hubs {
  readonly oracle: Oracle;
  readonly authors: readonly Uid[];
  readonly highest: Uid;
}

async function fill(bench: Bench, pick: Pick): Promise<Hubs> {
  await bench.deploy(library);
  const oracle = new Oracle(library);
  const posts = crowds.reduce((sum, crowd) => sum + crowd, strays);
  return await bench.write(async (transaction) => {
    const uids = await transaction.uids(posts + crowds.length);
    const authors = uids.slice(0, crowds.length);
    const free = uids.slice(crowds.length);
    const changes: Change[] = authors.map((uid) => createOf(uid, "Author", {}));
    for (const uid of free) changes.push(createOf(uid, "Post", randomFields(pick, "Post")));
    for (const [i, crowd] of crowds.entries()) {
      for (let k = 0; k < crowd; k++) {
        // From anywhere: the posts of an author do not lie side by side.
        const [post = 0] = free.splice(pick(free.length), 1);
        changes.push(linkOf("link", "Author.posts", ["Author", authors[i] ?? 0], ["Post", post]));
      }
    }
    await transaction.write(changes);
    oracle.apply(changes);
    return { oracle, authors, highest: uids.at(-1) ?? 0 };
  });
}

/** Partners of each source behind the place, in order. */
function behind(oracle: Oracle, request: Omit<FollowRequest, "fields">): Uid[][] {
  const { order = [], after, page = {} } = request;
  const compare = rowComparator(order, (key) => library.fields.find(({ name }) => name === key.field)?.kind ?? "string");
  const row = (uid: Uid) => ({ uid, keys: order.map(({ field }) => oracle.nodes.get(uid)?.fields.get(field)) });
  return oracle.follow({ ...request, page: {} }).map((uids) => {
    const rest = uids.filter((uid) => after === undefined || compare(row(uid), after) > 0);
    return "last" in page
      ? rest.slice(-page.last)
      : rest.slice(page.offset ?? 0, page.first === undefined ? undefined : (page.offset ?? 0) + page.first);
  });
}

function question(pick: Pick, { oracle, authors, highest }: Hubs, seeks: boolean): FollowRequest {
  const order = randomOrder(pick);
  const from = authors.filter(() => pick(2) === 0);
  const place = [...oracle.nodes.keys()][pick(oracle.nodes.size)] ?? 0;
  const keys = order.map(({ field }) => oracle.nodes.get(place)?.fields.get(field));
  const page = randomPage(pick, order);
  return {
    from,
    end: "Author.posts",
    order,
    page,
    fields: [],
    ...(pick(2) === 0 && { where: randomPredicate(pick, 2, highest) }),
    ...(seeks && !("last" in page) && pick(3) === 0 && { after: { uid: place, keys } }),
  };
}

async function ask(snapshot: Snapshot, oracle: Oracle, request: FollowRequest): Promise<void> {
  const { starts, rows, nodes } = await snapshot.follow(request);
  const found = request.from.map((_, i) => rows.slice(starts[i], starts[i + 1]).map((row) => nodes.uids[row]));
  assert.deepEqual(
    found,
    behind(oracle, request),
    `follow ${JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}n` : value))}`,
  );
}

export const hubChecks: readonly Check[] = [
  {
    id: "follow.hub",
    level: "MUST",
    title: "orders and pages the partners of nodes with hundreds of them as a scan does, behind places and under conditions too",
    why: "A storage that walks an index, or gives a walk up, must not lose nodes, repeat them, or show those of others.",
    async run(bench) {
      const pick = seeded(6_271);
      const hubs = await fill(bench, pick);
      await bench.read(async (snapshot) => {
        const asked = asKernelAsks(snapshot, bench.storage.supports, hubs.oracle);
        for (let i = 0; i < 150; i++) await ask(asked, hubs.oracle, question(pick, hubs, bench.storage.supports.seek === true));
      });
    },
  },
];
