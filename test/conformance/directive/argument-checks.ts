// Checks that the hooks of a plugin leave their arguments as they are: other plugins and the kernel read the same objects.

import type { StorageCheck } from "./kit.ts";
import { onKernel, take } from "./kit.ts";
import { withReadOnlyArguments } from "./read-only-arguments.ts";

export const argumentChecks: readonly StorageCheck[] = [
  {
    id: "directive.arguments",
    title: "its hooks leave their arguments as they are: its steps give the expected answers when these are frozen",
    async run(options, create) {
      const plugin = () => withReadOnlyArguments(options.plugin());
      await onKernel({ ...options, plugin }, create, [], async (kernel) => {
        await kernel.deploy(options.schema);
        for (const step of options.steps) await take(kernel, step);
      });
    },
  },
];
