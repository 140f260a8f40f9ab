// The `body` of `@custom`: a GraphQL value in whose places variables may stand.

import { GraphQLError, Kind, parse, parseValue, type ValueNode } from "graphql";
import { parseJson, writeJson } from "../../../core/plugin.ts";
import type { TemplateValues } from "./value-text.ts";

export type BodyTemplate =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly BodyTemplate[] }
  | { readonly kind: "object"; readonly members: readonly { readonly name: string; readonly value: BodyTemplate }[] }
  | { readonly kind: "value"; readonly value: unknown };

/** A template that cannot be read; the message says why. */
export class TemplateError extends Error {}

/** How words without quotes are read. */
export type EnumWords = "refused" | "texts";

/**
 * Undefined for a blank text: the request has no body.
 *
 * @throws TemplateError
 */
export function parseBodyTemplate(text: string, words: EnumWords): BodyTemplate | undefined {
  return text.trim() === "" ? undefined : readValue(parsed(text), words);
}

function parsed(text: string): ValueNode {
  try {
    // What Dgraph parses, whose messages clients know. A bracket of the text may close this frame, so the value is parsed by itself.
    parse(`query { dummy(input:${text}) }`);
    return parseValue(text);
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    throw new TemplateError(`input:1: ${syntaxText(thrown.message)}`);
  }
}

/** `Syntax Error: Expected Name, found "}".` as clients expect it. */
export function syntaxText(message: string): string {
  return message
    .replace(/^Syntax Error: /u, "")
    .replace(/\.$/u, "")
    .replace(/^Unexpected "(.+)"$/u, "Unexpected $1")
    .replace(/^Expected "?(.+?)"?, found (?:"(.+)"|(\S+).*)$/u, "Expected $1, found $2$3");
}

function readValue(node: ValueNode, words: EnumWords): BodyTemplate {
  switch (node.kind) {
    case Kind.VARIABLE:
      return { kind: "variable", name: node.name.value };
    case Kind.LIST:
      return { kind: "list", items: node.values.map((each) => readValue(each, words)) };
    case Kind.OBJECT:
      return { kind: "object", members: node.fields.map(({ name, value }) => ({ name: name.value, value: readValue(value, words) })) };
    case Kind.STRING:
      if (node.block) throw new TemplateError(`found unexpected value: ${node.value}`);
      return /^\$./u.test(node.value) ? { kind: "variable", name: node.value.slice(1) } : { kind: "value", value: node.value };
    case Kind.ENUM:
      if (words === "refused") throw new TemplateError(`found unexpected value: ${node.value}`);
      return { kind: "value", value: node.value };
    case Kind.INT:
    case Kind.FLOAT:
      return { kind: "value", value: parseJson(node.value) };
    case Kind.BOOLEAN:
      return { kind: "value", value: node.value };
    case Kind.NULL:
      return { kind: "value", value: null };
  }
}

/** The names of its variables, each once. */
export function bodyVariables(template: BodyTemplate | undefined): readonly string[] {
  const names = new Set<string>();
  const visit = (each: BodyTemplate): void => {
    if (each.kind === "variable") names.add(each.name);
    else if (each.kind === "list") for (const item of each.items) visit(item);
    else if (each.kind === "object") for (const { value } of each.members) visit(value);
  };
  if (template) visit(template);
  return [...names];
}

/** The value of the template: a member without a value is left out, an item without one is null. Undefined: the whole has none. */
export function fillBody(template: BodyTemplate, values: TemplateValues): unknown {
  switch (template.kind) {
    case "variable":
      return values.get(template.name);
    case "value":
      return template.value;
    case "list":
      return template.items.map((item) => fillBody(item, values) ?? null);
    case "object":
      return Object.fromEntries(
        template.members.flatMap(({ name, value }) => {
          const filled = fillBody(value, values);
          return filled === undefined ? [] : [[name, filled]];
        }),
      );
  }
}

/** The text of a request's body; a whole body of null or without a value is none. */
export function bodyText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : writeJson(value);
}
