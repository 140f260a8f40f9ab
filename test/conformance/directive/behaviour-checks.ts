// Checks of a directive's effect on requests: on every storage, for callers who may see nothing, in live queries, after deploys and restarts.

import assert from "node:assert/strict";
import { type DirectivePlugin, none } from "../../../core/plugin.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { ask, type DirectiveConformanceOptions, lastReads, onKernel, reads, type StorageCheck, take } from "./kit.ts";

/** A caller with this header may not see any node. */
const blind = { "x-kit-sees": "nothing" };

const blindness: DirectivePlugin = {
  name: "kit-blindness",
  definitions: "",
  model: () => ({ narrow: (_type, _purpose, { headers }) => (headers["x-kit-sees"] === "nothing" ? none : undefined) }),
};

/** Every stored type has live root fields. */
const liveness: DirectivePlugin = {
  name: "kit-liveness",
  definitions: "",
  model({ model, record }) {
    for (const type of model.nodeTypes.values()) record.enableOperation(type, "subscription");
    return undefined;
  },
};

/** What runs live queries, unless a plugin of the author does. */
function engineBeside({ plugin, before }: DirectiveConformanceOptions): readonly DirectivePlugin[] {
  return [...(before?.() ?? []), plugin()].some(({ liveEngine }) => liveEngine !== undefined) ? [] : [subscriptionPlugin()];
}

export const behaviourChecks: readonly StorageCheck[] = [
  {
    id: "directive.behaviour",
    title: "its steps give the expected answers",
    async run(options, create) {
      await onKernel(options, create, [], async (kernel) => {
        await kernel.deploy(options.schema);
        for (const step of options.steps) await take(kernel, step);
      });
    },
  },
  {
    id: "directive.redeploy",
    title: "its data stay after a deploy that adds a type, after the directive is removed and added again, and after a restart",
    async run(options, create) {
      const storage = await create();
      const same = async () => storage;
      const neighbour = "\ntype KitNeighbour { name: String }\n";
      await onKernel(options, same, [], async (kernel) => {
        await kernel.deploy(options.schema);
        for (const step of options.steps) await take(kernel, step);
        for (const schema of [options.schema + neighbour, options.plain, options.schema]) await kernel.deploy(schema);
        for (const step of lastReads(options.steps)) await take(kernel, step);
      });
      await onKernel(options, same, [], async (kernel) => {
        for (const step of lastReads(options.steps)) await take(kernel, step);
      });
    },
  },
  {
    id: "directive.rules",
    title: "a caller who may see nothing gets the answers of an empty store, also from its own root fields",
    async run(options, create) {
      await onKernel(options, create, [blindness], async (empty) => {
        await empty.deploy(options.schema);
        await onKernel(options, create, [blindness], async (full) => {
          await full.deploy(options.schema);
          for (const step of options.steps) await take(full, step);
          for (const { ask: text, headers } of reads(options.steps)) {
            if (options.unruled?.some((field) => text.includes(field))) continue;
            const [hidden, missing] = [await ask(full, text, { ...headers, ...blind }), await ask(empty, text, headers)];
            assert.deepEqual(hidden, missing, `the answer for a caller who may see nothing to\n${text}`);
          }
        });
      });
    },
  },
  {
    id: "directive.live",
    title: "a live query shows after each step what a fresh query shows",
    async run(options, create) {
      await onKernel(options, create, [liveness, ...engineBeside(options)], async (kernel) => {
        await kernel.deploy(options.schema);
        let shown: unknown;
        const subscription = kernel.subscribe(
          { query: `subscription { ${options.live} }` },
          {
            next: (body) => {
              shown = JSON.parse(body).data;
            },
            ready: () => true,
            end: (why) => {
              shown = why;
            },
          },
        );
        for (const step of options.steps) {
          await take(kernel, step);
          const { data } = await ask(kernel, `{ ${options.live} }`);
          await soon(() => assert.deepEqual(shown, data, `the last live result after\n${step.ask}`));
        }
        subscription.stop();
      });
    },
  },
];

/** Waits until the condition holds, for at most 20 seconds, because the machine may be busy. */
async function soon(holds: () => void): Promise<void> {
  for (const end = performance.now() + 20_000; ; ) {
    try {
      return holds();
    } catch (failure) {
      if (performance.now() > end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
