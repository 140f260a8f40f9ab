// Shared cases of schemas and what is generated from them, compared as schemas: what clients see, member by member, in order.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import {
  buildASTSchema,
  buildClientSchema,
  type DocumentNode,
  introspectionFromSchema,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  printSchema,
  printType,
} from "graphql";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../core/prepare-deployment.ts";
import type { Api } from "../../core/schema/api/api.ts";
import { directiveFaults } from "../support/directive-faults.ts";
import { type Described, describeDefinitions } from "./describe-schema.ts";
import { goldenPath } from "./golden-folder.ts";

const folder = goldenPath("schemagen");

if (folder === undefined) it.skip("shared cases of generated schemas are absent");
else {
  const cases = readdirSync(join(folder, "input")).map((file) => ({ file, input: readFileSync(join(folder, "input", file), "utf8") }));
  describe("the API of a schema is the one that clients know", () => {
    for (const { file, input } of cases) {
      it(file, () => {
        const { api } = prepareDeployment(input, standardPlugins());
        const recorded = sections(readFileSync(join(folder, "output", file), "utf8"));
        const expected = [...recorded].flatMap(([name, text]) => (name === extended || name === ofFederation ? [] : [text]));
        expect(served(api, namesIn(recorded.get(ofFederation)))).toEqual(describeDefinitions(parse(expected.join("\n")).definitions));
      });
    }
  });

  describe("tools read the API", () => {
    for (const { file, input } of cases) {
      it(file, async () => {
        const { api } = prepareDeployment(input, standardPlugins());
        expect(directiveFaults(api.schema)).toEqual([]);
        const client = buildClientSchema(introspectionFromSchema(api.schema));
        expect(await typesOf(parse(api.sdl))).toContain("export type");
        expect(await typesOf(parse(printSchema(client)))).toContain("export type");
      });
    }
  });
}

const asked = "query Kind { __typename }";

/** The types that GraphQL Code Generator writes for a client of the schema. */
async function typesOf(schema: DocumentNode): Promise<string> {
  const files = await preset.buildGeneratesSection({
    baseOutputDir: "gql/",
    schema,
    schemaAst: buildASTSchema(schema),
    documents: [{ location: "query.graphql", rawSDL: asked, document: parse(asked) }],
    config: {},
    presetConfig: {},
    plugins: [],
    pluginMap: {},
    pluginContext: {},
  });
  return (await Promise.all(files.map((file) => codegen(file)))).join("\n");
}

/** Everything in the schema that requests are validated against, except what is there whatever is deployed. */
function served({ schema, sdl }: Api, besides: readonly string[]): Readonly<Record<string, Described>> {
  const always = new Set([...namesIn(sections(sdl).get(extended)), ...besides]);
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__") && !always.has(name));
  const printed = types.filter((type) => !(isScalarType(type) && isSpecifiedScalarType(type))).map(printType);
  return describeDefinitions(parse(printed.join("\n")).definitions);
}

function namesIn(text: string | undefined): readonly string[] {
  return text ? parse(text).definitions.flatMap((node) => ("name" in node && node.name ? [node.name.value] : [])) : [];
}

const extended = "Extended Definitions";
/** The protocol of federation, which is the same in every schema that speaks it. */
const ofFederation = "Extended Apollo Definitions";
const title = /^#{23}\n# (.*)\n#{23}\n/gm;

/** The sections of a printed schema by title. */
function sections(sdl: string): ReadonlyMap<string, string> {
  const [, ...parts] = sdl.split(title);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ""] as const] : [])));
}
