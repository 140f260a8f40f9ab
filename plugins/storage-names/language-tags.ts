// `pred: "x@en"`: a text in several languages. A single tag is a field of its own. A list of tags, or `.` for any, is the first text that is
// present.

import type { Derivation, DirectiveUse, Field, FieldLayout, Model, ModelContext, ValueField } from "../../core/plugin.ts";
import { compareText } from "../../core/plugin.ts";

const any = ".";

/** Validates a tagged name and records where the API shows the field. Returns false when the name is invalid. */
export function readLanguage(use: DirectiveUse, field: Field, name: string, { report, record }: ModelContext): boolean {
  const [, tag = "", ...more] = name.split("@");
  const start = `Type ${field.owner.name}; Field ${field.name}:`;
  const refuse = (message: string, at: Parameters<typeof report>[1] = use.node) => {
    report(`${start} ${message}`, at);
    return false;
  };
  const directive = (written: string) => field.definition.directives?.find((each) => each.name.value === written);
  if (field.role !== "value" || field.type.name !== "String") {
    return refuse(`Expected type \`String\` for language tag field but got \`${field.type.name}\``, field.definition);
  }
  const [id, search] = [directive("id"), directive("search")];
  if (id) return refuse("@id directive not supported on language tag fields", id);
  if (search && tag.includes(":")) return refuse("@search directive not applicable on language tag field with multiple languages", search);
  if (tag === "*") return refuse("`*` language tag not supported in GraphQL");
  if (tag === "" && more.length === 0) return refuse("empty language tag not supported");
  if (more.length > 0) return refuse("multiple language tag not supported");
  if (!use.inherited) showByTag(field, tag, record);
  return true;
}

function showByTag(field: ValueField, tag: string, record: ModelContext["record"]): void {
  if (tag.includes(":")) record.exposure(field, { input: false, has: false, order: false, aggregate: "range" });
  else if (tag === any) record.exposure(field, { input: false });
  else if (isLanguage(tag)) record.collation(field, tag);
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** The derived fields of all names with several tags, and hidden fields for the single tags that no field of the schema stores. */
export function languageLayout(model: Model): { readonly fields: readonly FieldLayout[] } {
  const tagged = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]).filter((field) => field.role === "value");
  const plain = new Set(tagged.map((field) => field.stored).filter((name) => !isDerived(name)));
  const names = new Set(tagged.map((field) => field.stored).filter(isDerived));
  const derived = [...names].map((name): FieldLayout => ({ name, kind: "string", list: false, derived: firstThere(name, plain) }));
  const sources = new Set(derived.flatMap((field) => field.derived?.from ?? []).filter((name) => !plain.has(name)));
  return { fields: [...[...sources].map((name): FieldLayout => ({ name, kind: "string", list: false })), ...derived] };
}

function isDerived(name: string): boolean {
  const tag = name.split("@")[1];
  return tag !== undefined && (tag === any || tag.includes(":"));
}

function firstThere(name: string, plain: ReadonlySet<string>): Derivation {
  const [base = "", tags = ""] = name.split("@");
  const from = tags.split(":").flatMap((tag) => (tag === any ? anyOf(base, plain) : [`${base}@${tag}`]));
  const sources = [...new Set(from)];
  return { id: `first-there/1(${sources.join(",")})`, from: sources, derive: (values) => values.find((value) => value !== undefined) };
}

/** The text without a tag, then those with a tag in byte order. */
function anyOf(base: string, plain: ReadonlySet<string>): readonly string[] {
  return [base, ...[...plain].filter((name) => name.startsWith(`${base}@`)).sort(compareText)];
}
