// `pred: "~x"`: a field that shows, from the other side, the links of the field named `x`.

import type { DirectiveUse, Field, LinkField, Model, ModelContext, NodeType } from "../../core/plugin.ts";
import { givenName, namingDirective } from "./name-argument.ts";

export interface Reverse {
  readonly use: DirectiveUse;
  readonly field: Field;
  /** With `~`, without brackets. */
  readonly name: string;
  /** The name as written. */
  readonly written: string;
}

/** An interface's field is validated in the implementing types, which are the targets that the other field can have. */
export function readReverse(reverse: Reverse, context: ModelContext): void {
  const { use, field } = reverse;
  const target = field.role === "link" && field.target.kind !== "union" ? field.target : undefined;
  const forward = target && forwardFields(target, reverse.name).at(0);
  const judged = field.owner.kind === "interface" || isSound(reverse, target, forward, context);
  if (judged && forward && field.role === "link" && !use.inherited) context.record.reverse(field, forward);
}

function isSound(
  { use, field, written }: Reverse,
  target: NodeType | undefined,
  forward: LinkField | undefined,
  { report, model }: ModelContext,
): boolean {
  const { node } = use;
  const spelling = `@${node.name.value}`;
  const start = `Type ${field.owner.name}; Field ${field.name}`;
  const refuse = (message: string, at: Parameters<typeof report>[1] = node) => {
    report(message, at);
    return false;
  };
  if (field.role === "link" && hasInverse(field) && !(forward && isInferredLater(field, forward, model))) {
    return refuse(`${start}: @hasInverse directive is not allowed when pred argument in ${spelling} directive starts with a ~.`);
  }
  if (!target) {
    const type = field.type.name;
    return refuse(
      `${start} is of type ${type}, but reverse predicate in ${spelling} directive only applies to fields with object types.`,
      field.definition,
    );
  }
  if (!field.type.list) return refuse(`${start}: with a ${node.name.value} directive that starts with ~ should be of type list.`);
  if (!forward) return refuse(`${start}: pred argument: ${written} is not supported as forward edge doesn't exist for type ${target.name}.`);
  const at = namingDirective(forward);
  const forwardStart = `Type ${target.name}; Field ${forward.name}:`;
  const fitting = [field.owner, ...field.owner.interfaces].map((type) => type.name);
  if (!fitting.includes(forward.type.name)) {
    const expected = expectation(fitting);
    return refuse(
      `${forwardStart} should be ${expected} to be compatible with ${spelling} reverse directive but is of type ${forward.type.name}.`,
      at,
    );
  }
  if (!hasInverse(forward)) return true;
  return refuse(`${forwardStart} @hasInverse directive is not allowed because field is forward edge of another field with reverse directive.`, at);
}

function expectation(types: readonly string[]): string {
  return types.length === 1 ? `of type ${types[0]}` : `any of types ${types.slice(0, -1).join(", ")} or ${types.at(-1)}`;
}

/** The fields of `target` whose explicit storage name is the name without `~`. Default names do not count. */
function forwardFields(target: NodeType, name: string): readonly LinkField[] {
  return [...target.fields.values()].filter((field) => field.role === "link").filter((field) => givenName(field) === name.slice(1));
}

/** Fields are judged in schema order: an inverse that is inferred from a later field is the fault of that field, which has the directive. */
function isInferredLater(field: LinkField, forward: LinkField, model: Model): boolean {
  const isWritten = field.definition.directives?.some(({ name, loc }) => name.value === "hasInverse" && loc !== undefined) ?? false;
  if (isWritten || field.inverse?.owner !== forward.owner || field.inverse.name !== forward.name) return false;
  const inOrder = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]);
  return inOrder.indexOf(field) < inOrder.indexOf(forward);
}

/** An inferred inverse counts too. */
function hasInverse(field: LinkField): boolean {
  return field.inverse !== undefined || (field.definition.directives?.some((directive) => directive.name.value === "hasInverse") ?? false);
}
