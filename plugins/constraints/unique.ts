// `@unique`: no two objects share the value of a field, or a combination of values. The storage keeps it as it keeps the keys of `@id`.

import type {
  Change,
  ChangesContext,
  DirectiveUse,
  Field,
  KeyLayout,
  LinkField,
  ModelContext,
  NodeRef,
  NodeType,
  ValueField,
} from "../../core/plugin.ts";
import { didYouMean, QuernError } from "../../core/plugin.ts";

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

interface Part {
  readonly node: NodeRef;
  readonly stored: string;
}

/**
 * The hook `changes`: who writes a part of a combination needs the right to read its other parts. Otherwise objects of one's own, one for each guess, would
 * tell the hidden part by a refusal.
 */
export function guardCombinations(combinations: readonly Combination[]): (context: ChangesContext) => Promise<undefined> {
  const several = combinations.filter(({ fields }) => fields.length > 1);
  return async ({ changes, sees }) => {
    for (const { type, fields } of several) {
      const types = new Set(type.members.map(({ stored }) => stored));
      const made = new Set(changes.flatMap((change) => (change.kind === "create" ? [change.uid] : [])));
      const parts = changes.flatMap((change) => partsOf(change, fields)).filter(({ node }) => types.has(node.type) && !made.has(node.uid));
      if (parts.length === 0) continue;
      const written = new Set(parts.map(({ node, stored }) => `${node.uid} ${stored}`));
      const isSeen = await sees(
        parts.map(({ node }) => node),
        fields.map(({ stored }) => stored),
      );
      const isOpen = ({ node: { uid } }: Part) => fields.every(({ stored }) => written.has(`${uid} ${stored}`) || isSeen(uid, stored));
      if (!parts.every(isOpen)) throw unread(type, fields);
    }
    return undefined;
  };
}

/** What a change writes of a combination. A link may be written from its other side. */
function partsOf(change: Change, fields: Combination["fields"]): readonly Part[] {
  if (change.kind === "set") {
    const { uid, type } = change;
    return fields.flatMap(({ stored }) => ((change.fields[stored] ?? null) === null ? [] : [{ node: { uid, type }, stored }]));
  }
  if (change.kind !== "link") return [];
  const { end, from, fromType, to, toType } = change;
  return fields.flatMap((field) => {
    if (field.role !== "link") return [];
    if (field.stored === end) return [{ node: { uid: from, type: fromType }, stored: end }];
    return field.inverse?.stored === end ? [{ node: { uid: to, type: toType }, stored: field.stored }] : [];
  });
}

function unread({ name }: NodeType, fields: Combination["fields"]): QuernError {
  const names = fields.map((field) => field.name).join(" and ");
  return new QuernError("FORBIDDEN", `${name}: ${names} are unique together, and who writes one of them needs the right to read the others`, {
    hint: "Write all of them, or choose objects of which you may read them.",
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
  const problem = names.map((name, i) => problemWith(name, { type, isRepeated: names.indexOf(name) < i })).find((each) => each !== undefined);
  if (problem !== undefined) {
    report(`${place} ${problem}`, node);
    return undefined;
  }
  const fields = names.flatMap((name) => type.fields.get(name) ?? []);
  return { type, fields: fields.filter((field) => isComparable(field) || isSingleLink(field)) };
}

function problemWith(name: string, { type, isRepeated }: { readonly type: NodeType; readonly isRepeated: boolean }): string | undefined {
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
