// The earlier names that a use of `@was` gives, and whether its rename was deployed already.

import { type ConstDirectiveNode, type DirectiveNode, Kind, type ValueNode } from "graphql";

/** In the order written, the latest first. One name need not stand in brackets. */
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
 * Whether the deployed schema says the same of the same thing. Then the rename is done, and its names may mean other things by now: two
 * fields that swapped names do not swap again.
 */
export function isDone(node: DirectiveNode, deployed: Written | undefined): boolean {
  const before = deployed?.definition.directives?.filter((each) => each.name.value === node.name.value) ?? [];
  return before.some((each) => givenNames(each).join() === givenNames(node).join());
}

/** One use, of things that could take names from each other. */
export interface Claim<T> {
  readonly use: T;
  /** What it is called now. */
  readonly name: string;
  /** What it was called, the latest first. */
  readonly names: readonly string[];
  readonly done: boolean;
}

/** The uses that rename something now. One that was done before counts again when its own name goes to another thing. */
export function liveClaims<T>(claims: readonly Claim<T>[]): readonly Claim<T>[] {
  const live = new Set(claims.filter(({ done }) => !done));
  for (const { names } of live) for (const each of claims) if (names.includes(each.name)) live.add(each);
  return claims.filter((each) => live.has(each));
}
