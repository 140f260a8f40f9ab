// Deploys a schema text and returns the result.

import { runAtOnce } from "../../../core/ground/work.ts";
import { type DirectivePlugin, type EdgeLayout, type NodeType, QuernError } from "../../../core/plugin.ts";
import { type BuiltDeployment, buildDeployment } from "../../../core/schema/deployment/build-deployment.ts";
import { defaultPlugin } from "../../../plugins/default/index.ts";
import { generatePlugin } from "../../../plugins/generate/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { secretPlugin } from "../../../plugins/secret/index.ts";
import { storageNamesPlugin } from "../../../plugins/storage-names/index.ts";

export const allPlugins: readonly DirectivePlugin[] = [
  identityPlugin(),
  secretPlugin(),
  storageNamesPlugin(),
  searchPlugin(),
  defaultPlugin(),
  generatePlugin(),
];

export function deploy(schema: string, plugins: readonly DirectivePlugin[] = allPlugins): BuiltDeployment {
  return runAtOnce(buildDeployment(schema, plugins));
}

/** What refuses the schema, each as `line:column message` (several places joined by a blank); empty when it deploys. */
export function errorsOf(schema: string, plugins: readonly DirectivePlugin[] = allPlugins): readonly string[] {
  try {
    deploy(schema, plugins);
    return [];
  } catch (error) {
    if (!(error instanceof QuernError) || error.code !== "SCHEMA_INVALID") throw error;
    return error.errors.map(({ message, locations = [] }) => [...locations.map(({ line, column }) => `${line}:${column}`), message].join(" "));
  }
}

export function typeOf({ model }: BuiltDeployment, name: string): NodeType {
  const type = model.nodeTypes.get(name);
  if (!type) throw new Error(`The model has no type ${name}.`);
  return type;
}

/** `Post.author(Post>Author) | Author.posts[](Author>Post)`: sides divided by a bar, ends of one side by a comma. */
export function edgesOf({ layout }: BuiltDeployment): readonly string[] {
  return layout.edges.map(edgeText);
}

function edgeText({ sides }: EdgeLayout): string {
  return sides
    .map(({ ends }) =>
      ends.map(({ name, many, types, partners }) => `${name}${many ? "[]" : ""}(${types.join("+")}>${partners.join("+")})`).join(", "),
    )
    .join(" | ");
}
