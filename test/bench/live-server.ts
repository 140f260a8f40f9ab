// The server of the live bench: a board with ten thousand tasks on LevelDB, over `ws`. Answers its parent's questions.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { serve } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import type { SubscriptionObserver } from "../../core/index.ts";
import { type Answer, type Ask, liveQuery, tasks } from "./live-parts.ts";

const path = await mkdtemp(join(tmpdir(), "quern-live-"));
const storage = leveldbStorage({ path });
const server = await serve({
  storage,
  transports: [wsTransport()],
  plugins: standardPlugins(),
  port: 0,
  log: { level: "silent" },
  schema: `type Board { name: String! @id  title: String  tasks: [Task] @hasInverse(field: board) }
           type Task @withSubscription { id: ID!  title: String @search(by: [term])  done: Boolean @search  board: Board }
           type Message @withSubscription { id: ID!  room: String! @search(by: [hash])  number: Int! @search  text: String }`,
});
const { kernel } = server;
const storedTasks = Number(process.argv[2] ?? tasks);
for (let first = 0; first < storedTasks; first += 1_000) {
  const input = Array.from({ length: 1_000 }, (_, i) => ({ title: `task ${first + i}`, done: false, board: { name: "home", title: "0" } }));
  await kernel.execute({ query: "mutation($input: [AddTaskInput!]!) { addTask(input: $input) { numUids } }", variables: { input } });
}

/** When each commit since the last question was there, in milliseconds since 1970. */
let committedAt: number[] = [];
storage.changes(() => committedAt.push(performance.timeOrigin + performance.now()));

/** What collecting garbage for the sake of these figures has cost. */
let collecting = { user: 0, system: 0 };
const embedded: SubscriptionObserver = { ready: () => true, next: () => undefined, end: () => undefined };
const answers: { readonly [ask in Ask]: () => Answer | Promise<Answer> } = {
  usage: () => {
    const { user, system } = process.cpuUsage(collecting);
    const begun = process.cpuUsage();
    globalThis.gc?.();
    const spent = process.cpuUsage(begun);
    collecting = { user: collecting.user + spent.user, system: collecting.system + spent.system };
    const { rss, heapUsed } = process.memoryUsage();
    return { cpuMs: (user + system) / 1_000, rssMiB: rss / 2 ** 20, heapMiB: heapUsed / 2 ** 20, gauges: kernel.gauges.read() };
  },
  commits: () => {
    const since = committedAt;
    committedAt = [];
    return { since };
  },
  /** What a server that polls once a second does every second. */
  poll: async () => {
    const before = process.cpuUsage();
    for (let i = 0; i < tasks; i++)
      await kernel.execute({ query: liveQuery.replace("subscription", "query"), variables: { id: `0x${(i + 1).toString(16)}` } });
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1_000 };
  },
  /** As many subscriptions again, without sockets. */
  embed: () => {
    for (let i = 0; i < tasks; i++) kernel.subscribe({ query: liveQuery, variables: { id: `0x${(i + 1).toString(16)}` } }, embedded);
    return {};
  },
};
process.on("message", (ask: Ask) => void Promise.resolve(answers[ask]()).then((answer) => process.send?.(answer)));
process.on("disconnect", () => void server.close(0).then(() => rm(path, { recursive: true, force: true })));
process.send?.({ url: server.urls[0] });
