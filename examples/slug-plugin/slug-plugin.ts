// `@slug(from)`: a unique key that is made of another field's text, unless the client gives one.

import {
  type DirectivePlugin,
  type DirectiveUse,
  type Field,
  type InputChanges,
  type InputObject,
  type ModelContext,
  QuernError,
  type ValueField,
} from "quern";

interface Slug {
  readonly field: ValueField;
  readonly source: ValueField;
}

export function slugPlugin(): DirectivePlugin {
  return {
    name: "slug",
    definitions: "directive @slug(from: String!) on FIELD_DEFINITION",
    model(context) {
      const slugs = context.uses("slug").flatMap((use) => readSlug(use, context));
      return slugs.length === 0 ? undefined : { values: (input) => fillIn(input, slugs) };
    },
  };
}

/** Makes the field a key, as `@id` does, that an add may leave out; reports what cannot be one at its place in the schema. */
function readSlug({ node, args, field, type }: DirectiveUse, { record, report }: ModelContext): readonly Slug[] {
  const source = type?.fields.get(String(args.from));
  if (!isText(field)) report(`Type ${type?.name}; Field ${field?.name}: @slug is for String fields.`, node);
  else if (source === field || !isText(source)) report(`Type ${type?.name}; Field ${field.name}: @slug is made from another String field.`, node);
  else {
    record.key(field, "type");
    record.optionalOnAdd(field);
    return [{ field, source }];
  }
  return [];
}

function isText(field: Field | undefined): field is ValueField {
  return field?.role === "value" && field.kind === "string" && !field.type.list;
}

/** Counts only if the object turns out new: a reference by another key makes no slug. */
function fillIn({ type, values }: InputObject, slugs: readonly Slug[]): InputChanges | undefined {
  const whenCreated = new Map<string, string>();
  for (const { field, source } of slugs) {
    const text = values.get(source.name);
    if (type !== field.owner || typeof text !== "string" || typeof values.get(field.name) === "string") continue;
    const slug = slugOf(text);
    if (slug === "")
      return {
        refuse: new QuernError("VALUE_INVALID", `${type.name}.${source.name} has no letter to make ${field.name} of. Give ${field.name} too.`),
      };
    whenCreated.set(field.name, slug);
  }
  return whenCreated.size > 0 ? { whenCreated } : undefined;
}

/** `Crème brûlée, twice!` is `creme-brulee-twice`; letters of every script stay. */
export function slugOf(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}
