// Checks of a kernel whose plugin misbehaves: each hook of the plugin that may return a promise returns one that never settles, or throws.

import assert from "node:assert/strict";
import { createKernel, type LogEntry } from "../../../core/index.ts";
import type { DirectivePlugin, Kernel } from "../../../core/plugin.ts";
import type { Storage } from "../../../core/storage.ts";
import { type HookFault, type HookName, Injected, injectable } from "./injected-plugin.ts";
import { ask, type DirectiveConformanceOptions, type Step, type StorageCheck } from "./kit.ts";

/** So short that a check does not wait for long, and as long as a step may take on a busy machine. */
const limits = { maxTimeMs: 700, hookMs: 300, openMs: 300, surveyMs: 300, closeMs: 300 };

const neighbour = "\ntype KitNeighbour { name: String }\n";
const neighbourWrite = 'mutation { addKitNeighbour(input: [{ name: "later" }]) { numUids } }';

const faults: readonly HookFault[] = ["hangs", "throws"];

export const faultChecks: readonly StorageCheck[] = [
  {
    id: "directive.faults.requests",
    title: "when a hook of it never settles, or throws, every request is answered, the log names the plugin, and later writes succeed",
    async run(options, create) {
      await onFaultyKernel(options, create, async ({ kernel, plugin, entries }) => {
        await kernel.deploy(options.schema + neighbour);
        for (const hook of plugin.found.filter((name) => !atDeploy.has(name))) {
          for (const fault of faults) {
            entries.length = 0;
            plugin.arm(hook, fault);
            const called = await takeUntilCalled(kernel, plugin, options.steps);
            plugin.disarm();
            if (called) await soonNamed(entries, { plugin: plugin.name, hook, fault });
            await writesLater(kernel, `${hook} ${fault}`);
          }
        }
      });
    },
  },
  {
    id: "directive.faults.deploys",
    title: "when a hook of it never settles, or throws, at a deploy, the deploy ends and names the plugin, and a later one succeeds",
    async run(options, create) {
      for (const hook of await hooksAtDeploy(options, create)) {
        for (const fault of faults) {
          await onFaultyKernel(options, create, async ({ kernel, plugin, entries }) => {
            plugin.arm(hook, fault);
            const refused = await ends(outcomeOf(kernel.deploy(options.schema + neighbour)), `a deploy whose hook ${hook} ${fault}`);
            plugin.disarm();
            if (hook === "open") assertRefused(refused, plugin.name, fault);
            else assert.equal(refused, undefined, `a deploy whose hook ${hook} ${fault}`);
            if (hook === "survey") await soonNamed(entries, { plugin: plugin.name, hook, fault });
            await kernel.deploy(options.schema + neighbour);
            await writesLater(kernel, `${hook} ${fault}`);
            if (hook === "close") plugin.arm(hook, fault);
          });
        }
      }
    },
  },
];

/** They are called when a schema is deployed or replaced, and not for a request. */
const atDeploy: ReadonlySet<HookName> = new Set(["open", "survey", "background", "close"]);

interface Faulty {
  readonly kernel: Kernel;
  readonly plugin: Injected;
  readonly entries: LogEntry[];
}

/** Runs `work`, then closes the kernel: that ends too, whatever the plugin does. */
async function onFaultyKernel(
  { plugin: create, before }: DirectiveConformanceOptions,
  storage: () => Promise<Storage>,
  work: (faulty: Faulty) => Promise<void>,
): Promise<void> {
  const plugin = new Injected(create);
  const entries: LogEntry[] = [];
  const plugins: readonly DirectivePlugin[] = [...(before?.() ?? []), plugin.plugin];
  const kernel = createKernel({
    storage: await storage(),
    plugins,
    limits,
    log: { level: "warn", to: { write: (entry) => void entries.push(entry) } },
  });
  await kernel.open();
  try {
    await work({ kernel, plugin, entries });
  } finally {
    await ends(outcomeOf(kernel.close()), "closing the kernel");
  }
}

/** The hooks of the plugin that a deploy calls. */
async function hooksAtDeploy(options: DirectiveConformanceOptions, create: () => Promise<Storage>): Promise<readonly HookName[]> {
  let found: readonly HookName[] = [];
  await onFaultyKernel(options, create, async ({ kernel, plugin }) => {
    await kernel.deploy(options.schema + neighbour);
    found = plugin.found.filter((name) => atDeploy.has(name));
  });
  return found;
}

/** Takes steps until one query and one mutation have called the hook, or none is left. Their answers are not compared. @returns whether it was called */
async function takeUntilCalled(kernel: Kernel, plugin: Injected, steps: readonly Step[]): Promise<boolean> {
  const kinds = new Set<string>();
  for (const step of steps) {
    const kind = step.ask.trimStart().startsWith("mutation") ? "mutation" : "query";
    if (kinds.has(kind)) continue;
    const before = plugin.calls;
    const answered = await ends(ask(kernel, step.ask, step.headers), `the answer to\n${step.ask}`);
    assert.ok(!JSON.stringify(answered).includes(injectable.message), `clients must not see what a hook throws: ${JSON.stringify(answered)}`);
    if (plugin.calls > before) kinds.add(kind);
  }
  return kinds.size > 0;
}

interface Named {
  readonly plugin: string;
  readonly hook: HookName;
  readonly fault: HookFault;
}

/** The log says so, at once or, of what nobody waits for, in a moment. Of a `commit` hook that never settles nobody ever hears. */
async function soonNamed(entries: readonly LogEntry[], { plugin, hook, fault }: Named): Promise<void> {
  if (hook === "commit" && fault === "hangs") return;
  const start = `Plugin "${plugin}", hook `;
  const isNamed = () => entries.some(({ message }) => message.includes(start));
  for (const end = performance.now() + patienceMs; !isNamed() && performance.now() < end; ) await pause(5);
  assert.ok(isNamed(), `the log names the plugin when its hook ${hook} ${fault}; it says:\n${entries.map(({ message }) => message).join("\n")}`);
}

/** A machine may be so busy that a write does not end in time. */
async function writesLater(kernel: Kernel, after: string): Promise<void> {
  let last: unknown;
  for (let attempt = 0; attempt < 20; attempt++) {
    last = await ends(ask(kernel, neighbourWrite), `a write after ${after}`);
    if (JSON.stringify(last) === '{"data":{"addKitNeighbour":{"numUids":1}}}') return;
  }
  assert.fail(`a write succeeds after ${after}; its answer is ${JSON.stringify(last)}`);
}

function assertRefused(refused: unknown, plugin: string, fault: HookFault): void {
  assert.ok(refused instanceof Error, "a deploy is refused whose hook open fails");
  assert.ok(refused.message.includes(`Plugin "${plugin}", hook open`), `the refusal names the plugin: ${refused.message}`);
  assert.equal("code" in refused && refused.code, fault === "hangs" ? "PLUGIN_TIMEOUT" : "PLUGIN_FAILED");
}

/** What it rejects with; undefined: nothing. */
function outcomeOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

/** A busy machine may take its time; whoever waits for ever fails. */
const patienceMs = 20_000;

async function ends<T>(work: PromiseLike<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} does not end` })), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
