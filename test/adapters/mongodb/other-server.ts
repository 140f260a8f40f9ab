// A Quern server in a process of its own, which specs start, stop and kill. It says on standard output, a line of JSON each, what
// happens. Arguments: address, database, then `deploy` and a schema, or `load` and a name.

import { setImmediate as nextTurn } from "node:timers/promises";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import type { Said } from "./server-process.ts";

const [, , uri = "", database = "", work, text = ""] = process.argv;
const plugins = [identityPlugin(), searchPlugin()];
const kernel = createKernel({ storage: mongodbStorage({ uri, database, ...layoutOfRun }), plugins, log: { level: "silent" } });
await kernel.open();
let stopping = false;
process.once("SIGTERM", () => (stopping = true));
if (work === "deploy") await deploy();
else {
  await Promise.all([...[0, 1, 2].map((writer) => write(kernel, `${text}${writer}`)), read(kernel), read(kernel), watch(kernel)]);
  await kernel.close();
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

async function deploy(): Promise<void> {
  try {
    await kernel.deploy(text, { progress: (step) => say({ kind: "step", ...step }) });
    say({ kind: "deployed" });
  } catch (thrown) {
    say({ kind: "refused", message: String(thrown) });
  }
  setInterval(() => {}, 60_000);
}

/** Boats of different names, one after another. */
async function write(server: Kernel, name: string): Promise<void> {
  for (let number = 0; !stopping; number++) {
    const answer = await ask(server, `mutation { addBoat(input: [{ name: "${name}-${number}", number: ${number} }]) { numUids } }`);
    if (answer.errors === undefined) say({ kind: "added", name: `${name}-${number}` });
    else say({ kind: "failed", messages: messagesOf(answer) });
    // What is refused is refused at once: the rest of this server needs a turn too.
    await nextTurn();
  }
}

async function read(server: Kernel): Promise<void> {
  for (let counted = 0; !stopping; ) {
    const begun = performance.now();
    const answer = await ask(server, "{ aggregateBoat { count } }");
    if (answer.errors !== undefined) say({ kind: "failed", messages: messagesOf(answer) });
    const count = answer.data?.aggregateBoat?.count ?? 0;
    say({ kind: "read", tookMs: performance.now() - begun, fewer: Math.max(0, counted - count) });
    counted = Math.max(counted, count);
    await nextTurn();
  }
}

/** Says when another schema is served. */
async function watch(server: Kernel): Promise<void> {
  let served: string | undefined;
  const timer = setInterval(() => {
    if (stopping) clearInterval(timer);
    const document = server.deployment?.document;
    if (document !== served && document !== undefined) say({ kind: "serves", document, at: Date.now() });
    served = document;
  }, 5);
}

interface Answer {
  readonly data?: { readonly aggregateBoat?: { readonly count: number } };
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(server: Kernel, query: string): Promise<Answer> {
  return JSON.parse((await server.execute({ query })).body);
}

function messagesOf({ errors = [] }: Answer): string[] {
  return errors.map(({ message }) => message);
}
