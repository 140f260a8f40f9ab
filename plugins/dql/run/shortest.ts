// `shortest(from:, to:)`: paths of fewest edges between two nodes.

import { type EndName, formatUid, type Predicate, parseUid, type Uid } from "../../../core/plugin.ts";
import { textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Block, Literal, PathEnd, PredicateField } from "../language/syntax.ts";
import { parseInteger } from "../schema/values.ts";
import { nodesOf, type Variable } from "../state/variables.ts";
import { type LevelContext, whereOf } from "./fetch.ts";

/** A path in the answer: `{uid, <predicate>: {uid, ...}}`, with its weight at the top. */
export interface PathObject {
  readonly [key: string]: string | number | PathObject;
}

export interface ShortestResult {
  readonly paths: readonly PathObject[];
  readonly variable: Variable;
}

interface Edge {
  readonly name: string;
  readonly end: EndName;
  readonly where: Predicate;
}

/** One way to a node: the node before it and the predicate between them. */
interface Step {
  readonly uid: Uid;
  readonly by: string | undefined;
  readonly before: Step | undefined;
  readonly weight: number;
}

interface Search {
  readonly from: Uid;
  readonly to: Uid;
  readonly paths: number;
  readonly least: number;
  readonly most: number;
  readonly edges: readonly Edge[];
  readonly context: LevelContext;
}

export async function readShortest(block: Block, context: LevelContext): Promise<ShortestResult> {
  const search = await searchOf(block, context);
  const found = search ? await findPaths(search) : [];
  const [first] = found;
  return { paths: found.map(pathObject), variable: { kind: "uids", uids: first ? stepsOf(first).map(({ uid }) => uid) : [], inPathOrder: true } };
}

async function searchOf(block: Block, context: LevelContext): Promise<Search | undefined> {
  const { shortest } = block;
  if (!shortest?.from || !shortest.to) throw refusal("from/to can't be nil for shortest path");
  if (block.fields.some((field) => field.kind === "expand")) throw refusal("expand() not allowed inside shortest");
  const from = endOf("from", shortest.from, context);
  const to = endOf("to", shortest.to, context);
  const edges: Edge[] = [];
  for (const field of block.fields) if (field.kind === "predicate") edges.push(...(await edgeOf(field, context)));
  if (from === undefined || to === undefined) return undefined;
  const depth = numberOf(shortest.depth, context, 0);
  const most = Math.min(numberOf(shortest.maxWeight, context, Number.POSITIVE_INFINITY), depth > 0 ? depth : Number.POSITIVE_INFINITY);
  const paths = Math.max(1, numberOf(shortest.paths, context, 1));
  return { from, to, paths, least: numberOf(shortest.minWeight, context, 0), most, edges, context };
}

function endOf(word: "from" | "to", end: PathEnd, context: LevelContext): Uid | undefined {
  if ("variable" in end) {
    const uids = nodesOf(context.variables.get(end.variable));
    if (uids.length > 1) throw refusal(`${word} variable(${end.variable}) should only expand to 1 uid`);
    return uids[0];
  }
  const text = textOf(end, context.inputs);
  const uid = parseUid(text);
  if (uid === undefined) throw refusal(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  return uid;
}

function numberOf(literal: Literal | undefined, { inputs }: LevelContext, fallback: number): number {
  if (!literal) return fallback;
  const text = textOf(literal, inputs);
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number(parseInteger(text));
}

async function edgeOf(field: PredicateField, context: LevelContext): Promise<readonly Edge[]> {
  const { name } = field.predicate;
  const meaning = context.catalog.meaningOf(name);
  if (meaning.kind !== "edge") return [];
  return [{ name, end: meaning.end.name, where: await whereOf(field.filter, context) }];
}

/** All targets of a node, the first predicate of each. */
type Neighbours = ReadonlyMap<Uid, string>;

/** One level after the other. For one path a node is looked at once; for several, all paths without cycles are extended. */
async function findPaths(search: Search): Promise<readonly Step[]> {
  const start: Step = { uid: search.from, by: undefined, before: undefined, weight: 0 };
  const found: Step[] = search.from === search.to && search.least <= 0 ? [start] : [];
  const isSimple = search.paths === 1 && search.least <= 0;
  const seen = new Set([search.from]);
  const known = new Map<Uid, Neighbours>();
  let frontier: readonly Step[] = [start];
  for (let weight = 1; weight <= search.most && frontier.length > 0 && found.length < search.paths; weight++) {
    await readNeighbours(frontier, known, search);
    const next: Step[] = [];
    for (const step of frontier) {
      if (search.context.work.isTurnOver) await search.context.work.pause();
      for (const [uid, by] of known.get(step.uid) ?? []) {
        if (isSimple ? seen.has(uid) : isOn(step, uid)) continue;
        seen.add(uid);
        search.context.work.spend(1);
        const reached: Step = { uid, by, before: step, weight };
        if (uid === search.to) {
          if (weight >= search.least) found.push(reached);
          if (found.length >= search.paths) return found;
        } else next.push(reached);
      }
    }
    frontier = next;
  }
  return found;
}

function isOn(step: Step, uid: Uid): boolean {
  for (let each: Step | undefined = step; each; each = each.before) if (each.uid === uid) return true;
  return false;
}

async function readNeighbours(frontier: readonly Step[], known: Map<Uid, Neighbours>, { edges, context }: Search): Promise<void> {
  const from = [...new Set(frontier.map(({ uid }) => uid))].filter((uid) => !known.has(uid)).sort((a, b) => a - b);
  if (from.length === 0) return;
  const { uids: existing } = await context.snapshot.load({ uids: from, types: context.catalog.types, fields: [] });
  const neighbours = new Map<Uid, Map<Uid, string>>(from.map((uid) => [uid, new Map()]));
  for (const { name, end, where } of existing.length === 0 ? [] : edges) {
    const links = await context.snapshot.follow({ from: existing, end, where, fields: [] });
    context.work.spend(links.rows.length);
    for (const [i, uid] of existing.entries()) {
      const own = neighbours.get(uid);
      for (const row of links.rows.slice(links.starts[i], links.starts[i + 1])) {
        const target = links.nodes.uids[row] ?? 0;
        if (own && !own.has(target)) own.set(target, name);
      }
    }
  }
  for (const [uid, own] of neighbours) known.set(uid, own);
}

function stepsOf(last: Step): readonly Step[] {
  const steps: Step[] = [];
  for (let step: Step | undefined = last; step; step = step.before) steps.unshift(step);
  return steps;
}

function pathObject(last: Step): PathObject {
  let object: PathObject | undefined;
  let by = "";
  for (const step of stepsOf(last).toReversed()) {
    object = { uid: formatUid(step.uid), ...(object && { [by]: object }) };
    by = step.by ?? "";
  }
  return { ...object, _weight_: last.weight };
}
