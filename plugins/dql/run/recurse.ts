// `@recurse`: the fields of a block form one level, which is read again and again.

import { parseBoolText, textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Block, Field, PredicateField } from "../language/syntax.ts";
import { parseInteger } from "../schema/values.ts";
import { expandedFields } from "./expand.ts";
import { columnNames, followEdge, type LevelContext, readLevel, withColumns } from "./fetch.ts";
import type { EdgePart, Level, Part } from "./level.ts";
import type { Rows } from "./rows.ts";

interface Recursion {
  readonly fields: readonly Field[];
  /** The columns of nodes that are known to be needed before it is known which types the nodes have. */
  readonly names: readonly string[];
  /** Levels, the first included. */
  readonly depth: number;
  readonly loop: boolean;
  /** Links that were followed: `predicate source target`. Without `loop` each is followed once. */
  readonly followed: Set<string>;
}

/** Reads the nodes of a block and what can be reached from them. */
export async function readRecursively(block: Block, rows: Rows, context: LevelContext): Promise<Level> {
  const { fields } = block;
  if (fields.some((field) => (field.kind === "predicate" || field.kind === "expand") && field.fields.length > 0))
    throw refusal("recurse queries require that all predicates are specified in one level");
  const depth = depthOf(block, context);
  const loop = loopOf(block, context);
  if (loop && depth === 0) throw refusal("Depth must be > 0 when loop is true for recurse query");
  const names = columnNames(fields, context);
  return readDeeper(rows, { fields, names, depth: depth === 0 ? Number.POSITIVE_INFINITY : depth, loop, followed: new Set() }, context);
}

/** The fields that are read of every node, and the edges that lead on. `expand` stands for the predicates of these very nodes. */
async function fieldsAt({ types }: Rows, { fields }: Recursion, context: LevelContext) {
  const plain: Field[] = [];
  const edges: PredicateField[] = [];
  for (const field of await expandedFields(fields, types, context)) {
    if (field.kind === "predicate" && context.catalog.meaningOf(field.predicate.name).kind === "edge") edges.push(field);
    else plain.push(field);
  }
  return { plain, edges };
}

function depthOf({ recurse }: Block, { inputs }: LevelContext): number {
  if (!recurse?.depth) return 0;
  const depth = Number(parseInteger(textOf(recurse.depth, inputs)));
  if (depth < 0) throw refusal(`Depth must not be negative in @recurse, got ${depth}`);
  return depth;
}

function loopOf({ recurse }: Block, { inputs }: LevelContext): boolean {
  if (!recurse?.loop) return false;
  const loop = parseBoolText(textOf(recurse.loop, inputs));
  if (loop === undefined) throw refusal("Value of loop in @recurse must be true or false");
  return loop;
}

/** An edge whose targets are still to be read. */
interface Frontier {
  readonly found: Rows;
  readonly attach: (level: Level) => void;
}

/** Level by level, so that a link counts for the path that reaches it first. */
async function readDeeper(rows: Rows, recursion: Recursion, context: LevelContext): Promise<Level> {
  const roots: Level[] = [];
  let frontier: readonly Frontier[] = [{ found: rows, attach: (level) => void roots.push(level) }];
  for (let depth = 1; frontier.length > 0; depth++) {
    const next: Frontier[] = [];
    for (const { found, attach } of frontier) {
      const { plain, edges } = await fieldsAt(found, recursion, context);
      const level = await readLevel(await withColumns(found, columnNames(plain, context), context), plain, context);
      const parts: Part[] = [...level.parts];
      if (depth < recursion.depth) for (const field of edges) parts.push(await readStep(field, found, { recursion, context, next }));
      attach({ ...level, parts });
    }
    frontier = next;
  }
  return roots[0] ?? { uids: [], types: [], parts: [], uidVariables: [] };
}

interface Step {
  readonly recursion: Recursion;
  readonly context: LevelContext;
  readonly next: Frontier[];
}

async function readStep(field: PredicateField, from: Rows, { recursion, context, next }: Step): Promise<EdgePart> {
  const { part, found } = await followEdge(field, from, { names: recursion.names, isCascaded: context.cascade !== undefined, context });
  const { starts, rows } = recursion.loop ? part : onlyNew(part, { field, from, found, followed: recursion.followed });
  const used = [...new Set(rows)].sort((a, b) => a - b);
  const at = new Map(used.map((row, i) => [row, i]));
  const pick = <T>(list: readonly T[]): T[] => used.flatMap((row) => list.slice(row, row + 1));
  const kept: Rows = {
    uids: pick(found.uids),
    types: pick(found.types),
    columns: new Map([...found.columns].map(([name, column]) => [name, pick(column)])),
  };
  const step: EdgePart = { ...part, starts, rows: rows.map((row) => at.get(row) ?? 0) };
  if (used.length > 0) next.push({ found: kept, attach: (level) => void Object.assign(step, { level }) });
  return step;
}

interface Known {
  readonly field: PredicateField;
  readonly from: Rows;
  readonly found: Rows;
  readonly followed: Set<string>;
}

/** The links that were not followed before. */
function onlyNew({ starts, rows }: Pick<EdgePart, "starts" | "rows">, { field, from, found, followed }: Known) {
  const kept: number[] = [];
  const newStarts = [0];
  for (const [source, uid] of from.uids.entries()) {
    for (const row of rows.slice(starts[source], starts[source + 1])) {
      const link = `${field.predicate.name} ${uid} ${found.uids[row]}`;
      if (followed.has(link)) continue;
      followed.add(link);
      kept.push(row);
    }
    newStarts.push(kept.length);
  }
  return { starts: newStarts, rows: kept };
}
