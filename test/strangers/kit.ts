// What the plugins of this folder are tried with. They import the entries of the package, as a stranger's would.

import { onTestFinished } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { memoryStorage } from "../../adapters/memory/index.ts";
import { createKernel, type Kernel } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";

export interface Tried {
  readonly kernel: Kernel;
  ask(query: string, claims?: Readonly<Record<string, unknown>>): Promise<{ readonly data: unknown; readonly codes: readonly unknown[] }>;
}

/** An open kernel with the plugin before the standard ones, over a schema. */
export async function tried(plugin: DirectivePlugin, schema: string): Promise<Tried> {
  const kernel = createKernel({ storage: memoryStorage(), plugins: [plugin, ...standardPlugins()], log: { level: "silent" } });
  onTestFinished(() => kernel.close());
  await kernel.open();
  await kernel.deploy(schema);
  return {
    kernel,
    async ask(query, claims) {
      const { body } = await kernel.execute({ query, ...(claims && { claims }) });
      const { data, errors = [] } = JSON.parse(body);
      return { data, codes: errors.map(({ extensions }: { extensions?: { code?: unknown } }) => extensions?.code) };
    },
  };
}
