// What writing knows of a schema text, without data: for specs of the pure steps.

import type { NodeType } from "../../core/contracts/model.ts";
import { runAtOnce } from "../../core/ground/work.ts";
import { type WriteFacts, writeFacts } from "../../core/mutation/context/write-facts.ts";
import { type InputNode, InputReader, type InputTree, type RawObject } from "../../core/mutation/input/input-tree.ts";
import { buildDeployment } from "../../core/schema/deployment/build-deployment.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";

export interface Schema {
  readonly facts: WriteFacts;
  type(name: string): NodeType;
}

export function schemaOf(text: string): Schema {
  const { model, layout, hooks, facts: found } = runAtOnce(buildDeployment(text, [identityPlugin()]));
  const unionInputs = new Map(
    [...model.unions.values()].map((union) => [`${union.name}Ref`, new Map(union.members.map((member) => [`${lower(member.name)}Ref`, member]))]),
  );
  const facts = writeFacts.of({ model, layout, hooks, facts: found, api: { filters: new Map(), unionInputs } });
  return {
    facts,
    type(name) {
      const type = model.nodeTypes.get(name);
      if (!type) throw new TypeError(`no type ${name}`);
      return type;
    },
  };
}

/** The input of `add<type>`, read. */
export function readAdd(schema: Schema, type: string, objects: readonly RawObject[]): InputTree {
  const reader = new InputReader(schema.facts);
  for (const object of objects) reader.root(schema.type(type), object, "add");
  return reader.tree();
}

/** The object at `path` below a root: `["0", "studio"]`, `["0", "cast", "1"]`. */
export function nodeAt(tree: InputTree, path: readonly (string | number)[]): InputNode {
  const [root, ...rest] = path;
  let node = tree.roots[Number(root)];
  for (let i = 0; i < rest.length; ) {
    const link = node?.links.find((each) => each.field.name === rest[i]);
    const numbered = typeof rest[i + 1] === "number";
    node = link?.targets[numbered ? Number(rest[i + 1]) : 0];
    i += numbered ? 2 : 1;
  }
  if (!node) throw new TypeError(`nothing at ${path.join(".")}`);
  return node;
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
