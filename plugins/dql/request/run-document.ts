// Runs the blocks of a document on one snapshot, each as soon as the variables that it uses are complete.

import { type AnswerValue, and, run, type Snapshot, type Work } from "../../../core/plugin.ts";
import type { AnswerContext, AnswerObject } from "../answer/node.ts";
import { blockObjects } from "../answer/objects.ts";
import type { Inputs } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Block, Document } from "../language/syntax.ts";
import { usesOfBlock } from "../language/variable-uses.ts";
import { rootSetOf } from "../plan/condition.ts";
import { cut, planList } from "../plan/list.ts";
import { nearestOf } from "../plan/similar.ts";
import { keptRows } from "../run/cascade.ts";
import { countedGroups, isCounted } from "../run/counted-groups.ts";
import { derive } from "../run/derive.ts";
import { runEmptyBlock } from "../run/empty-block.ts";
import { columnNames, type LevelContext, readLevel, whereOf } from "../run/fetch.ts";
import { groupNames, groupSource } from "../run/group-source.ts";
import { type GroupObject, groupVariables } from "../run/groups.ts";
import type { Level, ReadBlock } from "../run/level.ts";
import { readRecursively } from "../run/recurse.ts";
import { readRoot } from "../run/root.ts";
import { readShortest } from "../run/shortest.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { sortedSet, type Variable, type Variables, withVariable } from "../state/variables.ts";

export interface RunOptions {
  readonly catalog: Catalog;
  readonly inputs: Inputs;
  readonly snapshot: Snapshot;
  readonly work: DocumentBudget;
  readonly typenameOf: AnswerContext["typenameOf"];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The answer: a member for each block that is shown. */
export async function runDocument(document: Document, options: RunOptions): Promise<AnswerObject> {
  return (await runForVariables(document, options)).answer;
}

/** The answer, and the variables that the document has filled. */
export async function runForVariables(
  { blocks }: Document,
  options: RunOptions,
): Promise<{ readonly answer: AnswerObject; readonly variables: Variables }> {
  const running = new DocumentRun(options);
  const results = new Map<Block, readonly [name: string, value: AnswerValue]>();
  const order = await run(orderOf(blocks), options.work);
  for (const { block, defined } of order) {
    await options.work.pause();
    const value = await running.block(block);
    if (value !== undefined) results.set(block, [block.kind === "shortest" ? "_path_" : block.name, value]);
    // A variable that nothing has filled is empty.
    for (const name of defined) if (!running.variables.has(name)) running.variables.set(name, { kind: "uids", uids: [] });
  }
  const answer = Object.fromEntries(blocks.flatMap((block) => [results.get(block)].filter((each) => each !== undefined)));
  return { answer, variables: running.variables };
}

interface PlannedBlock {
  readonly block: Block;
  readonly defined: readonly string[];
  /** How many variables of other blocks it waits for. */
  missing: number;
}

/** The blocks, each after those whose variables it uses. */
function* orderOf(blocks: readonly Block[]): Work<readonly PlannedBlock[]> {
  const order: PlannedBlock[] = [];
  const waiting = new Map<string, PlannedBlock[]>();
  for (const block of blocks) {
    const { used, defined } = usesOfBlock(block);
    const own = new Set(defined);
    const needs = [...used].filter((name) => !own.has(name));
    const planned: PlannedBlock = { block, defined, missing: needs.length };
    if (needs.length === 0) order.push(planned);
    for (const name of needs) {
      const known = waiting.get(name) ?? [];
      known.push(planned);
      waiting.set(name, known);
    }
    yield;
  }
  for (const { defined } of order) {
    for (const name of defined) for (const planned of waiting.get(name) ?? []) if (--planned.missing === 0) order.push(planned);
    yield;
  }
  if (order.length < blocks.length) throw refusal("Query couldn't be executed: its blocks use the variables of one another");
  return order;
}

class DocumentRun {
  readonly variables = new Map<string, Variable>();
  readonly #options: RunOptions;
  readonly #work: DocumentBudget;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#work = options.work;
  }

  /** The block's value in the answer; undefined: it shows nothing. Its variables are complete afterwards. */
  async block(block: Block): Promise<AnswerValue | undefined> {
    const { inputs, now } = this.#options;
    if (block.kind === "shortest") {
      const { paths, variable } = await readShortest(block, await this.#context(block));
      if (block.variable !== undefined) this.variables.set(block.variable, variable);
      return paths.length === 0 ? undefined : paths;
    }
    if (!block.call) {
      const { objects, variables } = await run(runEmptyBlock(block, { inputs, now, variables: this.variables, work: this.#work }), this.#work);
      this.#add(variables);
      return block.kind === "var" ? undefined : objects;
    }
    const counted = await this.#count(block);
    if (counted) return counted;
    const grouped = await this.#group(block);
    if (grouped) return grouped.length === 0 ? undefined : [{ "@groupby": grouped }];
    const read = await this.#read(block);
    if (block.kind === "var") return undefined;
    const { catalog } = this.#options;
    const { typenameOf } = this.#options;
    const context = { catalog, variables: this.variables, work: this.#work, typenameOf, ignoreReflex: block.ignoreReflex, shown: new Map() };
    return run(blockObjects(read, { context, normalize: block.normalize }), this.#work);
  }

  #add(variables: ReadonlyMap<string, Variable>): void {
    for (const [name, variable] of variables) this.variables.set(name, variable);
  }

  async #context(block: Block): Promise<LevelContext> {
    const { catalog, inputs, snapshot } = this.#options;
    const { variables } = this;
    const nearest = await nearestOf(block, { catalog, inputs, variables }, snapshot);
    return { catalog, inputs, snapshot, work: this.#work, variables, nearest, cascade: block.cascade };
  }

  /** A block that shows only its size: the storage counts. Undefined: the block asks for more. */
  async #count(block: Block): Promise<AnswerValue | undefined> {
    const { call, fields, slice, filter } = block;
    const [size] = fields;
    const isPlain = block.kind === "shown" && block.variable === undefined && !block.groupBy && !block.recurse && block.cascade === undefined;
    const isWhole = slice.order.length === 0 && !slice.first && !slice.offset && !slice.after;
    if (!call || size?.kind !== "countUid" || fields.length > 1 || size.variable !== undefined || !isPlain || !isWhole || block.normalize)
      return undefined;
    const context = await this.#context(block);
    const set = await run(rootSetOf(call, context), this.#work);
    if (set.kind !== "find") return undefined;
    const where = and(set.where, await whereOf(filter, context));
    const over = { types: set.types, ...(where.kind !== "all" && { where }) };
    const [row] = set.types.length === 0 ? [[0]] : await context.snapshot.aggregate({ over, measures: [{ kind: "count" }] });
    return [{ [size.alias ?? "count"]: BigInt(Number(row?.[0] ?? 0)) }];
  }

  /** Groups that are only counted: the storage makes them. Undefined: the block asks for more. */
  async #group(block: Block): Promise<readonly GroupObject[] | undefined> {
    const { call, filter } = block;
    if (!call || !block.groupBy) return undefined;
    const context = await this.#context(block);
    if (!isCounted(block, context)) return undefined;
    const set = await run(rootSetOf(call, context), this.#work);
    if (set.kind !== "find") return undefined;
    return countedGroups(block, { types: set.types, where: and(set.where, await whereOf(filter, context)) }, context);
  }

  async #read(block: Block): Promise<ReadBlock> {
    const { call } = block;
    const context = await this.#context(block);
    if (!call) throw refusal("Invalid query. No function used at root and no aggregation or math variables found in the body.");
    const set = await run(rootSetOf(call, context), this.#work);
    const list = planList(block.slice, await whereOf(block.filter, context), context);
    const isWhole = block.cascade !== undefined;
    const names = block.groupBy ? groupNames(block, context) : columnNames(block.fields, context);
    const rows = await readRoot({ set, list, names, isWhole, isFiltered: block.filter !== undefined }, context);
    const groups = block.groupBy ? await groupSource(block, rows, context) : undefined;
    const below = block.variable === undefined ? context : { ...context, variables: this.#withRoot(block.variable, rows.uids) };
    const level = block.recurse ? await readRecursively(block, rows, below) : await readLevel(rows, groups ? [] : block.fields, below);
    const kept = await run(keptRows(level, groups ? undefined : block.cascade), this.#work);
    const left: number[] = [];
    for (let row = 0; row < kept.length; row++) if (kept[row]) left.push(row);
    const read = { level, rows: isWhole ? cut(left, list.page) : left, groups };
    await this.#collect(block, read, { inPathOrder: set.kind === "uids" && set.inPathOrder });
    return read;
  }

  #withRoot(name: string, uids: readonly number[]): Variables {
    return withVariable(this.variables, name, { kind: "uids", uids: sortedSet(uids) });
  }

  async #collect(block: Block, { level, rows, groups }: ReadBlock, { inPathOrder }: { readonly inPathOrder: boolean }): Promise<void> {
    const { inputs, now } = this.#options;
    const found = await derive(level, { inputs, now, variables: this.variables, work: this.#work });
    this.#add(found);
    if (groups) this.#add(await run(groupVariables(groups, rows, this.#work), this.#work));
    this.#add(sizeVariables(level, rows.length));
    if (block.variable === undefined) return;
    const uids = rows.map((row) => level.uids[row] ?? 0);
    this.variables.set(block.variable, inPathOrder ? { kind: "uids", uids, inPathOrder } : { kind: "uids", uids: sortedSet(uids) });
  }
}

/** `n as count(uid)` at the root of a block. */
function sizeVariables({ parts }: Level, size: number): ReadonlyMap<string, Variable> {
  return new Map(
    parts.flatMap((part): [string, Variable][] =>
      part.kind === "countUid" && part.variable !== undefined ? [[part.variable, { kind: "single", of: "int", value: BigInt(size) }]] : [],
    ),
  );
}
