// A deployed schema on a store of its own: sends requests as a client does and gives answers as a client sees them.

import type { DirectivePlugin } from "../../core/contracts/plugin/directive-plugin.ts";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import type { Kernel } from "../../core/kernel.ts";
import { defaultPlugin } from "../../plugins/default/index.ts";
import { generatePlugin } from "../../plugins/generate/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { secretPlugin } from "../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../plugins/storage-names/index.ts";
import { compatibleKernel } from "../support/kernel.ts";

export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly unknown[];
    readonly extensions?: unknown;
  }[];
}

export interface Api {
  readonly kernel: Kernel;
  send(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** The data of an answer without errors. */
  run(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The messages of an answer whose root fields all failed. */
  refused(query: string, variables?: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** Checks the whole store: every link from both sides, every key, every index entry. */
  close(): Promise<void>;
}

export async function deploy(schema: string, more: readonly DirectivePlugin[] = []): Promise<Api> {
  const builtIn = [identityPlugin(), secretPlugin(), storageNamesPlugin(), searchPlugin(), defaultPlugin(), generatePlugin()];
  const { kernel, remove } = await compatibleKernel({ plugins: [...builtIn, ...more] });
  await kernel.deploy(schema);

  const send = async (query: string, variables?: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const { body } = await kernel.execute({ query, ...(variables ? { variables } : {}) });
    return parseJson(body) as Answer;
  };
  return {
    kernel,
    send,
    async run(query, variables) {
      const { data, errors } = await send(query, variables);
      if (errors) throw new Error(`${query}\n${errors.map((each) => each.message).join("\n")}`);
      return data;
    },
    async refused(query, variables) {
      const { data, errors = [] } = await send(query, variables);
      const values = Object.values(data ?? {});
      if (values.some((value) => value !== null)) throw new Error(`answered ${JSON.stringify(data)}`);
      return errors.map((each) => each.message);
    },
    async close() {
      const { faults } = await kernel.storage.verify();
      await remove();
      if (faults.length > 0) throw new Error(faults.map((fault) => fault.message).join("\n"));
    },
  };
}
