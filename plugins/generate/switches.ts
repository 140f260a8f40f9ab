// Validates the arguments of `@generate` and records them.

import { type ArgumentNode, Kind, print, type ValueNode } from "graphql";
import type { DirectiveUse, ModelContext, NodeType, Recorder } from "../../core/plugin.ts";

/** Operations by argument. Other keys have no effect. */
const operations: Readonly<Record<string, readonly string[]>> = {
  query: ["get", "query", "password", "aggregate"],
  mutation: ["add", "update", "delete"],
};

export function readSwitches(use: DirectiveUse, context: ModelContext): void {
  for (const argument of use.node.arguments ?? []) {
    if (argument.name.value === "subscription") readSubscription(argument, use, context);
    else if (argument.value.kind === Kind.OBJECT) readGroup(argument, use, context);
    else
      context.report(
        `Type ${use.definition.name.value}; ${argument.name.value} argument for @generate directive should be of type Object.`,
        argument,
      );
  }
}

function readGroup({ name, value }: ArgumentNode, use: DirectiveUse, { report, record }: ModelContext): void {
  for (const field of value.kind === Kind.OBJECT ? value.fields : []) {
    const operation = field.name.value;
    if (!operations[name.value]?.includes(operation)) continue;
    const on = booleanOf(field.value);
    if (on === undefined) {
      // Dgraph's text lacks the closing backtick, too.
      const start = `Type ${use.definition.name.value}; ${operation} field inside ${name.value} argument of @generate directive`;
      report(`${start} can only be true/false, found: \`${rawText(field.value)}`, field.value);
    } else if (use.type) recordSwitch({ type: use.type, operation, on }, record);
  }
}

/** The kernel generates the type's fields of `Subscription` when the operation `subscription` is enabled. */
function readSubscription({ value }: ArgumentNode, { node, type, definition }: DirectiveUse, { report, record }: ModelContext): void {
  const on = booleanOf(value);
  if (on === undefined) {
    const start = `Type ${definition.name.value}; subscription argument in @generate directive`;
    report(`${start} can only be true/false, found: \`${rawText(value)}\`.`, node);
  } else if (type) recordSwitch({ type, operation: "subscription", on }, record);
}

interface Switch {
  readonly type: NodeType;
  readonly operation: string;
  readonly on: boolean;
}

function recordSwitch({ type, operation, on }: Switch, record: Recorder): void {
  if (on) record.enableOperation(type, operation);
  else record.disableOperation(type, operation);
}

function booleanOf(value: ValueNode): boolean | undefined {
  return value.kind === Kind.BOOLEAN ? value.value : undefined;
}

function rawText(value: ValueNode): string {
  return value.kind === Kind.STRING ? value.value : print(value);
}
