// The inputs of nested writes, and what their values ask for.

import { type ApiAdditions, isObject, type LinkedUpdate, type LinkField, type LinkSteps, type NodeType, QuernError } from "../../core/plugin.ts";

type Target = LinkField["target"];

/** `UpdateAuthorInput.links: AuthorNestedPatch` */
export function nestedMembers(links: readonly LinkField[]): Pick<ApiAdditions, "definitions" | "updates"> {
  const owners = [...new Set(links.map(({ owner }) => owner))].filter((type) => type.allows("update"));
  const linksOf = (type: NodeType) => links.filter(({ owner }) => owner === type);
  const shown = owners.flatMap(linksOf);
  const patches = (target: Target) => (target.kind !== "union" && owners.includes(target) ? nestedPatches(target) : plainPatches(target));
  const many = [...new Set(shown.filter(({ type }) => type.list).map(({ target }) => target))];
  const one = [...new Set(shown.filter(({ type }) => !type.list).map(({ target }) => target))];
  return {
    definitions: [
      ...owners.map((owner) => patchInput(owner, linksOf(owner))),
      ...many.flatMap((target) => manyInputs(target, patches(target))),
      ...one.flatMap((target) => oneInputs(target, patches(target))),
    ].join("\n"),
    updates: owners.map((type) => ({
      type,
      signature: `"Changes what the objects link to." links: ${type.name}NestedPatch`,
      steps: (operand) => linksOf(type).flatMap((field) => stepsOf(field, memberOf(operand, field.name)) ?? []),
    })),
  };
}

function patchInput(owner: NodeType, links: readonly LinkField[]): string {
  const members = links.map(
    ({ name, type, target }) =>
      `"Through ${name}: links to remove and to add, and linked objects to change." ${name}: ${target.name}${type.list ? "ManyNested" : "OneNested"}`,
  );
  return `"Changes of linked objects, by link." input ${owner.name}NestedPatch { ${members.join(" ")} }`;
}

/** Members of types that the API does not have are left out by the kernel. */
function manyInputs(target: Target, patches: string): readonly string[] {
  const { name } = target;
  const updates = target.kind !== "union" && target.allows("update");
  const members = [
    `"Unlinks those that satisfy it; {} unlinks all." remove: ${name}Filter`,
    ...(mayDelete(target) ? [`"Deletes the linked objects that satisfy it." delete: ${name}Filter`] : []),
    ...(updates ? [`"Changes linked objects." update: [${name}NestedUpdate!]`] : []),
    `"Links objects, new ones or those that an ID or key names." add: [${name}Ref!]`,
    `"Links these objects and no others. It stands alone." replace: [${name}Ref!]`,
  ];
  const update = `"A change of linked objects." input ${name}NestedUpdate { "Which of the linked objects." filter: ${name}Filter! ${patches} }`;
  return [
    `"Changes of the links and of the linked objects: remove, delete, update, then add." input ${name}ManyNested { ${members.join(" ")} }`,
    ...(updates ? [update] : []),
  ];
}

function oneInputs(target: Target, patches: string): readonly string[] {
  const { name } = target;
  const updates = target.kind !== "union" && target.allows("update");
  const members = [
    '"True: unlinks the object." remove: Boolean',
    ...(mayDelete(target) ? ['"True: deletes the linked object." delete: Boolean'] : []),
    ...(updates ? [`"Changes the linked object." update: ${name}NestedSet`] : []),
    `"Links this object instead. It stands alone." replace: ${name}Ref`,
  ];
  const set = `"A change of the linked object." input ${name}NestedSet { ${patches} }`;
  return [`"A change of the link and of the linked object." input ${name}OneNested { ${members.join(" ")} }`, ...(updates ? [set] : [])];
}

function plainPatches({ name }: Target): string {
  return `"Values to set." set: ${name}Patch "Values to remove." remove: ${name}Patch`;
}

function nestedPatches(target: Target): string {
  return `${plainPatches(target)} "Changes what it links to." links: ${target.name}NestedPatch`;
}

/** The objects of a union are deleted as those of its types. */
function mayDelete(target: Target): boolean {
  return target.kind === "union" ? target.members.every((member) => member.allows("delete")) : target.allows("delete");
}

type Operand = Readonly<Record<string, unknown>>;

/** Null and absent members ask for nothing. */
function stepsOf(field: LinkField, operand: unknown): LinkSteps | undefined {
  if (!isObject(operand)) return undefined;
  const replace = memberOf(operand, "replace") ?? undefined;
  const others = ["remove", "delete", "update", "add"].filter((name) => isGiven(memberOf(operand, name)));
  const [other] = others;
  if (replace !== undefined && other !== undefined) throw notAlone(field, other);
  return field.type.list ? manySteps(field, operand, replace) : oneSteps(field, operand, replace);
}

function manySteps(field: LinkField, operand: Operand, replace: unknown): LinkSteps {
  const filterOf = (name: string) => memberOf(operand, name) ?? undefined;
  return {
    field,
    remove: filterOf("remove"),
    delete: filterOf("delete"),
    update: listOf(memberOf(operand, "update")).flatMap((each): readonly LinkedUpdate[] =>
      isObject(each) ? [{ filter: memberOf(each, "filter"), input: each }] : [],
    ),
    add: listOf(memberOf(operand, "add")),
    ...(replace !== undefined && { replace: listOf(replace) }),
  };
}

/** The one linked object is meant, without a filter. */
function oneSteps(field: LinkField, operand: Operand, replace: unknown): LinkSteps {
  const update = memberOf(operand, "update");
  return {
    field,
    ...(memberOf(operand, "remove") === true && { remove: {} }),
    ...(memberOf(operand, "delete") === true && { delete: {} }),
    ...(isObject(update) && { update: [{ filter: {}, input: update }] }),
    ...(replace !== undefined && { replace: [replace] }),
  };
}

function notAlone({ owner, name }: LinkField, other: string): QuernError {
  return new QuernError("VALUE_INVALID", `links.${name} of ${owner.name} has replace and ${other}, and replace stands alone`, {
    hint: "Write replace, or the members remove, delete, update and add.",
  });
}

/** Only what the client gave: a field may be called `constructor`. */
function memberOf(operand: unknown, name: string): unknown {
  return isObject(operand) && Object.hasOwn(operand, name) ? operand[name] : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
