// Warns of types whose objects not everybody may read, and everybody who may read them may change.

import type { DirectiveUse, ModelContext, NodeType, SchemaWarning } from "../../core/plugin.ts";

const writes = ["update", "delete"] as const;

/** @param reached which objects a write without a rule reaches */
export function unguardedWrites(uses: readonly DirectiveUse[], { model }: ModelContext, reached: "seen" | "all"): readonly SchemaWarning[] {
  return [...model.nodeTypes.values()].flatMap((type) => {
    const own = rulesOf(type, uses);
    const reading = own.find(({ operation }) => operation === "query");
    const open = writes.filter((write) => type.allows(write) && !own.some(({ operation }) => operation === write));
    return type.kind === "object" && reading && open.length > 0 ? [warning(type, { open, reached, use: reading.use })] : [];
  });
}

interface Rule {
  readonly operation: string;
  readonly use: DirectiveUse;
}

/** Those of its interfaces are its own. */
function rulesOf(type: NodeType, uses: readonly DirectiveUse[]): readonly Rule[] {
  return uses
    .filter((use) => !use.field && (use.type === type || type.interfaces.some((each) => each === use.type)))
    .flatMap((use) => (use.node.arguments ?? []).map(({ name }) => ({ operation: name.value, use })));
}

interface Gap {
  readonly open: readonly string[];
  readonly reached: "seen" | "all";
  readonly use: DirectiveUse;
}

function warning({ name }: NodeType, { open, reached, use }: Gap): SchemaWarning {
  const missing = open.map((write) => `"${write}"`).join(" and none for ");
  const what = open.join(" and ");
  const objects = reached === "seen" ? "the objects that they may read" : "all objects, also those that they may not read";
  return {
    message: `Type ${name}: @auth has a rule for "query" and none for ${missing}: everybody may ${what} ${objects}. Write such a rule, for example {rule: "{$ROLE: {eq: \\"ADMIN\\"}}"}.`,
    at: use.node,
  };
}
