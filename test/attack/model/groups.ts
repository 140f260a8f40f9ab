// Random groups of a type, and what a loop over the naive store makes of them.

import { meaningOf, randomFilter, type Scene } from "./filters.ts";
import { type Completed, completeMeasures, type Measure, measure, measuresText, randomMeasures } from "./questions.ts";
import type { Random } from "./random.ts";
import { groupableFields, type LinkField, type NodeType, type ValueField } from "./schema.ts";
import { compareValues, type InputObject, literal, type Value } from "./values.ts";
import type { Node } from "./world.ts";

type Key = ValueField | LinkField;

export interface GroupsAsk {
  readonly type: NodeType;
  readonly keys: readonly Key[];
  readonly filter: InputObject | undefined;
  readonly measures: readonly Measure[];
}

/** Undefined: the type has nothing to group by. */
export function randomGroups(random: Random, scene: Scene, type: NodeType): GroupsAsk | undefined {
  const keys = random.shuffled(groupableFields(type)).slice(0, random.chance(70) ? 1 : 2);
  if (keys.length === 0) return undefined;
  return { type, keys, filter: random.chance(50) ? randomFilter(random, scene, type) : undefined, measures: randomMeasures(random, type) };
}

export function groupsText({ type, keys, filter, measures }: GroupsAsk): string {
  const by = keys.map(({ name }) => `{field: ${name}}`).join(", ");
  const shown = keys.map((key) => (key.role === "link" ? `${key.name} { id }` : key.name)).join(" ");
  const wanted = measuresText(measures).replace("{", `{ key { ${shown} }`);
  return `group${type.name}(by: [${by}]${filter ? `, filter: ${literal(filter)}` : ""}) ${wanted}`;
}

interface Found {
  readonly keys: readonly (Value | undefined)[];
  readonly nodes: Node[];
}

/** By key, ascending; what is missing comes last. */
export function groupsOf(
  scene: Scene,
  { type, keys, filter, measures }: GroupsAsk,
  nodes: readonly Node[],
): readonly Readonly<Record<string, unknown>>[] {
  const meaning = meaningOf(scene, type, filter);
  const groups = new Map<string, Found>();
  for (const node of nodes) {
    if (!(meaning?.(node) ?? true)) continue;
    const values = keys.map((key) => keyOf(scene, key, node));
    const id = values.map((value) => (value === undefined ? "-" : `${value} `)).join("\n");
    const group = groups.get(id) ?? { keys: values, nodes: [] };
    group.nodes.push(node);
    groups.set(id, group);
  }
  return [...groups.values()]
    .sort((a, b) => compareKeys(keys, a.keys, b.keys))
    .map((group) => ({
      key: Object.fromEntries(keys.map((key, k) => [key.name, shownKey(key, group.keys[k])])),
      ...measure(group.nodes, measures),
    }));
}

export function completeGroups(groups: ReturnType<typeof groupsOf>, { measures }: GroupsAsk, key: string): Completed {
  const completed = groups.map((group, i) => completeMeasures(group, measures, [key, i]));
  return { value: completed.map(({ value }) => value), paths: completed.flatMap(({ paths }) => paths) };
}

/** Of a link the number of the partner; of a time its instant in UTC. */
function keyOf({ schema, world }: Scene, key: Key, node: Node): Value | undefined {
  if (key.role === "link") return world.shown(schema, node, key)[0]?.number;
  const value = node.values.get(key.stored);
  if (value === undefined || Array.isArray(value)) return undefined;
  return key.scalar === "DateTime" ? instantText(String(value)) : (value as Value);
}

function instantText(text: string): string {
  const [seconds, fraction = ""] = new Date(text).toISOString().slice(0, -1).split(".");
  const digits = fraction.replace(/0+$/, "");
  return `${seconds}${digits && `.${digits}`}Z`;
}

function shownKey(key: Key, value: Value | undefined): unknown {
  if (value === undefined) return null;
  return key.role === "link" ? { id: `#${value}` } : value;
}

function compareKeys(keys: readonly Key[], a: Found["keys"], b: Found["keys"]): number {
  for (const [k, key] of keys.entries()) {
    const [x, y] = [a[k], b[k]];
    if (x === undefined && y === undefined) continue;
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    const outcome = compareValues(key.role === "link" ? "Int" : key.scalar, x, y);
    if (outcome !== 0) return outcome;
  }
  return 0;
}
