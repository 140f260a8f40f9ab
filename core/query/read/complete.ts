// From rows to JSON text: what is missing becomes null, an empty list or an error, and a null in a non-null position propagates to its parent.
// Writes text straight from columns; no object is built for a row.

import type { FieldNode } from "graphql";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { NodeRows, StepRows } from "../../contracts/plugin/level-step.ts";
import type { MeasureRow } from "../../contracts/storage/results.ts";
import { type ErrorText, QuernError } from "../../ground/errors.ts";
import type { Stored, Value, ValueKind } from "../../ground/values/value.ts";
import { isVector } from "../../ground/values/vector.ts";
import { holdsList } from "../../schema/model/holds-list.ts";
import type { LevelWriter, Slice } from "../level/kit.ts";
import { Rows, type Texts } from "../level/rows.ts";
import type { MeasureSelection, Member, OutputNullability, StepMember, ValueMember } from "../level/shapes.ts";
import type { FailedField, OperationBudget } from "../operation-context.ts";
import { beyondRange, fieldHidden, itemForList, listForItem, missingNonNull, objectForScalar, uncoercible } from "../write/error-messages.ts";
import { locationOf } from "../write/location-of.ts";
import { describeValue, writeFieldValue, writeGeometry, writeMeasure } from "../write/write-text.ts";

const itemsBetweenLooks = 1_024;

/**
 * Writes one root field's answer and collects its errors. A method that returns undefined has failed in a non-null position:
 * the error is recorded; the field above decides what becomes null.
 */
export class Completion implements LevelWriter {
  readonly errors: FailedField[] = [];
  /** Computed fields that gave what cannot be shown, each with one such place. */
  readonly misfits = new Map<ComputedField, FailedField>();
  /** The member that is written, when it is a step. */
  member: StepMember | undefined;
  /** Where the writer stands: the first `#depth` places. */
  readonly #path: (string | number)[];
  #depth = 1;

  readonly #budget: OperationBudget;
  /** Characters that the answer may still have: every text that is written becomes a part of it. */
  readonly #room: number;
  #items = 0;

  constructor(key: string, budget: OperationBudget) {
    this.#path = [key];
    this.#budget = budget;
    this.#room = budget.room;
  }

  /** The rows as a list, or the first of them. `texts`: objects that were written ahead. */
  root(rows: Rows, { type, places }: RootPlaces, texts: Texts = []): string | undefined {
    const slice = places ? { partners: places, start: 0, end: places.length, rows, texts } : everyRow(rows, texts);
    const text = type.list ? this.list(slice, type.itemNonNull) : this.#single(rows);
    return text ?? (type.nonNull ? undefined : "null");
  }

  /** A list under a key of a payload. */
  payloadList({ key, type }: PayloadList, rows: Rows, texts: Texts): string | undefined {
    return this.at(key, () => this.list(everyRow(rows, texts), type.itemNonNull)) ?? (type.nonNull ? undefined : "null");
  }

  /** A step of a root field. */
  step(rows: StepRows): string | undefined {
    return rows.write(0, this, 0);
  }

  /** One object by itself; undefined when anything is wrong with it or below, whose error needs the path in the answer. */
  ahead(rows: Rows, row: number): string | undefined {
    const text = this.#object(rows, row);
    if (this.errors.length === 0) return text;
    this.errors.length = 0;
    return undefined;
  }

  /** One object of the root's list, by itself; undefined when an error makes it null. */
  item(rows: Rows, { row, place }: { readonly row: number; readonly place: number }): string | undefined {
    return row < 0 ? "null" : this.at(place, () => this.#object(rows, row));
  }

  #single(rows: Rows): string | undefined {
    return rows.batch.uids.length === 0 ? "null" : this.#object(rows, 0);
  }

  // ---- for steps ------------------------------------------------------------------------------------------------------------

  path(): readonly (string | number)[] {
    return this.#path.slice(0, this.#depth);
  }

  at(place: string | number, write: () => string | undefined): string | undefined {
    this.#path[this.#depth++] = place;
    const text = write();
    this.#depth--;
    return text;
  }

  written(length: number): void {
    if (++this.#items % itemsBetweenLooks === 0) this.#budget.spend(0);
    if (length > this.#room) this.#budget.answered(length);
  }

  list({ partners, start, end, rows, texts }: Slice, itemNonNull: boolean): string | undefined {
    const depth = this.#depth++;
    let text = "[";
    for (let place = start; place < end; place++) {
      this.#path[depth] = place - start;
      // Lists inside lists: few objects may be written very often.
      if (++this.#items % itemsBetweenLooks === 0) this.#budget.spend(0);
      const row = partners ? (partners[place] ?? -1) : place;
      const item = row < 0 ? "null" : this.shared(texts, rows, row);
      if (item === undefined && itemNonNull) {
        this.#depth = depth;
        return undefined;
      }
      text += place === start ? (item ?? "null") : `,${item ?? "null"}`;
      if (text.length > this.#room) this.#budget.answered(text.length);
    }
    this.#depth = depth;
    return `${text}]`;
  }

  /** One with errors is written anew at every place, for their paths. */
  shared(texts: Texts, rows: Rows, row: number): string | undefined {
    const known = texts[row];
    if (known !== undefined) return known;
    const before = this.errors.length;
    const text = this.#object(rows, row);
    if (texts.length > 0 && this.errors.length === before) texts[row] = text;
    return text;
  }

  object(nodes: NodeRows, row: number): string | undefined {
    if (nodes instanceof Rows) return this.#object(nodes, row);
    throw new QuernError("INTERNAL", "A step writes nodes that the kernel has not read.");
  }

  /** An object of measures; those with nothing to look at are null. */
  measures(measured: MeasureRow, selection: MeasureSelection): string {
    let text = "";
    for (const member of selection.members) {
      text += member.opening;
      if (member.kind === "typename") text += member.text;
      else text += this.at(member.key, () => this.measure(measured[member.measure], member.valueKind, member.node)) ?? "null";
    }
    return text === "" ? "{}" : `${text}}`;
  }

  measure(value: Value | undefined, kind: ValueKind, node: FieldNode): string {
    const text = writeMeasure(kind, value);
    if (text === undefined && value !== undefined) this.fail(node, beyondRange(value, kind));
    return text ?? "null";
  }

  value(stored: Value | undefined, field: ValueMember["field"]): string {
    return (stored === undefined ? undefined : writeFieldValue(field, stored)) ?? "null";
  }

  fail(node: FieldNode, text: string | ErrorText): undefined {
    this.#report(node, this.#depth, typeof text === "string" ? { code: "FIELD_FAILED", message: text } : text);
  }

  failed(text: string | ErrorText): undefined {
    if (this.member) this.fail(this.member.node, text);
  }

  misfit(computed: ComputedField, error: FailedField): void {
    this.misfits.set(computed, error);
  }

  // ---- objects --------------------------------------------------------------------------------------------------------------

  #object(rows: Rows, row: number): string | undefined {
    const shape = rows.bound.level.shapes.get(rows.batch.types[row] ?? "");
    if (!shape) return "null";
    let text = "";
    for (const member of shape.members) {
      const value = this.#member(member, rows, row);
      if (value === undefined) return undefined;
      text += member.opening + value;
    }
    return text === "" ? "{}" : `${text}}`;
  }

  #member(member: Member, rows: Rows, row: number): string | undefined {
    switch (member.kind) {
      case "value":
        return this.#value(member, rows, row);
      case "id":
        return `"0x${(rows.batch.uids[row] ?? 0).toString(16)}"`;
      case "typename":
        return member.text;
      case "step":
        return this.#step(member, rows, row);
    }
  }

  #step(member: StepMember, { steps }: Rows, row: number): string | undefined {
    const step = steps[member.step];
    if (!step) throw new QuernError("INTERNAL", "A step of a level was not read.");
    const depth = this.#depth++;
    this.#path[depth] = member.key;
    this.member = member;
    const text = step.rows.write(step.sourceOf ? (step.sourceOf[row] ?? -1) : row, this, row);
    this.#depth = depth;
    return text;
  }

  #value(member: ValueMember, rows: Rows, row: number): string | undefined {
    const { field } = member;
    const { type } = field;
    const stored = rows.batch.columns[member.column]?.[row];
    if (stored === undefined) {
      const failure = rows.failed?.get(member.column)?.get(row);
      if (failure !== undefined) return this.#fail(member, { code: "PLUGIN_FAILED", message: failure }) ?? (type.nonNull ? undefined : "null");
      if (rows.hidden && isRefused(field, rows, row)) return this.#refused(member);
      if (type.list) return "[]";
      return type.nonNull ? this.#fail(member, missingNonNull(field.name, `${type.name}!`)) : "null";
    }
    if (holdsList(field)) return this.#valueList(member, stored) ?? (type.nonNull ? undefined : "null");
    const text = isList(stored) ? undefined : writeOne(member, stored);
    if (text !== undefined) return text;
    this.#fail(member, mismatch(member, stored));
    return type.nonNull ? undefined : "null";
  }

  #valueList(member: ValueMember, stored: Stored): string | undefined {
    if (!isList(stored)) return this.#empty(member);
    let text = "[";
    for (let i = 0; i < stored.length; i++) {
      const value = stored[i];
      const item = value === undefined ? undefined : writeOne(member, value);
      if (item === undefined) {
        this.#path[this.#depth] = member.key;
        this.#path[this.#depth + 1] = i;
        this.#report(member.node, this.#depth + 2, value === undefined ? noText : mismatch(member, value));
        if (member.field.type.itemNonNull) return undefined;
      }
      text += i === 0 ? (item ?? "null") : `,${item ?? "null"}`;
    }
    return `${text}]`;
  }

  /** A single stored value of a field that has become a list. */
  #empty(member: Member): string {
    this.#fail(member, itemForList);
    return "[]";
  }

  /** The caller may not see the field, and an error says so. */
  #refused(member: ValueMember): string | undefined {
    this.#fail(member, fieldHidden(member.field.name));
    return member.field.type.nonNull ? undefined : "null";
  }

  #fail({ key, node }: Pick<Member, "key" | "node">, text: ErrorText): undefined {
    this.#path[this.#depth] = key;
    this.#report(node, this.#depth + 1, text);
  }

  #report(node: FieldNode, length: number, text: ErrorText): void {
    this.errors.push({ ...text, locations: [locationOf(node)], path: this.#path.slice(0, length) });
  }
}

interface RootPlaces {
  readonly type: OutputNullability;
  /** Of a list: the row of each item, -1 for null. Undefined: every row once. */
  readonly places?: readonly number[] | undefined;
}

interface PayloadList {
  readonly key: string;
  readonly type: OutputNullability;
}

function everyRow(rows: Rows, texts: Texts): Slice {
  return { partners: undefined, start: 0, end: rows.batch.uids.length, rows, texts };
}

/** A hole in a stored list. */
const noText: ErrorText = { code: "FIELD_FAILED", message: "" };

function isRefused({ stored }: ValueMember["field"], { hidden }: Rows, row: number): boolean {
  const field = hidden?.get(stored);
  return field?.shows === "error" && field.isHidden(row);
}

function writeOne({ field, geo }: ValueMember, value: Value): string | undefined {
  return geo ? writeGeometry(field.type.name, value, geo) : writeFieldValue(field, value);
}

function mismatch({ field, geo }: ValueMember, stored: Stored): ErrorText {
  if (isList(stored)) return listForItem;
  if (typeof stored === "object" && !geo && !isVector(stored)) return objectForScalar;
  return uncoercible(describeValue(stored), field.name, field.type.name);
}

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}
