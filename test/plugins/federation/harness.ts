// A kernel with a schema, and what a gateway asks of it.

import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { parseJson } from "../../../core/ground/json/parse-json.ts";
import { prepareDeployment, QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";
import { whenFileEnds } from "../../support/when-file-ends.ts";

export const link = (...names: readonly string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: [${names.map((name) => `"@${name}"`).join(", ")}])`;

export interface Subgraph {
  readonly stack: TemporaryKernel;
  ask(query: string, variables?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** `_entities` with a selection for each type. */
  entities(representations: unknown, selection: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  sdl(): Promise<string>;
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[] }[];
}

export async function subgraph(schema: string, plugins: readonly DirectivePlugin[] = standardPlugins()): Promise<Subgraph> {
  const stack = await compatibleKernel({ plugins });
  whenFileEnds(() => stack.remove());
  await stack.kernel.deploy(schema);
  const ask: Subgraph["ask"] = async (query, variables = {}, headers = {}) => {
    const { body } = await stack.kernel.execute({ query, variables, headers });
    return parseJson(body) as Answer;
  };
  return {
    stack,
    ask,
    entities: (of, selection, headers) => ask(`query ($of: [_Any!]!) { _entities(representations: $of) { ${selection} } }`, { of }, headers),
    sdl: async () => {
      const { data } = await ask("{ _service { sdl } }");
      return String(Reflect.get(Object(data?._service), "sdl"));
    },
  };
}

/** The messages of a refused deploy, each with its first place; empty when the schema deploys. */
export function refusalsOf(schema: string): readonly string[] {
  try {
    prepareDeployment(schema, standardPlugins());
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return error.errors.map(({ message, locations = [] }) => `${locations[0]?.line}:${locations[0]?.column} ${message}`);
  }
}
