// Asks the caller's permissions about the fields, links and types that a mutation writes.

import type { LinkField, NodeType } from "../../contracts/model.ts";
import { QuernError } from "../../ground/errors.ts";
import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";
import { type Mutation, refuse } from "../context/mutation.ts";
import type { InputNode } from "../input/input-tree.ts";
import type { Contents } from "../input/input-values.ts";
import { namesOfPatch, newFields, type Patch } from "../input/patch-fields.ts";
import type { RequestedLink, Resolution } from "../keys/resolve.ts";

export interface WrittenInput {
  readonly resolved: Resolution;
  readonly contents: Contents;
  /** The patches of an update. */
  readonly set?: InputNode | undefined;
  readonly remove?: InputNode | undefined;
}

/** Refuses an add or an update that writes what the caller may not write. */
export function checkInputPermissions(mutation: Mutation, { resolved, contents, set, remove }: WrittenInput): void {
  if (!mutation.context.permissions) return;
  const types = new Set<TypeName>();
  const names = new Set<FieldName | EndName>();
  for (const input of resolved.created) {
    types.add(input.type.stored);
    for (const name of Object.keys(newFields(input.type, contents(input)))) names.add(name);
  }
  const patches: readonly Patch[] = [
    ...resolved.updated.map(({ input }) => ({ type: input.type, set: contents(input), remove: undefined })),
    { type: mutation.type, set: set && contents(set), remove: remove && contents(remove) },
  ];
  for (const patch of patches) for (const name of namesOfPatch(patch)) names.add(name);
  for (const link of [...resolved.links, ...resolved.unlinks])
    addLink(names, mutation, { ...link, owner: link.owner.type, target: targetType(link) });
  for (const { field, cleared } of remove?.links ?? []) if (cleared) addLink(names, mutation, { field, owner: mutation.type, target: undefined });
  checkNames(mutation, types, names);
}

/** Refuses to write fields that the caller may not write. */
export function checkFieldPermissions(mutation: Mutation, names: ReadonlySet<FieldName>): void {
  if (mutation.context.permissions) checkNames(mutation, new Set(), names);
}

/** Refuses to change the links of a field unless the caller may write them from both sides. */
export function checkLinkPermissions(mutation: Mutation, field: LinkField): void {
  if (!mutation.context.permissions) return;
  const names = new Set<FieldName | EndName>();
  addLink(names, mutation, { field, owner: field.owner, target: undefined });
  checkNames(mutation, new Set(), names);
}

/** Refuses a delete unless the caller may write everything that nodes of `types` hold, and the links that lead to them. */
export function checkDeletePermissions(mutation: Mutation, types: readonly NodeType[]): void {
  if (!mutation.context.permissions) return;
  const names = new Set<FieldName | EndName>();
  for (const owner of types) {
    for (const field of owner.fields.values()) {
      if (field.role === "value") names.add(field.stored);
      if (field.role === "link") addLink(names, mutation, { field, owner, target: undefined });
    }
  }
  checkNames(mutation, new Set(types.flatMap((type) => (type.kind === "object" ? [type.stored] : []))), names);
}

export function checkNames(mutation: Mutation, types: ReadonlySet<TypeName>, names: ReadonlySet<FieldName | EndName>): void {
  if (types.size === 0 && names.size === 0) return;
  try {
    mutation.context.permissions?.checkWrites({ types: [...types], names: [...names] });
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("execute", mutation, [thrown]);
    throw thrown;
  }
}

export interface WrittenLink {
  readonly field: LinkField;
  readonly owner: NodeType;
  /** Undefined: every type that the field leads to. */
  readonly target: NodeType | undefined;
}

/** Adds the named ends of the link. A field that shows links from the other side counts as the field that holds them. */
export function addLink(names: Set<FieldName | EndName>, { facts: { edges } }: Mutation, { field, owner, target }: WrittenLink): void {
  if (!field.stored.startsWith("~")) names.add(field.stored);
  const leadsTo = target ?? field.target;
  for (const end of edges.opposite(field.stored)) {
    if (!end.name.startsWith("~") && isOneOf(end.types, leadsTo.members) && isOneOf(end.partners, owner.members)) names.add(end.name);
  }
}

function isOneOf(names: readonly TypeName[], types: readonly NodeType[]): boolean {
  return types.some((type) => type.members.some((member) => names.includes(member.stored)));
}

function targetType({ target }: RequestedLink): NodeType {
  return target.kind === "existing" ? target.node.type : target.input.type;
}
