// Renamed types.

import type { DirectiveUse, ModelContext, NodeType } from "../../core/plugin.ts";
import { givenNames, isDone, liveClaims } from "./former-name.ts";

/** By type of the new schema: its name in the deployed schema, when that differs. */
export type FormerTypes = ReadonlyMap<NodeType, string>;

type TypeUse = Pick<DirectiveUse, "node"> & { readonly type: NodeType };

export function renameTypes(context: ModelContext): FormerTypes {
  const uses = context.uses("was").filter((use) => use.field === undefined);
  report(uses, context);
  const claims = uses.flatMap(({ type, node }) => {
    const done = type !== undefined && isDone(node, context.former?.model.nodeTypes.get(type.name));
    return type === undefined ? [] : [{ use: { type, node }, name: type.name, names: givenNames(node), done }];
  });
  const found = new Map<NodeType, string>();
  for (const { use, names } of liveClaims(claims)) {
    const former = names.find((name) => context.former?.storedType(name) !== undefined);
    if (former === undefined) continue;
    found.set(use.type, former);
    context.record.renamedType(use.type, former);
    if (use.type.stored !== context.former?.storedType(former)) reportGivenName(use, former, context);
  }
  return found;
}

function report(uses: readonly DirectiveUse[], context: ModelContext): void {
  const renamed = new Set(uses.map((use) => use.definition.name.value));
  const takers = new Map<string, string>();
  for (const use of uses) {
    for (const name of givenNames(use.node)) {
      const problem = problemOf(name, { use, renamed, takers, context });
      if (problem !== undefined) context.report(`Type ${use.definition.name.value}; @was names ${name}, ${problem.message}`, use.node, problem.hint);
      takers.set(name, use.definition.name.value);
    }
  }
}

interface Place {
  readonly use: DirectiveUse;
  /** Types with an `@was` of their own. */
  readonly renamed: ReadonlySet<string>;
  /** By former name: the type that claims it. */
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

function reportGivenName({ node, type }: TypeUse, former: string, context: ModelContext): void {
  context.report(
    `Type ${type.name}; @was says that its nodes are those of ${former}, stored as ${context.former?.storedType(former)}, and another directive that they are stored as ${type.stored}.`,
    node,
    "Take one of the two directives out.",
  );
}
