// From rows to JSON text: what is missing becomes null, an empty list or an error, and a null in a non-null position propagates to its parent.
// Writes text straight from columns; no object is built for a row.

import { isNonNullType } from "graphql";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { Group, MeasureRow } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Stored, Value } from "../../ground/values/value.ts";
import { isVector } from "../../ground/values/vector.ts";
import { holdsList } from "../../schema/model/holds-list.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import type { OperationBudget, ResponseError } from "../operation-context.ts";
import { locationOf } from "../plan/plan-operation.ts";
import type {
  AggregateMember,
  ComputedMember,
  ConnectionMember,
  GroupKeyMember,
  LinkMember,
  MeasurePlace,
  MeasureSelection,
  Member,
  OutputNullability,
  PageInfoMember,
  ValueMember,
} from "../plan/selection.ts";
import { pluginError } from "./aside.ts";
import { completeAtOnce, plainText } from "./complete-json.ts";
import { writeCursor } from "./cursor.ts";
import { beyondRange, fieldHidden, itemForList, listForItem, missingNonNull, objectForScalar, uncoercible } from "./error-messages.ts";
import type { ListPage } from "./read-connection.ts";
import type { ComputedColumn, ConnectionRows, GroupRows, LinkRows, PlaceRows, Rows, Texts } from "./rows.ts";
import { describeValue, writeFieldValue, writeGeometry, writeMeasure, writeString } from "./write-text.ts";

/**
 * Writes one root field's answer and collects its errors. A method that returns undefined has failed in a non-null position:
 * the error is recorded; the field above decides what becomes null.
 */
export class Completion {
  readonly errors: ResponseError[] = [];
  /** Computed fields that gave what cannot be shown, each with one such place. */
  readonly misfits = new Map<ComputedField, ResponseError>();
  /** Where the writer stands; only as long as the depth that is handed down says. */
  readonly #path: (string | number)[];

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
    const text = type.list ? this.#list(slice, { depth: 1, itemNonNull: type.itemNonNull }) : this.#single(rows);
    return text ?? (type.nonNull ? undefined : "null");
  }

  /** A list under a key of a payload. */
  payloadList({ key, type }: PayloadList, rows: Rows, texts: Texts): string | undefined {
    this.#path[1] = key;
    return this.#list(everyRow(rows, texts), { depth: 2, itemNonNull: type.itemNonNull }) ?? (type.nonNull ? undefined : "null");
  }

  /** One object by itself; undefined when anything is wrong with it or below, whose error needs the path in the answer. */
  ahead(rows: Rows, row: number): string | undefined {
    const text = this.#object(rows, row, 1);
    if (this.errors.length === 0) return text;
    this.errors.length = 0;
    return undefined;
  }

  /** The page of a root field, with what stands around it. */
  page(shown: ConnectionRows): string | undefined {
    return this.#page(shown, 0, 1);
  }

  /** The groups of a root field. */
  groups(shown: GroupRows): string {
    return this.#groups(shown, 0, 1);
  }

  /** The measures of a root field. */
  measures(measured: MeasureRow, selection: MeasureSelection): string {
    return this.#measures(measured, selection, 1);
  }

  /** One object of the root's list, by itself; undefined when an error makes it null. */
  item(rows: Rows, { row, place }: { readonly row: number; readonly place: number }): string | undefined {
    this.#path[1] = place;
    return row < 0 ? "null" : this.#object(rows, row, 2);
  }

  #single(rows: Rows): string | undefined {
    return rows.batch.uids.length === 0 ? "null" : this.#object(rows, 0, 1);
  }

  #list({ partners, start, end, rows, texts }: Slice, { depth, itemNonNull }: ListPlace): string | undefined {
    let text = "[";
    for (let place = start; place < end; place++) {
      this.#path[depth] = place - start;
      // Lists inside lists: few objects may be written very often.
      if (++this.#items % itemsBetweenLooks === 0) this.#budget.spend(0);
      const row = partners ? (partners[place] ?? -1) : place;
      const item = row < 0 ? "null" : (texts[row] ?? this.#shared(texts, { rows, row, depth: depth + 1 }));
      if (item === undefined && itemNonNull) return undefined;
      text += place === start ? (item ?? "null") : `,${item ?? "null"}`;
      if (text.length > this.#room) this.#budget.answered(text.length);
    }
    return `${text}]`;
  }

  /** An object whose text is kept if others will show it too. One with errors is written anew at every place, for their paths. */
  #shared(texts: Texts, { rows, row, depth }: Place): string | undefined {
    const before = this.errors.length;
    const text = this.#object(rows, row, depth);
    if (texts.length > 0 && this.errors.length === before) texts[row] = text;
    return text;
  }

  #object(rows: Rows, row: number, depth: number): string | undefined {
    const shape = rows.bound.level.shapes.get(rows.batch.types[row] ?? "");
    if (!shape) return "null";
    const place = { rows, row, depth };
    let text = "";
    for (const member of shape.members) {
      const value = this.#member(member, place);
      if (value === undefined) return undefined;
      text += member.opening + value;
    }
    return text === "" ? "{}" : `${text}}`;
  }

  #member(member: Member, place: Place): string | undefined {
    switch (member.kind) {
      case "value":
        return this.#value(member, place);
      case "id":
        return `"0x${(place.rows.batch.uids[place.row] ?? 0).toString(16)}"`;
      case "link":
        return this.#link(member, place);
      case "typename":
        return member.text;
      case "aggregate":
        this.#path[place.depth] = member.key;
        return this.#measures(aggregateOf(member, place), place.rows.bound.aggregates[member.aggregate]?.step.measures, place.depth + 1);
      case "connection": {
        this.#path[place.depth] = member.key;
        const shown = place.rows.connections[member.connection];
        return shown && this.#page(shown, shown.pageOf[place.row] ?? -1, place.depth + 1);
      }
      case "groups": {
        this.#path[place.depth] = member.key;
        const shown = place.rows.groups[member.groups];
        return shown && this.#groups(shown, shown.listOf[place.row] ?? -1, place.depth + 1);
      }
      case "computed":
        return this.#computed(member, place);
    }
  }

  /** A list of groups; one that an error makes null is null. */
  #groups(shown: GroupRows, number: number, depth: number): string {
    let text = "[";
    for (const [i, group] of (shown.lists[number] ?? []).entries()) {
      this.#path[depth] = i;
      if (++this.#items % itemsBetweenLooks === 0) this.#budget.spend(0);
      text += `${i === 0 ? "" : ","}${this.#group(shown, group, depth + 1)}`;
      if (text.length > this.#room) this.#budget.answered(text.length);
    }
    return `${text}]`;
  }

  #group(shown: GroupRows, group: Group, depth: number): string {
    let text = "";
    for (const member of shown.bound.selection.members) {
      this.#path[depth] = member.key;
      text += member.opening;
      if (member.kind === "typename") text += member.text;
      else if (member.kind === "measure") text += this.#measure(member, group.measures[member.measure], depth);
      else text += this.#groupKeys(member.members, { shown, group, depth: depth + 1 });
    }
    return text === "" ? "{}" : `${text}}`;
  }

  #groupKeys(members: readonly GroupKeyMember[], { shown, group, depth }: GroupPlace): string {
    let text = "";
    for (const member of members) {
      this.#path[depth] = member.key;
      text += member.opening;
      if (member.kind === "typename") {
        text += member.text;
        continue;
      }
      const key = group.keys[shown.by.indexOf(member.field.stored)];
      if (member.kind === "value") text += (key === undefined ? undefined : writeFieldValue(member.field, key)) ?? "null";
      else {
        const place = shown.places[member.link];
        const row = typeof key === "number" ? place?.rowOf.get(key) : undefined;
        text += (place && row !== undefined ? this.#object(place.rows, row, depth + 1) : undefined) ?? "null";
      }
    }
    return text === "" ? "{}" : `${text}}`;
  }

  /** An object of measures; those with nothing to look at are null. */
  #measures(measured: MeasureRow, selection: MeasureSelection | undefined, depth: number): string {
    let text = "";
    for (const member of selection?.members ?? [])
      text += member.opening + (member.kind === "typename" ? member.text : this.#measure(member, measured[member.measure], depth));
    return text === "" ? "{}" : `${text}}`;
  }

  #measure(member: MeasurePlace & { readonly key: string }, value: Value | undefined, depth: number): string {
    const text = writeMeasure(member.valueKind, value);
    if (text === undefined && value !== undefined) this.#fail(member, depth, beyondRange(value, member.valueKind));
    return text ?? "null";
  }

  #page(shown: ConnectionRows, number: number, depth: number): string | undefined {
    const page = shown.pages[number] ?? noPage;
    const { rows } = page;
    let text = "";
    for (const member of shown.bound.connection.members) {
      this.#path[depth] = member.key;
      const value = this.#pageMember(member, { shown, page, depth: depth + 1 });
      if (value === undefined) return undefined;
      text += member.opening + value;
      if (text.length > this.#room) this.#budget.answered(text.length);
    }
    if (rows.length > 0) this.#budget.spend(0);
    return text === "" ? "{}" : `${text}}`;
  }

  #pageMember(member: ConnectionMember, place: PagePlace): string | undefined {
    const { shown, page } = place;
    switch (member.kind) {
      case "typename":
        return member.text;
      case "totalCount":
        return String(page.total ?? 0);
      case "pageInfo":
        return pageInfoText(member.members, page, shown);
      case "nodes":
        return this.#pageList(place, (row, depth) => this.#pageNode(shown.places[member.place], row, depth));
      case "edges":
        return this.#pageList(place, (row, depth) => {
          let text = "";
          for (const each of member.members) {
            this.#path[depth] = each.key;
            const value =
              each.kind === "cursor"
                ? writeString(writeCursor(row, shown.list))
                : each.kind === "node"
                  ? this.#pageNode(shown.places[each.place], row, depth + 1)
                  : each.text;
            if (value === undefined) return undefined;
            text += each.opening + value;
          }
          return text === "" ? "{}" : `${text}}`;
        });
    }
  }

  #pageList({ page, depth }: PagePlace, write: (row: OrderedRow, depth: number) => string | undefined): string | undefined {
    let text = "[";
    for (const [i, row] of page.rows.entries()) {
      this.#path[depth] = i;
      const item = write(row, depth + 1);
      if (item === undefined) return undefined;
      text += i === 0 ? item : `,${item}`;
      if (text.length > this.#room) this.#budget.answered(text.length);
    }
    return `${text}]`;
  }

  #pageNode(place: PlaceRows | undefined, { uid }: OrderedRow, depth: number): string | undefined {
    const row = place?.rowOf.get(uid);
    if (!place || row === undefined) throw new QuernError("INTERNAL", "A node of a page was not read.");
    return this.#object(place.rows, row, depth);
  }

  #value(member: ValueMember, { rows, row, depth }: Place): string | undefined {
    const { field } = member;
    const { type } = field;
    const stored = rows.batch.columns[member.column]?.[row];
    if (stored === undefined) {
      if (rows.hidden && isRefused(field, rows, row)) return this.#refused(member, depth);
      if (type.list) return "[]";
      return type.nonNull ? this.#fail(member, depth, missingNonNull(field.name, `${type.name}!`)) : "null";
    }
    if (holdsList(field)) return this.#valueList(member, stored, depth) ?? (type.nonNull ? undefined : "null");
    const text = isList(stored) ? undefined : writeOne(member, stored);
    if (text !== undefined) return text;
    this.#fail(member, depth, mismatch(member, stored));
    return type.nonNull ? undefined : "null";
  }

  #valueList(member: ValueMember, stored: Stored, depth: number): string | undefined {
    if (!isList(stored)) return this.#empty(member, depth);
    let text = "[";
    for (let i = 0; i < stored.length; i++) {
      const value = stored[i];
      const item = value === undefined ? undefined : writeOne(member, value);
      if (item === undefined) {
        this.#path[depth] = member.key;
        this.#path[depth + 1] = i;
        this.#report(member, depth + 2, value === undefined ? "" : mismatch(member, value));
        if (member.field.type.itemNonNull) return undefined;
      }
      text += i === 0 ? (item ?? "null") : `,${item ?? "null"}`;
    }
    return `${text}]`;
  }

  /** A single stored value of a field that has become a list. */
  #empty(member: Member, depth: number): string {
    this.#fail(member, depth, itemForList);
    return "[]";
  }

  #link(member: LinkMember, { rows, row, depth }: Place): string | undefined {
    const link = rows.links[member.link];
    const { type } = member.field;
    this.#path[depth] = member.key;
    if (rows.hidden && isRefused(member.field, rows, row)) return this.#refused(member, depth);
    if (link?.kind === "many") {
      const joined = link.joined?.get(link.sourceOf ? (link.sourceOf[row] ?? -1) : row);
      if (joined !== undefined) return joined;
      const items = this.#list(partnersOf(link, row), { depth: depth + 1, itemNonNull: type.itemNonNull });
      return items ?? (type.nonNull ? undefined : "null");
    }
    const partner = link?.rowOf[row] ?? -1;
    if (link && partner >= 0) {
      const text = link.texts[partner] ?? this.#shared(link.texts, { rows: link.rows, row: partner, depth: depth + 1 });
      return text ?? (type.nonNull ? undefined : "null");
    }
    return type.nonNull ? this.#fail(member, depth, missingNonNull(member.field.name, `${type.name}!`)) : "null";
  }

  #computed({ key, json, computed }: ComputedMember, { rows, row, depth }: Place): string | undefined {
    const { values, errors, written } = rows.computed[computed] ?? nothingComputed;
    const value = values[row];
    const plain = errors?.has(row) ? undefined : plainText(json, value);
    if (plain !== undefined) return plain;
    const path = [...this.#path.slice(0, depth), key];
    const reported = errors?.get(row);
    for (const error of reported ?? []) this.errors.push(pluginError(error, locationOf(json.node), path));
    // A plugin that says why there is no value has said it for a non-null field too.
    if (reported && (value === null || value === undefined) && isNonNullType(json.type)) return undefined;
    const before = this.errors.length;
    const ahead = written?.get(row);
    const text = ahead ? ahead.text : completeAtOnce({ selection: json, errors: this.errors }, value, path);
    for (const error of ahead?.errors ?? []) this.errors.push({ ...error, path: [...path, ...(error.path ?? [])] });
    const error = this.errors[before];
    const step = rows.bound.level.computed[computed];
    if (error && step) this.misfits.set(step.computed, error);
    return text;
  }

  /** The caller may not see the field, and an error says so. */
  #refused(member: ValueMember | LinkMember, depth: number): string | undefined {
    this.#fail(member, depth, fieldHidden(member.field.name));
    return member.field.type.nonNull ? undefined : "null";
  }

  #fail(member: Pick<Member, "key" | "node">, depth: number, message: string): undefined {
    this.#path[depth] = member.key;
    this.#report(member, depth + 1, message);
  }

  #report({ node }: Pick<Member, "node">, length: number, message: string): void {
    this.errors.push({ message, locations: [locationOf(node)], path: this.#path.slice(0, length) });
  }
}

interface GroupPlace {
  readonly shown: GroupRows;
  readonly group: Group;
  readonly depth: number;
}

interface PagePlace {
  readonly shown: ConnectionRows;
  readonly page: ListPage;
  readonly depth: number;
}

/** Of an object that hides its links. */
const noPage: ListPage = Object.freeze({ rows: [], hasNext: false, hasPrevious: false, total: 0 });

function pageInfoText(members: readonly PageInfoMember[], { rows, hasNext, hasPrevious }: ListPage, { list }: ConnectionRows): string {
  const cursorOf = (row: OrderedRow | undefined): string => (row ? writeString(writeCursor(row, list)) : "null");
  const values = {
    typename: () => '"PageInfo"',
    hasNextPage: () => String(hasNext),
    hasPreviousPage: () => String(hasPrevious),
    startCursor: () => cursorOf(rows[0]),
    endCursor: () => cursorOf(rows.at(-1)),
  };
  const text = members.map(({ opening, kind }) => opening + values[kind]()).join("");
  return text === "" ? "{}" : `${text}}`;
}

const itemsBetweenLooks = 1_024;
const nothingComputed: ComputedColumn = { values: [], errors: undefined, written: undefined };

interface RootPlaces {
  readonly type: OutputNullability;
  /** Of a list: the row of each item, -1 for null. Undefined: every row once. */
  readonly places?: readonly number[] | undefined;
}

interface PayloadList {
  readonly key: string;
  readonly type: OutputNullability;
}

interface Place {
  readonly rows: Rows;
  readonly row: number;
  readonly depth: number;
}

interface ListPlace {
  readonly depth: number;
  readonly itemNonNull: boolean;
}

/** Rows `partners[start]` up to before `partners[end]`; without `partners` the rows `start` to `end` themselves. */
interface Slice {
  readonly partners: readonly number[] | undefined;
  readonly start: number;
  readonly end: number;
  readonly rows: Rows;
  readonly texts: Texts;
}

function everyRow(rows: Rows, texts: Texts): Slice {
  return { partners: undefined, start: 0, end: rows.batch.uids.length, rows, texts };
}

function partnersOf({ partners, starts, sourceOf, rows, texts }: Extract<LinkRows, { kind: "many" }>, row: number): Slice {
  const source = sourceOf ? (sourceOf[row] ?? -1) : row;
  return { partners, start: starts[source] ?? 0, end: starts[source + 1] ?? 0, rows, texts };
}

function isRefused({ stored }: ValueMember["field"] | LinkMember["field"], { hidden }: Rows, row: number): boolean {
  const field = hidden?.get(stored);
  return field?.shows === "error" && field.isHidden(row);
}

function aggregateOf(member: AggregateMember, { rows, row }: Place): MeasureRow {
  return rows.aggregates[member.aggregate]?.[row] ?? [];
}

function writeOne({ field, geo }: ValueMember, value: Value): string | undefined {
  return geo ? writeGeometry(field.type.name, value, geo) : writeFieldValue(field, value);
}

function mismatch({ field, geo }: ValueMember, stored: Stored): string {
  if (isList(stored)) return listForItem;
  if (typeof stored === "object" && !geo && !isVector(stored)) return objectForScalar;
  return uncoercible(describeValue(stored), field.name, field.type.name);
}

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}
