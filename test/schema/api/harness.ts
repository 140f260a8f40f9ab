// Deploys a schema text with the standard plugins and returns single definitions of the served schema.

import { printType } from "graphql";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { runAtOnce } from "../../../core/ground/work.ts";
import { type DirectivePlugin, type Hooks, type ModelContext, QuernError } from "../../../core/plugin.ts";
import { prepareDeployment } from "../../../core/prepare-deployment.ts";
import type { Api } from "../../../core/schema/api/api.ts";
import { serveSchema } from "../../../core/schema/api/serve-schema.ts";

export function apiOf(schema: string, ...more: readonly DirectivePlugin[]): Api {
  return prepareDeployment(schema, [...standardPlugins(), ...more]).api;
}

/** A definition that clients see, in one line, without descriptions of arguments; undefined where there is none. */
export function shown({ sdl }: Api, name: string): string | undefined {
  const type = runAtOnce(serveSchema(sdl)).getType(name);
  return type && printType(type).replace(/\s+/g, " ");
}

/** `name(arguments): type` of each field of a root type, in order. */
export function rootFields(api: Api, root: "Query" | "Mutation"): readonly string[] {
  const type = runAtOnce(serveSchema(api.sdl)).getType(root);
  return type === undefined ? [] : linesOf(printType(type));
}

function linesOf(printed: string): readonly string[] {
  return printed
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim());
}

/** What refuses the schema; empty when it deploys. */
export function refusals(schema: string, ...more: readonly DirectivePlugin[]): readonly string[] {
  try {
    apiOf(schema, ...more);
    return [];
  } catch (error) {
    if (!(error instanceof QuernError)) throw error;
    return error.errors.length > 0 ? error.errors.map(({ message }) => message) : [`${error.code} ${error.message}`];
  }
}

/** A third-party plugin. */
export function plugin(
  name: string,
  model: (context: ModelContext) => Hooks | undefined,
  definitions = `directive @${name} on OBJECT | FIELD_DEFINITION`,
): DirectivePlugin {
  return { name, definitions, model };
}
