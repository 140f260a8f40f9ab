// Types under new names.

import type { DirectiveUse, ModelContext, NodeType } from "../../core/index.ts";
import { givenNames, isDone } from "./former-name.ts";

/** What the deployed schema calls the types of the new one, where that differs. */
export type FormerTypes = ReadonlyMap<NodeType, string>;

export function renameTypes(context: ModelContext): FormerTypes {
  const uses = context.uses("was").filter((use) => use.field === undefined);
  const renamed = new Set(uses.map((use) => use.definition.name.value));
  const takers = new Map<string, string>();
  const found = new Map<NodeType, string>();
  for (const use of uses) {
    const names = givenNames(use.node);
    for (const name of names) {
      const problem = problemOf(name, { use, renamed, takers, context });
      if (problem !== undefined) context.report(`Type ${use.definition.name.value}; @was names ${name}, ${problem.message}`, use.node, problem.hint);
      takers.set(name, use.definition.name.value);
    }
    const former = use.type && formerType(use, use.type, context);
    if (!use.type || former === undefined) continue;
    found.set(use.type, former);
    context.record.renamedType(use.type, former);
    if (use.type.stored !== context.former?.storedType(former)) reportGivenName(use, former, context);
  }
  return found;
}

interface Place {
  readonly use: DirectiveUse;
  /** Types with an earlier name of their own. */
  readonly renamed: ReadonlySet<string>;
  /** Which type took an earlier name. */
  readonly takers: ReadonlyMap<string, string>;
  readonly context: ModelContext;
}

function problemOf(name: string, { use, renamed, takers, context }: Place): { readonly message: string; readonly hint?: string } | undefined {
  const own = use.definition.name.value;
  if (name === own) return { message: "which is its name now.", hint: "Give the name that it had before." };
  const taker = takers.get(name);
  if (taker !== undefined) return { message: taker === own ? "twice." : `which is what ${taker} was.` };
  if (!context.model.nodeTypes.has(name) || renamed.has(name)) return undefined;
  return {
    message: "which is still a type of this schema.",
    hint: `If ${own} has been deployed as the new name of ${name}, take @was out: its name is kept. If not, deploy without the type ${name} first.`,
  };
}

/** The first of the names that storage knows; none when the rename is done. */
function formerType({ node }: DirectiveUse, type: NodeType, { former }: ModelContext): string | undefined {
  if (former === undefined || isDone(node, former.model.nodeTypes.get(type.name))) return undefined;
  return givenNames(node).find((name) => former.storedType(name) !== undefined);
}

function reportGivenName({ node, definition, type }: DirectiveUse, former: string, context: ModelContext): void {
  context.report(
    `Type ${definition.name.value}; @was says that its nodes are those of ${former}, stored as ${context.former?.storedType(former)}, and another directive that they are stored as ${type?.stored}.`,
    node,
    "Take one of the two directives out.",
  );
}
