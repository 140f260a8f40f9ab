// Tools that read from the API what names an object: a part of a key within a scope names none alone.

import { buildClientSchema, introspectionFromSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { clientTypes } from "../../../adapters/cli/client-types/client-types.ts";
import { importShape } from "../../../adapters/cli/import/import-shape.ts";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { apiModel } from "../../../adapters/console/app/model/api-model.ts";
import { prepareDeployment } from "../../../core/index.ts";
import { deploy } from "../auth/harness.ts";

const schema = `
  "A text."
  type Doc {
    id: ID!
    "Who has it."
    tenant: String!
    "Its name."
    slug: String! @id(within: ["tenant"])
    see: [Note]
  }
  type Note { tenant: String!  slug: String! @id(within: ["tenant"])  doc: Doc }
  type Page { tenant: String! @id  slug: String! @id(within: ["tenant"]) }`;
const { api } = prepareDeployment(schema, standardPlugins());

describe("a part of a key within a scope", () => {
  it("is no key for the console, which would change the objects of all scopes", () => {
    const model = apiModel(api.sdl);
    expect(["Doc", "Note", "Page"].map((name) => model.type(name)?.keys.map((key) => key.name))).toEqual([["id"], [], ["tenant"]]);
  });

  it("is no key for an import of lines, which would take the objects of other scopes for them", () => {
    const introspected = buildClientSchema(introspectionFromSchema(api.schema));
    const shapes = ["Doc", "Note", "Page"].map((name) => importShape(introspected, name));
    expect(shapes.map(({ key }) => key)).toEqual([undefined, undefined, "tenant"]);
    expect([shapes[0]?.input.links.get("see")?.key, shapes[1]?.input.links.get("doc")?.key]).toEqual([undefined, "id"]);
  });

  it("is said to be one in the description of the argument, beside the field's own", () => {
    const args = api.schema.getQueryType()?.getFields().getDoc?.args ?? [];
    expect(args.map(({ name, description }) => [name, description])).toEqual([
      ["id", "The ID of the object."],
      ["slug", "A part of a key, with tenant: together they name the object. Its name."],
      ["tenant", "A part of a key, with slug: together they name the object. Who has it."],
    ]);
  });

  it("is an argument in the types of clients", () => {
    const [, after = ""] = clientTypes(api.schema, "docs.graphql").split("interface QueryGetNoteArgs {");
    const [members = ""] = after.split("}");
    expect(members.match(/readonly \w+\??/g)).toEqual(["readonly slug", "readonly tenant"]);
  });
});

describe("@secret on a type whose only key is within a value", () => {
  it("checks the password by all parts", async () => {
    const { ask } = await deploy('type User @secret(field: "pass") { tenant: String!  name: String! @id(within: ["tenant"]) }');
    await ask(
      'mutation { addUser(input: [{ tenant: "a", name: "ada", pass: "secret of a" }, { tenant: "b", name: "ada", pass: "secret of b" }]) { numUids } }',
    );
    const check = (tenant: string, pass: string) => ask(`{ checkUserPassword(tenant: "${tenant}", name: "ada", pass: "${pass}") { tenant } }`);
    expect(await check("a", "secret of a")).toEqual({ data: { checkUserPassword: { tenant: "a" } } });
    expect(await check("a", "secret of b")).toEqual({ data: { checkUserPassword: null } });
    expect(await check("b", "secret of b")).toEqual({ data: { checkUserPassword: { tenant: "b" } } });
  });
});

describe("@key of federation over a key within a scope", () => {
  it("resolves entities by all parts, of values and of links", async () => {
    const { ask, stack } = await deploy(`
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key"])
      type Doc @key(fields: "slug tenant") @key(fields: "label space { name }") {
        tenant: String!  slug: String! @id(within: ["tenant"])  label: String @id(within: ["space"])  space: Space  text: String
      }
      type Space { name: String! @id }`);
    const names = stack.kernel.deployment?.layout.keys.map(({ name }) => name);
    expect(names?.filter((name) => !name.startsWith("dql."))).toEqual([
      "Doc(Doc.label within Doc.space)",
      "Doc(Doc.slug within Doc.tenant)",
      "Space(Space.name)",
    ]);
    const doc = (tenant: string, space: string, text: string) =>
      `{ tenant: "${tenant}", slug: "x", label: "l", space: { name: "${space}" }, text: "${text}" }`;
    await ask(`mutation { addDoc(input: [${doc("a", "s", "1")}, ${doc("b", "t", "2")}]) { numUids } }`);
    const named = '[{ __typename: "Doc", slug: "x", tenant: "b" }, { __typename: "Doc", label: "l", space: { name: "s" } }]';
    expect(await ask(`{ _entities(representations: ${named}) { ... on Doc { text } } }`)).toEqual({
      data: { _entities: [{ text: "2" }, { text: "1" }] },
    });
  });
});
