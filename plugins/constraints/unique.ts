// `@unique`: no two objects share the value of a field, or a combination of values. The storage keeps it as it keeps the keys of `@id`.

import type { DirectiveUse, Field, KeyLayout, LinkField, ModelContext, NodeType, ValueField } from "../../core/plugin.ts";
import { didYouMean } from "../../core/plugin.ts";

/** Fields whose values are unique together, and the type or interface that says so. */
export interface Combination {
  readonly type: NodeType;
  readonly fields: readonly (ValueField | LinkField)[];
}

const comparable = ["string", "int", "int64", "float", "boolean", "dateTime"];

export function readCombinations(context: ModelContext): readonly Combination[] {
  return context.uses("unique").flatMap((use) => {
    if (use.inherited || !use.type) return [];
    const combination = use.field ? ofField(use, use.field, context) : ofType(use, use.type, context);
    return combination ? [combination] : [];
  });
}

/** The layout's keys: of the type, or of all types that implement the interface. */
export function uniqueKeys(combinations: readonly Combination[]): readonly KeyLayout[] {
  return combinations.map(({ type, fields }) => {
    const names = fields.map(({ stored }) => stored).sort();
    const types = [...new Set(type.members.map(({ stored }) => stored))].sort();
    const ends = fields.flatMap((field) => (field.role === "link" ? [field.stored] : [])).sort();
    return {
      name: `${type.stored}(unique ${names.join(", ")})`,
      fields: names.filter((name) => !ends.includes(name)),
      ...(ends.length > 0 && { ends }),
      types,
    };
  });
}

function ofField({ node, args }: DirectiveUse, field: Field, { report }: ModelContext): Combination | undefined {
  const place = `Type ${field.owner.name}; Field ${field.name}:`;
  if (args.fields !== undefined && args.fields !== null) {
    report(`${place} @unique on a field takes no fields.`, node, `Write @unique alone, or @unique(fields: [...]) on type ${field.owner.name}.`);
    return undefined;
  }
  if (!isComparable(field)) {
    report(`${place} @unique is for fields with one scalar or enum value.`, node);
    return undefined;
  }
  return { type: field.owner, fields: [field] };
}

function ofType({ node, args }: DirectiveUse, type: NodeType, { report }: ModelContext): Combination | undefined {
  const names = Array.isArray(args.fields) ? args.fields.map(String) : [];
  const place = `Type ${type.name}: @unique`;
  if (names.length === 0) {
    report(`${place} on a type needs the names of its fields.`, node, 'Write @unique(fields: ["author", "slug"]).');
    return undefined;
  }
  const problem = names.map((name, i) => problemWith(name, type, names.indexOf(name) < i)).find((each) => each !== undefined);
  if (problem !== undefined) {
    report(`${place} ${problem}`, node);
    return undefined;
  }
  const fields = names.flatMap((name) => type.fields.get(name) ?? []);
  return { type, fields: fields.filter((field) => isComparable(field) || isSingleLink(field)) };
}

function problemWith(name: string, type: NodeType, isRepeated: boolean): string | undefined {
  const field = type.fields.get(name);
  if (!field) return `names the field ${name}, which ${type.name} does not have${didYouMean(name, [...type.fields.keys()]) || "."}`;
  if (isRepeated) return `names the field ${name} twice.`;
  if (field.role === "link") return field.type.list ? `names the field ${name}, which leads to many objects.` : undefined;
  if (isComparable(field)) return undefined;
  return `names the field ${name}, which has not one scalar or enum value.`;
}

function isSingleLink(field: Field): field is LinkField {
  return field.role === "link" && !field.type.list;
}

function isComparable(field: Field): field is ValueField {
  return field.role === "value" && !field.type.list && comparable.includes(field.kind);
}
