// Finds data that the deployed schema shows and the next one hides. A deploy deletes nothing, and reports what it hides.

import type { EdgeLayout, End, Layout } from "../../contracts/layout.ts";
import { all, type Predicate } from "../../contracts/predicate.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import { addToGroup } from "../../ground/groups.ts";
import { compareText } from "../../ground/values/compare.ts";
import type { EndName, FieldName, TypeName } from "../../ground/values/value.ts";
import type { Deployment, PreparedDeployment } from "./deployment.ts";
import { TimeBudget } from "./time-budget.ts";

/** Stored data that requests can no longer reach. */
export interface Unreachable {
  readonly kind: "type" | "field" | "link";
  /** Its name in the deployed schema: `Boat`, `Boat.seats`. */
  readonly name: string;
  readonly stored: TypeName | FieldName | EndName;
  /** The number of affected nodes; undefined if counting them would take too long. */
  readonly nodes: number | undefined;
}

interface Lost {
  readonly kind: Unreachable["kind"];
  readonly stored: string;
  /** The types that lose it. */
  readonly types: readonly TypeName[];
  /** For links: the target types that are hidden; absent for all. */
  readonly partners?: readonly TypeName[];
}

/**
 * The data that `next` hides when it replaces `before`.
 *
 * @param withinMs time limit for counting, in milliseconds
 */
export async function findUnreachable(
  storage: Storage,
  { before, next, withinMs }: { readonly before: Deployment; readonly next: Pick<PreparedDeployment, "layout">; readonly withinMs: number },
): Promise<readonly Unreachable[]> {
  const lost = [...lostTypes(before.layout, next.layout), ...lostFields(before.layout, next.layout), ...lostLinks(before.layout, next.layout)];
  if (lost.length === 0) return [];
  const until = performance.now() + withinMs;
  const found: Unreachable[] = [];
  for (const each of lost) {
    const nodes = await countNodes(storage, { lost: each, version: before.version, until });
    if (nodes !== 0) found.push({ kind: each.kind, name: shownName(each, before), stored: each.stored, nodes });
  }
  return found;
}

function lostTypes(before: Layout, next: Layout): readonly Lost[] {
  const left = new Set(next.types.map(({ name }) => name));
  return before.types.filter(({ name }) => !left.has(name)).map(({ name }) => ({ kind: "type", stored: name, types: [name] }));
}

/** Hidden fields of types that remain. Derived fields are not data. */
function lostFields(before: Layout, next: Layout): readonly Lost[] {
  const shown = new Map(next.types.map((type) => [type.name, new Set(type.fields)]));
  const lost = new Map<FieldName, TypeName[]>();
  const derived = new Set(before.fields.filter((field) => field.derived !== undefined).map(({ name }) => name));
  for (const type of before.types) {
    const still = shown.get(type.name);
    for (const field of type.fields) {
      if (still === undefined || still.has(field) || derived.has(field)) continue;
      addToGroup(lost, field, type.name);
    }
  }
  return [...lost].map(([stored, types]) => ({ kind: "field", stored, types }));
}

/** Edges without a remaining end, and links between types that their edge no longer connects. */
function lostLinks(before: Layout, next: Layout): readonly Lost[] {
  const stay = new Set(next.types.map(({ name }) => name));
  const left = endsByName(next);
  return before.edges.flatMap((edge): readonly Lost[] => {
    const ends = namedEnds(edge);
    const shown = new Set(ends.flatMap(({ name }) => left.get(name) ?? []).flatMap(pairsOf));
    const gone = ends.map((end): Lost => ({ kind: "link", stored: end.name, types: end.types.filter((type) => stay.has(type)) }));
    if (shown.size === 0) return gone.filter(({ types }) => types.length > 0).slice(0, 1);
    return ends.flatMap((end) => lostPairs(end, { shown, stay })).slice(0, 1);
  });
}

/** Links of `end` whose nodes remain visible, but which can be followed from neither side. */
function lostPairs(end: End, { shown, stay }: { readonly shown: ReadonlySet<string>; readonly stay: ReadonlySet<TypeName> }): readonly Lost[] {
  const partners = (type: TypeName) => end.partners.filter((partner) => stay.has(partner) && !shown.has(pairOf(type, partner)));
  const types = end.types.filter((type) => stay.has(type) && partners(type).length > 0);
  if (types.length === 0) return [];
  return [{ kind: "link", stored: end.name, types, partners: [...new Set(types.flatMap(partners))] }];
}

function pairsOf({ types, partners }: End): readonly string[] {
  return types.flatMap((type) => partners.map((partner) => pairOf(type, partner)));
}

/** Independent of the direction. */
function pairOf(one: TypeName, other: TypeName): string {
  return JSON.stringify([one, other].sort(compareText));
}

function namedEnds({ sides }: EdgeLayout): readonly End[] {
  return sides.flatMap((side) => side.ends).filter(({ name }) => !name.startsWith("~"));
}

function endsByName({ edges }: Layout): ReadonlyMap<EndName, readonly End[]> {
  const ends = new Map<EndName, End[]>();
  for (const end of edges.flatMap(namedEnds)) {
    const known = ends.get(end.name);
    if (known) known.push(end);
    else ends.set(end.name, [end]);
  }
  return ends;
}

/** The name in the replaced schema: `Boat.seats`. */
function shownName({ kind, stored, types }: Lost, { model }: Deployment): string {
  const all = [...model.nodeTypes.values()];
  if (kind === "type") return all.find((type) => type.kind === "object" && type.stored === stored)?.name ?? stored;
  const fields = all.filter(({ members }) => members.some((member) => types.includes(member.stored))).flatMap((type) => [...type.fields.values()]);
  const field = fields.find((each) => (each.role === "value" || each.role === "link") && each.stored === stored);
  return field === undefined ? stored : `${field.origin.name}.${field.name}`;
}

/** Undefined if the time limit is reached. */
async function countNodes(
  storage: Storage,
  { lost, version, until }: { readonly lost: Lost; readonly version: number; readonly until: number },
): Promise<number | undefined> {
  const where = conditionOf(lost);
  if (where?.kind === "linked" && !storage.supports.linked) return undefined;
  const budget = new TimeBudget(until, "Counting the nodes that a deploy hides takes too long.");
  const snapshot = storage.snapshot({ version, budget });
  try {
    const over = where === undefined ? { types: lost.types } : { types: lost.types, where };
    const [row] = await snapshot.aggregate({ over, measures: [{ kind: "count" }] });
    const count = row?.[0];
    return typeof count === "number" ? count : undefined;
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code === "LIMIT_REACHED") return undefined;
    throw thrown;
  } finally {
    snapshot.close();
  }
}

function conditionOf({ kind, stored, partners }: Lost): Predicate | undefined {
  if (kind === "type") return undefined;
  if (kind === "field") return { kind: "has", field: stored };
  return { kind: "linked", end: stored, where: partners === undefined ? all : { kind: "type", types: partners }, atLeast: 1 };
}

/** `Boat.seats is no longer in the schema; values of 3 nodes are hidden, not deleted.` */
export function unreachableText({ kind, name, stored, nodes }: Unreachable): string {
  const known = name === stored ? name : `${name} (stored as ${stored})`;
  const count = nodes === undefined ? undefined : `${nodes.toLocaleString("en")} ${nodes === 1 ? "node" : "nodes"}`;
  if (kind === "type") return `${known} is no longer in the schema; ${count ?? "its nodes"} ${nodes === 1 ? "is" : "are"} hidden, not deleted.`;
  const what = kind === "field" ? "values" : "links";
  const place = kind === "field" ? "is no longer in the schema" : "no longer shows what it did";
  return `${known} ${place}; ${count === undefined ? `its ${what}` : `${what} of ${count}`} are hidden, not deleted.`;
}
