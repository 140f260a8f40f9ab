// A link: the partners of all objects of a level at once. Each distinct partner is read once, however many objects show it.

import type { LinkField } from "../../contracts/model.ts";
import type { BoundStep, ListStep, PlanCosts, PlannedArguments, PlanPrinter, PrintedStep, StepRows } from "../../contracts/plugin/level-step.ts";
import { and, type Predicate } from "../../contracts/predicate.ts";
import type { Links } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Uid } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import type { Around, LevelBinder, LevelKit, LevelReader, LevelWriter } from "../level/kit.ts";
import type { BoundLevel, Level, StepNeed } from "../level/level.ts";
import { behindMask, type HiddenField, type Masks } from "../level/masks.ts";
import { emptyBatch, type Rows, type Texts, textsOf } from "../level/rows.ts";
import type { OperationBudget } from "../operation-context.ts";
import { fieldHidden, missingNonNull } from "../write/error-messages.ts";

export class LinkStep implements ListStep<LevelKit> {
  readonly field: LinkField;
  /** Column with the partner's uid; only for single ends without a filter. */
  readonly column: number | undefined;
  readonly level: Level;

  constructor({ field, column, level }: Pick<LinkStep, "field" | "column" | "level">) {
    this.field = field;
    this.column = column;
    this.level = level;
  }

  get arguments(): PlannedArguments {
    return this.level.arguments;
  }

  get selections(): readonly Level[] {
    return [this.level];
  }

  *bind(binder: LevelBinder): Work<BoundLink> {
    return new BoundLink(this, yield* binder.level(this.level));
  }

  /** @param label what `@cascade` counts as one field on several types */
  need(label: string): StepNeed {
    return { name: `${label} ${this.field.stored}`, text: label, holds: (bound, masks) => this.#present(bound, masks) };
  }

  #present(bound: BoundStep, masks: Masks | undefined): Predicate {
    const { stored } = this.field;
    return behindMask(bound instanceof BoundLink ? bound.present : { kind: "none" }, stored, masks) ?? { kind: "all" };
  }

  print(printer: PlanPrinter): PrintedStep {
    const verb = this.column === undefined ? "follow" : "load";
    return { what: `${verb} ${this.field.stored}`, to: printer.typesOf(this.level), below: printer.objects(this.level) };
  }

  cost(costs: PlanCosts): number {
    return (this.field.type.list ? costs.page(this.level.arguments) : 1) * costs.objects(this.level);
  }
}

class BoundLink implements BoundStep<LevelKit> {
  readonly #step: LinkStep;
  readonly #level: BoundLevel;

  constructor(step: LinkStep, level: BoundLevel) {
    this.#step = step;
    this.#level = level;
  }

  /** The list is not empty: more partners pass than its offset skips. */
  get present(): Predicate {
    const { types, where, page, level } = this.#level;
    if (types.length === 0) return { kind: "none" };
    const passing = types.length === level.types.length ? where : and({ kind: "type", types }, where);
    const offset = page && "offset" in page ? (page.offset ?? 0) : 0;
    return { kind: "linked", end: this.#step.field.stored, where: passing, atLeast: offset + 1 };
  }

  *read(reader: LevelReader): Work<LinkRows> {
    const { around } = reader;
    if (!around) throw new QuernError("INTERNAL", "A link was read without the objects that it leads from.");
    if (around.batch.uids.length === 0 || this.#level.isEmpty) return yield* this.#readNone(around, reader);
    if (this.#step.column !== undefined && this.#level.where.kind === "all") return yield* this.#loadPartners(this.#step.column, around, reader);
    return yield* this.#follow(around, reader);
  }

  *#readNone({ hidden }: Around, reader: LevelReader): Work<LinkRows> {
    const rows = yield* reader.below(this.#level, emptyBatch(this.#level.level.columns.length));
    return new LinkRows(this.#step.field, { rows, texts: [], hidden });
  }

  /** Partners stand in a column already: each distinct one is loaded once. */
  *#loadPartners(column: number, { batch, selects, hidden }: Around, reader: LevelReader): Work<LinkRows> {
    const partners = batch.columns[column] ?? [];
    const distinct = new Set<Uid>();
    for (let row = 0; row < partners.length; row++) {
      const partner = partners[row];
      if (typeof partner === "number" && selects(row)) distinct.add(partner);
    }
    const { types, level } = this.#level;
    const nodes =
      distinct.size === 0
        ? emptyBatch(level.columns.length)
        : yield* wait(reader.snapshot.load({ uids: [...distinct], types, fields: level.columns }));
    const rows = yield* reader.below(this.#level, nodes);
    const rowOf = partners.map((partner, row) => (typeof partner === "number" && selects(row) ? (rows.rowOf(partner) ?? -1) : -1));
    return new LinkRows(this.#step.field, { rows, texts: textsOf(rows, partners.length), hidden, rowOf });
  }

  *#follow({ batch, sourceOf, hidden }: Around, reader: LevelReader): Work<LinkRows> {
    const { field } = this.#step;
    const links = yield* wait(reader.follow(this.#level, field.stored));
    const rows = yield* reader.below(this.#level, links.nodes);
    const texts = textsOf(rows, links.rows.length);
    if (field.type.list) return new LinkRows(field, { rows, texts, hidden, lists: { starts: links.starts, partners: links.rows } });
    const rowOf = batch.uids.map((_, row) => firstPartner(links, sourceOf ? (sourceOf[row] ?? -1) : row));
    return new LinkRows(field, { rows, texts, hidden, rowOf });
  }
}

function firstPartner({ starts, rows }: Links, source: number): number {
  const start = starts[source];
  return start === undefined || start === starts[source + 1] ? -1 : (rows[start] ?? -1);
}

/** Partners of source `s`: `partners[starts[s]]` up to before `partners[starts[s + 1]]`. */
interface Lists {
  readonly starts: readonly number[];
  readonly partners: readonly number[];
}

interface LinkParts {
  readonly rows: Rows;
  readonly texts: Texts;
  readonly hidden: HiddenField | undefined;
  readonly lists?: Lists;
  /** Of a single link: the partner's row by the object's, -1 without one. */
  readonly rowOf?: readonly number[];
}

/** Lists that are longer are written by themselves, so that the object around them is short work. */
const longList = 1_024;
/** Items between two looks at the clock. */
const stride = 64;
const noLists: Lists = { starts: [], partners: [] };

export class LinkRows implements StepRows<LevelKit> {
  readonly rows: Rows;
  readonly texts: Texts;
  readonly #field: LinkField;
  readonly #hidden: HiddenField | undefined;
  readonly #lists: Lists;
  readonly #rowOf: readonly number[];
  /** Finished lists by source, where they are so long that they are written ahead. */
  #joined: ReadonlyMap<number, string> | undefined;

  constructor(field: LinkField, { rows, texts, hidden, lists = noLists, rowOf = [] }: LinkParts) {
    this.#field = field;
    this.rows = rows;
    this.texts = texts;
    this.#hidden = hidden;
    this.#lists = lists;
    this.#rowOf = rowOf;
  }

  /** Items of all lists together. */
  get items(): number {
    return this.#lists.partners.length;
  }

  write(source: number, writer: LevelWriter, row: number): string | undefined {
    const { type, name } = this.#field;
    if (this.#hidden?.shows === "error" && this.#hidden.isHidden(row)) {
      writer.failed(fieldHidden(name));
      return type.nonNull ? undefined : "null";
    }
    if (type.list) return this.#joined?.get(source) ?? writer.list(this.#slice(source), type.itemNonNull) ?? (type.nonNull ? undefined : "null");
    const partner = this.#rowOf[row] ?? -1;
    if (partner >= 0) return writer.shared(this.texts, this.rows, partner) ?? (type.nonNull ? undefined : "null");
    return type.nonNull ? writer.failed(missingNonNull(name, `${type.name}!`)) : "null";
  }

  #slice(source: number) {
    const { partners, starts } = this.#lists;
    return { partners, start: starts[source] ?? 0, end: starts[source + 1] ?? 0, rows: this.rows, texts: this.texts };
  }

  /** Joins the texts of the long lists that have all their items. */
  *join(budget: OperationBudget): Work<void> {
    const { starts } = this.#lists;
    const joined = new Map<number, string>();
    for (let source = 0; source + 1 < starts.length; source++) {
      if ((starts[source + 1] ?? 0) - (starts[source] ?? 0) <= longList) continue;
      const text = yield* this.#joinOne(source, budget);
      if (text !== undefined) joined.set(source, text);
    }
    this.#joined = joined;
  }

  /** Undefined when an item has no text of its own. */
  *#joinOne(source: number, budget: OperationBudget): Work<string | undefined> {
    const { partners, start, end } = this.#slice(source);
    let text = "[";
    for (let place = start; place < end; place++) {
      const item = this.texts[partners[place] ?? -1];
      if (item === undefined) return undefined;
      text += place === start ? item : `,${item}`;
      if (text.length > budget.room) budget.answered(text.length);
      if ((place - start) % stride === 0) yield;
    }
    return flat(`${text}]`);
  }

  /** The texts are a part of others now. */
  forget(): void {
    this.texts.length = 0;
    this.#joined = undefined;
  }
}

/**
 * The same text without the tree of parts that V8 keeps of a concatenation, which takes several times the memory and is slow to walk later. V8
 * flattens a text that it converts to a number; a JSON text of an object or list fails at its first character.
 */
export function flat(text: string): string {
  Number(text);
  return text;
}
