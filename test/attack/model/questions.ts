// Random questions: selections of any depth with filters, orders, pages, aggregates and `@cascade`; and their answers by a walk over the
// naive store.

import { lower, meaningOf, randomFilter, randomUnionFilter, type Scene, searchedLinks, unionMeaning } from "./filters.ts";
import type { Random } from "./random.ts";
import { type LinkField, linkFields, membersOf, type NodeType, shownValues, typeNamed, type ValueField, valueFields } from "./schema.ts";
import { compareValues, type InputObject, listOf, literal, pointOf, type Value } from "./values.ts";
import type { Node } from "./world.ts";

export interface Ask {
  /** A type, the interface, or the union. */
  readonly target: string;
  readonly filter?: InputObject;
  readonly order?: readonly OrderKey[];
  readonly first?: number;
  readonly offset?: number;
  readonly cascade?: "every" | readonly string[];
  readonly items: readonly Item[];
}

/** A value of the object, or of the one at the end of `path`; a link to many instead of a field: the number of its partners. */
export interface OrderKey {
  readonly path: readonly LinkField[];
  readonly field: ValueField | LinkField;
  readonly direction: "asc" | "desc";
}

/** `on`: inside a fragment on that object type. */
type Item = { readonly key: string; readonly on?: string } & (
  | { readonly kind: "id" | "typename" }
  | { readonly kind: "value"; readonly field: ValueField }
  | { readonly kind: "link"; readonly field: LinkField; readonly ask: Ask }
  | { readonly kind: "aggregate"; readonly field: LinkField; readonly filter: InputObject | undefined; readonly measures: readonly Measure[] }
);

export interface Measure {
  readonly key: string;
  readonly what: "count" | "Min" | "Max" | "Sum" | "Avg";
  readonly field?: ValueField;
}

// ---- making them ------------------------------------------------------------------------------------------------------

const orderable = (field: ValueField) => !field.list && !["Boolean", "Mood", "Point"].includes(field.scalar);
const summable = (field: ValueField) => orderable(field) && ["Int", "Int64", "Float"].includes(field.scalar);

export function randomAsk(random: Random, scene: Scene, target: string, options: { readonly depth: number; readonly single?: boolean }): Ask {
  const { depth, single = false } = options;
  const isUnion = target === "U";
  const own = isUnion ? undefined : typeNamed(scene.schema, target);
  const order = own ? randomOrder(random, scene, own) : [];
  const items = randomItems(random, scene, target, depth);
  const selected = items.flatMap((item) => (item.on === undefined && (item.kind === "value" || item.kind === "link") ? [item.field.name] : []));
  return {
    target,
    items,
    ...(random.chance(45) && { filter: own ? randomFilter(random, scene, own) : randomUnionFilter(random, scene) }),
    ...(!single && order.length > 0 && random.chance(60) && { order }),
    ...(!single && random.chance(30) && { first: random.below(5) - (order.length === 0 && random.chance(30) ? 4 : 0) }),
    ...(!single && random.chance(25) && { offset: random.below(4) - (random.chance(10) ? 2 : 0) }),
    ...(random.chance(20) && { cascade: !isUnion && selected.length > 0 && random.chance(50) ? random.some(selected, 60) : ("every" as const) }),
  };
}

export function randomOrder(random: Random, scene: Scene, type: NodeType): readonly OrderKey[] {
  const keys = random.some(random.shuffled(orderKeys(scene, type, 2)), 30).slice(0, 3);
  return keys.map((key) => ({ ...key, direction: random.pick(["asc", "desc"] as const) }));
}

function orderKeys(scene: Scene, type: NodeType, links: number): readonly Omit<OrderKey, "direction">[] {
  const own = valueFields(type).filter((field) => orderable(field) && !field.tagged);
  const followed = links === 0 ? [] : searchedLinks(type);
  return [
    ...own.map((field) => ({ path: [], field })),
    ...followed.flatMap((link) => {
      if (link.list) return [{ path: [], field: link }];
      if (link.target === "U") return [];
      return orderKeys(scene, typeNamed(scene.schema, link.target), links - 1).map(({ path, field }) => ({ path: [link, ...path], field }));
    }),
  ];
}

export function orderText(order: readonly OrderKey[]): string {
  return order.reduceRight((then, { path, field, direction }) => {
    const own = field.role === "link" ? `${field.name}: {${direction}: count}` : `${direction}: ${field.name}`;
    const members = path.reduceRight((inner, link) => `${link.name}: {${inner}}`, own);
    return `{${members}${then && `, then: ${then}`}}`;
  }, "");
}

function randomItems(random: Random, scene: Scene, target: string, depth: number): Item[] {
  const items: Item[] = [];
  const own = target === "U" ? undefined : typeNamed(scene.schema, target);
  if (own) items.push(...fieldItems(random, scene, own, depth));
  if (random.chance(own?.kind === "object" ? 15 : 60)) items.push({ kind: "typename", key: "__typename" });
  if (own?.kind !== "object")
    for (const type of membersOf(scene.schema, target)) {
      if (!random.chance(50)) continue;
      // What a fragment asks of a field that other types share is asked of all of them by `@cascade`.
      const inherited = typeNamed(scene.schema, "I").fields.map((field) => field.name);
      const inside = fieldItems(random, scene, type, depth).filter((item) => !("field" in item) || !inherited.includes(item.field.name));
      items.push(...inside.map((item) => ({ ...item, key: `${type.name}${item.key}`, on: type.name })));
    }
  return items.length > 0 ? items : [{ kind: "typename", key: "__typename" }];
}

function fieldItems(random: Random, scene: Scene, type: NodeType, depth: number): Item[] {
  const items: Item[] = random.chance(75) ? [{ kind: "id", key: "id" }] : [];
  for (const field of random.some(shownValues(type), 40))
    items.push({ kind: "value", field, key: random.chance(10) ? `x${field.name}` : field.name });
  if (depth === 0) return items;
  for (const field of random.some(linkFields(type), 45)) {
    const asks = random.chance(12) ? 2 : 1;
    for (let i = 0; i < asks; i++) {
      const ask = randomAsk(random, scene, field.target, { depth: depth - 1, single: !field.list });
      items.push({ kind: "link", field, ask, key: i === 0 ? field.name : `second${field.name}` });
    }
    if (field.list && field.target !== "U" && random.chance(25)) {
      const target = typeNamed(scene.schema, field.target);
      const filter = random.chance(40) ? randomFilter(random, scene, target, 1) : undefined;
      items.push({ kind: "aggregate", field, key: `${field.name}Aggregate`, filter, measures: randomMeasures(random, target) });
    }
  }
  return items;
}

export function randomMeasures(random: Random, type: NodeType): Measure[] {
  const possible: Measure[] = valueFields(type).flatMap((field) => [
    ...(orderable(field) ? (["Min", "Max"] as const) : []).map((what): Measure => ({ key: `${field.name}${what}`, what, field })),
    ...(summable(field) ? (["Sum", "Avg"] as const) : []).map((what): Measure => ({ key: `${field.name}${what}`, what, field })),
  ]);
  return [{ key: "count", what: "count" }, ...random.some(possible, 30)];
}

/** Everything that can be read of a type, one level deep. */
export function wholeAsk({ schema }: Scene, type: NodeType): Ask {
  return {
    target: type.name,
    items: [
      { kind: "id", key: "id" },
      ...shownValues(type).map((field): Item => ({ kind: "value", field, key: field.name })),
      ...linkFields(type).map((field): Item => {
        const fragments = membersOf(schema, field.target).map((member): Item => ({ kind: "id", key: `${member.name}id`, on: member.name }));
        return {
          kind: "link",
          field,
          key: field.name,
          ask: { target: field.target, items: field.target === "U" ? fragments : [{ kind: "id", key: "id" }] },
        };
      }),
    ],
  };
}

// ---- as GraphQL -------------------------------------------------------------------------------------------------------

/** Arguments, directive and selection, as they follow the name of a field. */
export function askText(ask: Ask): string {
  const order = orderText(ask.order ?? []);
  const args = [
    ...(ask.filter ? [`filter: ${literal(ask.filter)}`] : []),
    ...(order === "" ? [] : [`order: ${order}`]),
    ...(ask.first === undefined ? [] : [`first: ${ask.first}`]),
    ...(ask.offset === undefined ? [] : [`offset: ${ask.offset}`]),
  ];
  return `${args.length > 0 ? `(${args.join(", ")})` : ""}${cascadeText(ask)} ${selectionText(ask.items)}`;
}

export function cascadeText({ cascade }: Pick<Ask, "cascade">): string {
  if (cascade === undefined) return "";
  return cascade === "every" ? " @cascade" : ` @cascade(fields: ${literal([...cascade])})`;
}

export function selectionText(items: readonly Item[]): string {
  return `{ ${items.map((item) => (item.on === undefined ? itemText(item) : `... on ${item.on} { ${itemText(item)} }`)).join(" ")} }`;
}

function itemText(item: Item): string {
  const named = (name: string) => (name === item.key ? name : `${item.key}: ${name}`);
  switch (item.kind) {
    case "id":
      return named("id");
    case "typename":
      return named("__typename");
    case "value":
      return `${named(item.field.name)}${item.field.scalar === "Point" ? " { longitude latitude }" : ""}`;
    case "link":
      return `${named(item.field.name)}${askText(item.ask)}`;
    case "aggregate":
      return `${named(`${item.field.name}Aggregate`)}${item.filter ? `(filter: ${literal(item.filter)})` : ""} ${measuresText(item.measures)}`;
  }
}

export function measuresText(measures: readonly Measure[]): string {
  return `{ ${measures.map((measure) => measure.key).join(" ")} }`;
}

// ---- answers ----------------------------------------------------------------------------------------------------------

/** An object with what was selected of it, before nulls climb. */
interface Shown {
  readonly node: Node;
  readonly type: NodeType;
  readonly parts: readonly { readonly item: Item; readonly value: unknown; readonly below?: readonly Shown[] }[];
}

type Cascade = "none" | "every" | ReadonlySet<string>;

/** match, cascade, order, page: in this order. */
export function answer(scene: Scene, ask: Ask, candidates: readonly Node[], inherited: Cascade = "none"): readonly Shown[] {
  const cascade = cascadeOf(scene, ask, inherited);
  const meaning = ask.target === "U" ? unionMeaning(scene, ask.filter) : meaningOf(scene, typeNamed(scene.schema, ask.target), ask.filter);
  const passing = candidates
    .filter((node) => meaning?.(node) ?? true)
    .map((node) => show(scene, ask, node, cascade))
    .filter((shown) => isComplete(ask, shown, cascade))
    .sort((a, b) => compareNodes(scene, a.node, b.node, ask.order));
  const first = ask.first ?? 0;
  if (first < 0) return passing.slice(first);
  const offset = Math.max(0, ask.offset ?? 0);
  return passing.slice(offset, first === 0 ? undefined : offset + first);
}

function cascadeOf({ schema }: Scene, ask: Ask, inherited: Cascade): Cascade {
  if (ask.cascade === undefined) return inherited;
  if (ask.cascade === "every" || ask.cascade.length === 0) return "every";
  const names = ask.cascade;
  return new Set(typeNamed(schema, ask.target).fields.flatMap((field) => (names.includes(field.name) ? [field.stored] : [])));
}

function show(scene: Scene, ask: Ask, node: Node, cascade: Cascade): Shown {
  const { schema, world } = scene;
  const type = schema.types.find((each) => each.kind === "object" && each.stored === node.type);
  if (!type) throw new RangeError(`nobody shows nodes of ${node.type}`);
  const items = ask.items.filter((item) => item.on === undefined || item.on === type.name);
  const partOf = (item: Item): Shown["parts"][number] => {
    switch (item.kind) {
      case "id":
        return { item, value: `#${node.number}` };
      case "typename":
        return { item, value: type.name };
      case "value":
        return { item, value: (item.field.firstOf ?? [item.field.stored]).map((name) => node.values.get(name)).find((value) => value !== undefined) };
      case "aggregate": {
        const meaning = meaningOf(scene, typeNamed(schema, item.field.target), item.filter);
        const counted = world.shown(schema, node, item.field).filter((each) => meaning?.(each) ?? true);
        return { item, value: measure(counted, item.measures) };
      }
      case "link":
        return { item, value: undefined, below: answer(scene, item.ask, world.shown(schema, node, item.field), cascade) };
    }
  };
  return { node, type, parts: items.map(partOf) };
}

/** What a fragment asks of another type is missing on this one. */
function isComplete(ask: Ask, { parts }: Shown, cascade: Cascade): boolean {
  if (cascade === "none") return true;
  return ask.items.every((item) => {
    if (item.kind === "aggregate") return cascade !== "every" || hasMeasures(item.measures, parts.find((each) => each.item === item)?.value);
    if (item.kind !== "value" && item.kind !== "link") return true;
    if (cascade !== "every" && !cascade.has(item.field.stored)) return true;
    const part = parts.find((each) => each.item === item);
    return part !== undefined && (part.below ? part.below.length > 0 : part.value !== undefined);
  });
}

/** A count is always there. */
function hasMeasures(measures: readonly Measure[], values: unknown): boolean {
  const asked = measures.filter(({ what }) => what !== "count");
  return asked.length === 0 || (values !== undefined && asked.every(({ key }) => (values as Record<string, unknown>)[key] !== null));
}

export function compareNodes(scene: Scene, a: Node, b: Node, order: Ask["order"]): number {
  for (const { path, field, direction } of order ?? []) {
    const [x, y] = [a, b].map((node) => orderValue(scene, node, { path, field }));
    if (x === undefined && y === undefined) continue;
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    const outcome = compareValues(field.role === "link" ? "Int" : field.scalar, x, y);
    if (outcome !== 0) return direction === "asc" ? outcome : -outcome;
  }
  return a.number - b.number;
}

function orderValue(scene: Scene, node: Node, { path, field }: Omit<OrderKey, "direction">): Value | undefined {
  const [link, ...rest] = path;
  if (link) {
    const [partner] = scene.world.shown(scene.schema, node, link);
    return partner && orderValue(scene, partner, { path: rest, field });
  }
  return field.role === "link" ? scene.world.shown(scene.schema, node, field).length : (node.values.get(field.stored) as Value | undefined);
}

export function measure(nodes: readonly Node[], measures: readonly Measure[]): Record<string, unknown> {
  return Object.fromEntries(measures.map((each) => [each.key, measured(nodes, each)]));
}

function measured(nodes: readonly Node[], { what, field }: Measure): unknown {
  if (!field) return nodes.length;
  const values = nodes.flatMap((node) => listOf(node.values.get(field.stored)));
  const sorted = [...values].sort((a, b) => compareValues(field.scalar, a, b));
  if (values.length === 0) return null;
  const sum = () => values.reduce((a, b) => (typeof a === "bigint" ? a + BigInt(b as bigint) : Number(a) + Number(b)));
  switch (what) {
    case "Min":
      return sorted[0];
    case "Max":
      // Of two spellings of one instant that of the older node.
      return sorted.find((value) => compareValues(field.scalar, value, sorted.at(-1) ?? value) === 0);
    case "Sum":
      return sum();
    default:
      return Number(sum()) / values.length;
  }
}

/** Numbers beyond the range of their type are null, and their places failed. */
export function completeMeasures(values: Readonly<Record<string, unknown>>, measures: readonly Measure[], path: Path): Completed {
  const paths: string[] = [];
  const value = Object.fromEntries(
    Object.entries(values).map(([key, each]) => {
      const measure = measures.find((one) => one.key === key);
      if (measure === undefined || isInRange(measure, each)) return [key, each];
      paths.push(JSON.stringify([...path, key]));
      return [key, null];
    }),
  );
  return { value, paths };
}

function isInRange({ what, field }: Measure, value: unknown): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  if (typeof value !== "number" || what === "count") return true;
  return what !== "Avg" && field?.scalar === "Int" ? value === (value | 0) : Number.isFinite(value);
}

// ---- nulls climb ------------------------------------------------------------------------------------------------------

export interface Completed {
  readonly value: unknown;
  /** Of the places that failed. */
  readonly paths: readonly string[];
}

type Path = readonly (string | number)[];
const failed = Symbol("failed");

/** The list of a root field: `[T]`. */
export function completeList(shown: readonly Shown[], key: string, path: Path = [key]): Completed {
  const paths: string[] = [];
  const value = shown.map((each, i) => orNull(completeObject(each, [...path, i], paths)));
  return { value, paths };
}

/** A root field that shows one object. */
export function completeOne(shown: Shown | undefined, key: string): Completed {
  const paths: string[] = [];
  return { value: shown ? orNull(completeObject(shown, [key], paths)) : null, paths };
}

function orNull(value: unknown): unknown {
  return value === failed ? null : value;
}

/** Stops at the first field that fails. */
function completeObject({ parts }: Shown, path: Path, paths: string[]): unknown {
  const object: Record<string, unknown> = {};
  for (const { item, value, below } of parts) {
    const here = [...path, item.key];
    const completed = item.kind === "link" && below ? completeLink(item.field, below, here, paths) : completeValue(item, value, here, paths);
    if (completed === failed) return failed;
    object[item.key] = completed;
  }
  return object;
}

function completeValue(item: Item, value: unknown, path: Path, paths: string[]): unknown {
  if (item.kind === "aggregate") {
    const completed = completeMeasures(value as Readonly<Record<string, unknown>>, item.measures, path);
    paths.push(...completed.paths);
    return completed.value;
  }
  if (value !== undefined) return item.kind === "value" && item.field.scalar === "Point" ? pointOf(value as Value) : value;
  if (item.kind === "value" && item.field.list) return [];
  if (item.kind !== "value" || !item.field.nonNull) return null;
  paths.push(JSON.stringify(path));
  return failed;
}

function completeLink(field: LinkField, below: readonly Shown[], path: Path, paths: string[]): unknown {
  if (!field.list) return below[0] ? orNull(completeObject(below[0], path, paths)) : null;
  const list: unknown[] = [];
  for (const [i, each] of below.entries()) {
    const item = completeObject(each, [...path, i], paths);
    if (item === failed && field.itemNonNull) return null;
    list.push(orNull(item));
  }
  return list;
}

export { lower };
