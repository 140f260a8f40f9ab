// A new node as somebody writes it into a form, with the nodes that are made together with it.

import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import type { Json, JsonObject } from "../api/json.ts";
import { messageOf, RequestFailed, type UploadedFile } from "../api/server.ts";
import type { Field, NodeType } from "../model/api-model.ts";
import { asReference, type LinkedNode, referenceInput, referenceTo } from "../model/links.ts";
import { parseValue } from "../model/values.ts";

export interface Draft {
  readonly texts: Readonly<Record<string, string>>;
  readonly links: Readonly<Record<string, readonly DraftLink[]>>;
  readonly files: Readonly<Record<string, UploadedFile | undefined>>;
}

export type DraftLink =
  | { readonly kind: "existing"; readonly node: LinkedNode }
  | { readonly kind: "new"; readonly type: NodeType; readonly draft: Draft };

export const emptyDraft: Draft = { texts: {}, links: {}, files: {} };

/** What is wrong with which field: `name`, `lines.0.quantity`. */
export type Problems = ReadonlyMap<string, string>;

export interface FormInput {
  readonly input: GraphQLInputField;
  readonly field: Field;
  readonly isRequired: boolean;
}

/** @param by the field through which the node is made: the server sets its other side */
export function formInputs(type: NodeType, by?: Pick<Field, "inverse">): readonly FormInput[] {
  return Object.values(type.add?.input.getFields() ?? {})
    .filter(({ name }) => name !== by?.inverse)
    .map((input) => ({ input, field: fieldOfInput(type, input), isRequired: isRequiredInputField(input) }));
}

/** What can be written as text: a file cannot. */
export function textInputs(type: NodeType): readonly FormInput[] {
  return formInputs(type).filter(({ field }) => field.kind !== "file");
}

/** The input of all filled fields, or what is wrong with them. */
export function inputOfDraft(type: NodeType, draft: Draft, by?: Pick<Field, "inverse">): { readonly value: JsonObject; readonly problems: Problems } {
  const value: Record<string, Json> = {};
  const problems = new Map<string, string>();
  for (const each of formInputs(type, by)) {
    try {
      const found = filledValue(type, each, draft, problems);
      if (found !== undefined) value[each.input.name] = found;
      else if (each.isRequired) problems.set(each.input.name, "A value is required.");
    } catch (thrown) {
      problems.set(each.input.name, messageOf(thrown));
    }
  }
  return { value, problems };
}

function filledValue(type: NodeType, each: FormInput, draft: Draft, problems: Map<string, string>): Json | undefined {
  if (each.field.kind === "link") return linksOf(type, each, draft, problems);
  return each.field.kind === "file" ? fileValue(each, draft) : textValue(each, draft);
}

function fileValue({ input }: FormInput, { files }: Draft): Json | undefined {
  const file = files[input.name];
  return file && { upload: file.upload };
}

function textValue({ input, field }: FormInput, { texts }: Draft): Json | undefined {
  const text = texts[input.name] ?? "";
  return text === "" ? undefined : parseValue(field, text);
}

function linksOf(type: NodeType, { input, field }: FormInput, { links }: Draft, problems: Map<string, string>): Json | undefined {
  const target = referenceInput(type, field);
  const chosen = links[input.name] ?? [];
  if (target === undefined || chosen.length === 0) return undefined;
  const references = chosen.map((link, place) => {
    const found = referenceOf(type, field, link, target);
    for (const [name, problem] of found.problems) problems.set(`${input.name}.${field.isList ? `${place}.` : ""}${name}`, problem);
    return found.value;
  });
  return field.isList ? references : references[0];
}

function referenceOf(type: NodeType, field: Field, link: DraftLink, target: GraphQLInputObjectType): ReturnType<typeof inputOfDraft> {
  if (link.kind === "existing") return { value: referenceTo(type, field, link.node), problems: new Map() };
  const { value, problems } = inputOfDraft(link.type, link.draft, field);
  return { value: asReference(target, link.type, value), problems };
}

/**
 * What the server says of fields of the form, where it says nothing else. Empty: show it as a whole.
 *
 * @param inputDepth how many steps of a place in the arguments lead to the form: two in `["input", "0", "name"]`
 */
export function problemsByField(thrown: unknown, form: { readonly places: ReadonlySet<string>; readonly inputDepth: number }): Problems {
  if (!(thrown instanceof RequestFailed)) return new Map();
  const marked = thrown.errors.map(({ input, message }) => [input.slice(form.inputDepth).join("."), message] as const);
  return marked.every(([name]) => form.places.has(name)) ? new Map(marked) : new Map();
}

/** The names of all fields that the form shows. */
export function placesOf(type: NodeType, draft: Draft, by?: Pick<Field, "inverse">): ReadonlySet<string> {
  return new Set(
    formInputs(type, by).flatMap(({ input: { name }, field }) => [
      name,
      ...(draft.links[name] ?? []).flatMap((link, place) => {
        const at = field.isList ? `${name}.${place}` : name;
        return link.kind === "new" ? [...placesOf(link.type, link.draft, field)].map((each) => `${at}.${each}`) : [];
      }),
    ]),
  );
}

/** Those of one part of the form. */
export function problemsBelow(problems: Problems, name: string): Problems {
  return new Map([...problems].flatMap(([each, problem]) => (each.startsWith(`${name}.`) ? [[each.slice(name.length + 1), problem] as const] : [])));
}

/** The field of the type that the input sets. An input without one, such as a password, is a plain value. */
function fieldOfInput(type: NodeType, { name, type: inputType }: GraphQLInputField): Field {
  const known = type.fields.find((field) => field.name === name);
  if (known !== undefined) return known;
  const named = getNamedType(inputType);
  return {
    name,
    typeText: String(inputType),
    kind: isInputObjectType(named) ? "geo" : "scalar",
    named: named.name,
    isList: isListType(getNullableType(inputType)),
    values: isEnumType(named) ? named.getValues().map((each) => each.name) : [],
    aggregate: undefined,
    inverse: undefined,
    byDefault: undefined,
    isKey: false,
    description: undefined,
    file: undefined,
  };
}
