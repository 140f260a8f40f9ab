// Derives the storage layout of a model: types, fields, edges and keys under their stored names, and the additions of plugins.

import type { EdgeLayout, FieldLayout, KeyLayout, Layout, TypeLayout } from "../../contracts/layout.ts";
import type { LinkField, Model, NodeType, ValueField } from "../../contracts/model.ts";
import type { LayoutAdditions } from "../../contracts/plugin/api-additions.ts";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { compareText } from "../../ground/values/compare.ts";
import { holdsList } from "../model/holds-list.ts";
import { buildEdges } from "./edges.ts";
import { scopedKeyLayout } from "./scoped-key-layout.ts";

/** The layout additions of one plugin. */
export interface PluginLayout extends LayoutAdditions {
  readonly plugin: string;
}

const nothingDeclared: Model = { nodeTypes: new Map(), unions: new Map(), enums: new Map() };

/** What plugins store whatever schema is deployed. */
export function standingAdditions(plugins: readonly DirectivePlugin[]): readonly PluginLayout[] {
  return plugins.flatMap(({ name, stores }) => (stores ? [{ ...stores, plugin: name }] : []));
}

/** The layout before the first deploy. */
export function standingLayout(plugins: readonly DirectivePlugin[]): Layout {
  return buildLayout(nothingDeclared, standingAdditions(plugins));
}

/** Everything is sorted by name: reordering definitions in the text does not change the layout. */
export function buildLayout(model: Model, additions: readonly PluginLayout[]): Layout {
  assertOneMeaning(model);
  const fields = byName([...[...model.nodeTypes.values()].flatMap(valueFields).map(fieldLayout), ...additions.flatMap((each) => each.fields ?? [])]);
  const edges = buildEdges(model);
  assertKnown(additions, { model, fields, edges });
  const types = byName(merged([...typeLayouts(model), ...additions.flatMap((each) => each.types ?? [])]));
  return Object.freeze({
    types: types.map((type) => withSources(type, fields)),
    fields,
    edges,
    indexes: byName(additions.flatMap((each) => each.indexes ?? [])),
    keys: byName([...keyLayouts(model), ...additions.flatMap((each) => each.keys ?? [])]),
  });
}

/**
 * Fields may share a stored name only if they store the same kind of value. Plugins that let a schema choose stored names report conflicts
 * with better messages; this is the last check.
 *
 * @throws QuernError `PLUGIN_CLASH`
 */
function assertOneMeaning(model: Model): void {
  const holders = new Map<string, ValueField | LinkField>();
  for (const type of model.nodeTypes.values()) {
    for (const field of type.fields.values()) {
      if (field.role !== "value" && field.role !== "link") continue;
      const holder = holders.get(field.stored) ?? field;
      holders.set(field.stored, holder);
      if (meaningOf(holder) === meaningOf(field)) continue;
      const [one, other] = [holder, field].map(({ owner, name }) => `${owner.name}.${name}`);
      throw new QuernError(
        "PLUGIN_CLASH",
        `${one} and ${other} are both stored as ${field.stored}, as different things; name one of them otherwise.`,
      );
    }
  }
}

/**
 * Additions of plugins may only refer to stored fields and types.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
function assertKnown(
  additions: readonly PluginLayout[],
  { model, fields, edges }: { readonly model: Model; readonly fields: readonly FieldLayout[]; readonly edges: readonly EdgeLayout[] },
): void {
  const known = new Set(fields.map(({ name }) => name));
  const singleEnds = edges.flatMap(({ sides }) => sides.flatMap(({ ends }) => ends.flatMap(({ many, name }) => (many ? [] : [name]))));
  const types = new Set([
    ...objectTypes(model).map(({ stored }) => stored),
    ...additions.flatMap((each) => (each.types ?? []).map(({ name }) => name)),
  ]);
  for (const { plugin, types: added = [], fields: made = [], indexes = [], keys = [] } of additions) {
    const named = [
      ...added.map((type) => ({ what: `the type ${type.name}`, fields: type.fields })),
      ...made.map((field) => ({ what: `the derived field ${field.name}`, fields: field.derived?.from ?? [] })),
      ...indexes.map((index) => ({ what: `the index ${index.name}`, fields: [index.field, ...(index.by === "compound" ? index.within : [])] })),
      ...keys.map((key) => ({ what: `the key ${key.name}`, fields: key.fields })),
    ];
    for (const each of named) {
      const unknown = each.fields.find((field) => !known.has(field));
      if (unknown !== undefined)
        throw unknownReference(plugin, `${each.what} is over the field ${unknown}, which is not stored`, didYouMean(unknown, [...known]));
    }
    for (const index of indexes) {
      const unfit = index.by === "compound" && [index.field, ...index.within].find((name) => !isOrdered(fields.find((field) => field.name === name)));
      if (unfit) throw unknownReference(plugin, `the index ${index.name} is over the field ${unfit}, which has not one value with an order`, "");
    }
    for (const key of keys) {
      const unknown = key.types.find((type) => !types.has(type));
      if (unknown !== undefined)
        throw unknownReference(plugin, `the key ${key.name} is of the type ${unknown}, which is not stored`, didYouMean(unknown, [...types]));
      const end = key.ends?.find((name) => !singleEnds.includes(name));
      if (end !== undefined)
        throw unknownReference(
          plugin,
          `the key ${key.name} is over the end ${end}, which is not a stored link to one node`,
          didYouMean(end, singleEnds),
        );
    }
  }
}

/** A compound index is over such fields. */
function isOrdered(field: FieldLayout | undefined): boolean {
  return field !== undefined && !field.list && field.kind !== "geo" && field.kind !== "vector";
}

function unknownReference(plugin: string, problem: string, meant: string): QuernError {
  return new QuernError("CONFIG_INVALID", `Plugin "${plugin}", hook layout: ${problem}${meant || "."}`);
}

function meaningOf(field: ValueField | LinkField): string {
  return field.role === "link" ? "link" : `${field.kind}${holdsList(field) ? "[]" : ""}`;
}

function objectTypes(model: Model): readonly NodeType[] {
  return [...model.nodeTypes.values()].filter((type) => type.kind === "object");
}

function valueFields(type: NodeType): readonly ValueField[] {
  return [...type.fields.values()].filter((field) => field.role === "value");
}

function typeLayouts(model: Model): readonly TypeLayout[] {
  return objectTypes(model).map((type) => ({ name: type.stored, fields: valueFields(type).map((field) => field.stored) }));
}

/** Merges types with the same stored name. */
function merged(types: readonly TypeLayout[]): readonly TypeLayout[] {
  const fields = new Map<string, Set<string>>();
  for (const type of types) fields.set(type.name, new Set([...(fields.get(type.name) ?? []), ...type.fields]));
  return [...fields].map(([name, known]) => ({ name, fields: [...known] }));
}

function fieldLayout(field: ValueField): FieldLayout {
  return { name: field.stored, kind: field.kind, list: holdsList(field) };
}

/** A type with a derived field also has the fields that it is derived from. */
function withSources(type: TypeLayout, fields: readonly FieldLayout[]): TypeLayout {
  const derived = fields.filter((field) => field.derived && type.fields.includes(field.name));
  const names = new Set([...type.fields, ...derived.flatMap((field) => field.derived?.from ?? [])]);
  return { name: type.name, fields: [...names].sort(compareText) };
}

/** A key of one type, or of all that implement an interface: `Person(Person.email)`. */
function keyLayouts(model: Model): readonly KeyLayout[] {
  return objectTypes(model).flatMap((type) => [
    ...type.keys.map(({ field, scope, across }) => ({
      name: `${(across ?? type).stored}(${field.stored})`,
      fields: [field.stored],
      types: [...new Set(scope.map((each) => each.stored))].sort(compareText),
    })),
    ...type.scopedKeys.map((key) => scopedKeyLayout(type, key)),
  ]);
}

/** Sorted by name; the last of several with the same name wins. */
function byName<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [each.name, each])).values()].sort((a, b) => compareText(a.name, b.name));
}
