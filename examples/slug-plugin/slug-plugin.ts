// `@slug(from)`: a unique key that is derived from another field's text, unless the client sets it.

import {
  type DirectivePlugin,
  type DirectiveUse,
  type Field,
  type InputChanges,
  type InputObject,
  type ModelContext,
  QuernError,
  type ValueField,
} from "quern/plugin";

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

/** Makes the field a key, as `@id` does, which an add may omit. Reports an invalid use with its location. */
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

/** Applies only to new objects: a reference by another key gets no slug. */
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

/** `Crème brûlée, twice!` becomes `creme-brulee-twice`. Letters of all scripts are kept. */
export function slugOf(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}
