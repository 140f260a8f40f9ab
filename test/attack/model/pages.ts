// Random walks over the pages of a connection, and where each page begins and ends in the ordered list of the naive store.

import { meaningOf, randomFilter, type Scene } from "./filters.ts";
import { compareNodes, type OrderKey, orderText, randomOrder } from "./questions.ts";
import type { Random } from "./random.ts";
import type { NodeType } from "./schema.ts";
import { type InputObject, literal } from "./values.ts";
import type { Node } from "./world.ts";

/** One page after the other, forwards with `first` and `after`, or backwards with `last` and `before`. */
export interface Walk {
  readonly type: NodeType;
  readonly filter: InputObject | undefined;
  readonly order: readonly OrderKey[];
  readonly size: number;
  readonly backwards: boolean;
}

export function randomWalk(random: Random, scene: Scene, type: NodeType): Walk {
  return {
    type,
    filter: random.chance(50) ? randomFilter(random, scene, type) : undefined,
    order: random.chance(70) ? randomOrder(random, scene, type) : [],
    size: 1 + random.below(4),
    backwards: random.chance(40),
  };
}

/** All that the pages show together, in the order of the list. */
export function walked(scene: Scene, { type, filter, order }: Walk, nodes: readonly Node[]): readonly Node[] {
  const meaning = meaningOf(scene, type, filter);
  return nodes.filter((node) => meaning?.(node) ?? true).sort((a, b) => compareNodes(scene, a, b, order));
}

/** @param cursor where the page before ended */
export function pageText({ type, filter, order, size, backwards }: Walk, cursor: string | undefined): string {
  const [count, place] = backwards ? ["last", "before"] : ["first", "after"];
  const args = [
    ...(filter ? [`filter: ${literal(filter)}`] : []),
    ...(order.length > 0 ? [`order: ${orderText(order)}`] : []),
    `${count}: ${size}`,
    ...(cursor === undefined ? [] : [`${place}: ${JSON.stringify(cursor)}`]),
  ];
  return `{ page: query${type.name}Connection(${args.join(", ")}) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
}

/** What the page shows that follows `done` shown nodes. */
export function expectedPage({ size, backwards }: Walk, all: readonly Node[], done: number) {
  const from = backwards ? Math.max(0, all.length - done - size) : done;
  const to = backwards ? all.length - done : Math.min(all.length, done + size);
  return {
    totalCount: all.length,
    nodes: all.slice(from, to).map(({ number }) => ({ id: `#${number}` })),
    hasNextPage: to < all.length,
    hasPreviousPage: from > 0,
  };
}
