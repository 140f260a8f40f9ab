// Reads the former names of a use of `@was`, and whether its rename has been deployed.

import { type ConstDirectiveNode, type DirectiveNode, Kind, type ValueNode } from "graphql";

/** In written order, the latest name first. A single name needs no brackets. */
export function givenNames(node: DirectiveNode): readonly string[] {
  const value = node.arguments?.find((argument) => argument.name.value === "name")?.value;
  return value === undefined ? [] : textsOf(value);
}

function textsOf(value: ValueNode): readonly string[] {
  if (value.kind === Kind.LIST) return value.values.flatMap(textsOf);
  return value.kind === Kind.STRING || value.kind === Kind.ENUM ? [value.value] : [];
}

interface Written {
  readonly definition: { readonly directives?: readonly ConstDirectiveNode[] | undefined };
}

/**
 * Whether the deployed schema has the same use on the same type or field. Then the rename is done and must not be repeated, because its names may
 * belong to other things now: two fields that swapped their names must not swap back.
 */
export function isDone(node: DirectiveNode, deployed: Written | undefined): boolean {
  const before = deployed?.definition.directives?.filter((each) => each.name.value === node.name.value) ?? [];
  return before.some((each) => givenNames(each).join() === givenNames(node).join());
}

/** One use of `@was`, as a claim to former names. */
export interface Claim<T> {
  readonly use: T;
  /** The current name. */
  readonly name: string;
  /** The former names, the latest first. */
  readonly names: readonly string[];
  readonly done: boolean;
}

/** The claims that rename something in this deploy. A rename that is done counts again when another claim takes its current name. */
export function liveClaims<T>(claims: readonly Claim<T>[]): readonly Claim<T>[] {
  const live = new Set(claims.filter(({ done }) => !done));
  for (const { names } of live) for (const each of claims) if (names.includes(each.name)) live.add(each);
  return claims.filter((each) => live.has(each));
}
