// DQL over plain arrays: obvious and slow.

import { compareText } from "../../../core/index.ts";
import { type Condition, type Cut, isPresent, type Shape, type Town } from "./random-world.ts";

export interface Question {
  readonly root: Condition | undefined;
  readonly filter: Condition | undefined;
  readonly cut: Cut;
  readonly shape: Shape;
}

export function textOf({ filter, cut, shape }: Question): string {
  return `{ q(func: type(Town)${cutText(cut, ", ")}) ${filter ? `@filter(${filter.text})` : ""} ${levelText(shape)} }`;
}

function levelText(shape: Shape): string {
  return `${shape.cascade ? "@cascade" : ""} { ${[
    ...shape.scalars.map((name) => `Town.${name}`),
    ...(shape.counts ? ["count(Town.roads)"] : []),
    ...shape.edges.map(({ name, filter, cut, shape: inner }) => {
      const page = cutText(cut, "");
      return `Town.${name} ${filter ? `@filter(${filter.text})` : ""} ${page ? `(${page})` : ""} ${levelText(inner)}`;
    }),
  ].join(" ")} }`;
}

function cutText({ order, first, offset }: Cut, before: string): string {
  const parts = [
    ...(order ? [`order${order.descending ? "desc" : "asc"}: Town.${order.field}`] : []),
    ...(first === undefined ? [] : [`first: ${first}`]),
    ...(offset === undefined ? [] : [`offset: ${offset}`]),
  ];
  return parts.length === 0 ? "" : before + parts.join(", ");
}

export function evaluate({ filter, cut, shape }: Question, towns: readonly Town[]): readonly unknown[] {
  const rows = towns.filter((town) => filter?.holds(town, towns) ?? true);
  return shown(rows, { cut, shape, cascade: shape.cascade, towns });
}

interface Level {
  readonly cut: Cut;
  readonly shape: Shape;
  readonly cascade: boolean;
  readonly towns: readonly Town[];
}

/** Sorted, then without what a cascade drops, then cut. */
function kept(rows: readonly Town[], { cut, shape, cascade, towns }: Level): readonly Town[] {
  const sorted = [...rows].sort((a, b) => compare(a, b, cut.order) || a.uid - b.uid);
  return page(
    sorted.filter((town) => !cascade || isWhole(town, shape, towns)),
    cut,
  );
}

function isWhole(town: Town, shape: Shape, towns: readonly Town[]): boolean {
  return (
    shape.scalars.every((name) => isPresent(town[name])) && shape.edges.every((edge) => targets(town, edge, { cascade: true, towns }).length > 0)
  );
}

function targets(
  town: Town,
  { name, filter, cut, shape }: Shape["edges"][number],
  { cascade, towns }: Pick<Level, "cascade" | "towns">,
): readonly Town[] {
  const places = name === "roads" ? town.roads : town.capital === undefined ? [] : [town.capital];
  const rows = places.flatMap((place) => towns[place] ?? []).filter((each) => filter?.holds(each, towns) ?? true);
  return kept(rows, { cut, shape, cascade: cascade || shape.cascade, towns });
}

function compare(a: Town, b: Town, order: Cut["order"]): number {
  if (!order) return 0;
  const [x, y] = [a[order.field], b[order.field]];
  if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
  const ascending = typeof x === "string" && typeof y === "string" ? compareText(x, y) : Number(x) - Number(y);
  return order.descending ? -ascending : ascending;
}

function page(rows: readonly Town[], { first = 0, offset = 0 }: Cut): readonly Town[] {
  if (first < 0) return rows.slice(first);
  return rows.slice(offset, first === 0 ? undefined : offset + first);
}

function shown(rows: readonly Town[], level: Level): readonly unknown[] {
  return kept(rows, level)
    .map((town) => object(town, level))
    .filter((each) => Object.keys(each).length > 0);
}

function object(town: Town, { shape, cascade, towns }: Level): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of shape.scalars) if (isPresent(town[name])) found[`Town.${name}`] = town[name];
  if (shape.counts) found["count(Town.roads)"] = town.roads.length;
  for (const edge of shape.edges) {
    const list = targets(town, edge, { cascade, towns })
      .map((each) => object(each, { ...edge, cascade: cascade || edge.shape.cascade, towns }))
      .filter((each) => Object.keys(each).length > 0);
    if (list.length > 0) found[`Town.${edge.name}`] = edge.name === "capital" ? list[0] : list;
  }
  return found;
}
