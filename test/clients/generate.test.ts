// The types that clients use: `quern types --client`, GraphQL Code Generator with its client preset, and gql.tada, each from the printed API.
//
// `types.check.ts` uses the files in `generated/`, so the type check of the project proves what they say. This spec proves that they are current.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputIntrospectionFile } from "@gql.tada/internal";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, introspectionFromSchema, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { clientTypes } from "../../adapters/cli/client-types/client-types.ts";
import { schemaVocabulary } from "../../adapters/cli/ground/vocabulary.ts";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import { prepareDeployment } from "../../core/index.ts";

const here = import.meta.dirname;
const schemaText = readFileSync(join(here, "harbor.graphql"), "utf8");
const { api } = prepareDeployment(schemaText, standardPlugins());

/** The file as it is, or as it will be: `QUERN_UPDATE_CLIENT_TYPES=1 npx vitest run test/clients` writes it. */
function generatedFile(name: string, text: string): string {
  const path = join(here, "generated", name);
  if (process.env.QUERN_UPDATE_CLIENT_TYPES) writeFileSync(path, text);
  return readFileSync(path, "utf8");
}

describe("types for clients", () => {
  it("are written by quern types --client", () => {
    const text = clientTypes(api.schema, "harbor.graphql");
    expect(generatedFile("quern.d.ts", text)).toBe(text);
  });

  it("are written for gql.tada, from what quern print prints", () => {
    const text = outputIntrospectionFile(introspectionFromSchema(buildSchema(api.sdl)), { fileType: ".d.ts", shouldPreprocess: true });
    expect(generatedFile("tada.d.ts", text)).toBe(text);
  });

  it("are written by GraphQL Code Generator, from what quern print prints", async () => {
    const written = await codegenFile(
      "query Boats($built: DateTime, $first: Int) { queryBoat(filter: { built: { ge: $built } }, first: $first) { code seats built kind place { latitude } } }",
    );
    expect(written).toMatch(
      /export type BoatsQueryVariables = Exact<\{\s+built\?: string \| number \| null \| undefined;\s+first\?: number \| null \| undefined;\s+\}>;/,
    );
    expect(written).toContain(
      "export type BoatsQuery = { queryBoat: Array<{ code: string, seats: number | null, built: string | null, kind: Kind | null, place: { latitude: number } | null } | null> | null };",
    );
  });
});

async function codegenFile(rawSDL: string): Promise<string> {
  const scalars = {
    ID: { input: "string | number", output: "string" },
    Int64: { input: "number | string", output: "number" },
    DateTime: { input: "string | number", output: "string" },
  };
  const files = await preset.buildGeneratesSection({
    baseOutputDir: "gql/",
    schema: parse(api.sdl),
    schemaAst: buildSchema(api.sdl),
    documents: [{ location: "query.graphql", rawSDL, document: parse(rawSDL) }],
    config: { scalars },
    presetConfig: {},
    plugins: [],
    pluginMap: {},
    pluginContext: {},
  });
  const types = files.find(({ filename }) => filename === "gql/graphql.ts");
  if (!types) throw new Error(`The preset writes ${files.map(({ filename }) => filename).join(", ")}`);
  return await codegen(types);
}

describe("quern directives", () => {
  it("completes a schema as it is written to one that any tool can read", () => {
    const schema = buildSchema(`${schemaText}\n${schemaVocabulary(standardPlugins())}\ntype Query { any: Int }`);
    expect(schema.getDirective("search")?.description).toContain("Filters by the field");
    expect(schema.getDirective("auth")?.args.map(({ name }) => name)).toContain("query");
    expect(schema.getType("Boat")?.toString()).toBe("Boat");
  });

  it("names each definition once, and describes each directive that is not Apollo's", () => {
    const { definitions } = parse(schemaVocabulary(standardPlugins()));
    const names = definitions.map((node) => `${node.kind} ${"name" in node ? node.name?.value : ""}`);
    expect(new Set(names).size).toBe(names.length);
    const bare = definitions.flatMap((node) => (node.kind === "DirectiveDefinition" && !node.description ? [node.name.value] : []));
    expect(bare).toEqual(["key", "extends", "external", "requires", "provides", "shareable", "inaccessible", "override", "tag"]);
  });
});
