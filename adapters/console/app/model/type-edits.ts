// Edits of the types of a schema text: each changes one place, and everything else stays as it is written.

import { type Definition, definitionsIn } from "./written-types.ts";

export interface NewField {
  readonly name: string;
  /** `String`, or the name of a type. */
  readonly named: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** `@id`, `@search(by: [term])`. */
  readonly directives: readonly string[];
}

/** Who may do what. */
export type AccessTemplate =
  | { readonly kind: "owner"; readonly field: string; readonly claim: string }
  | { readonly kind: "role"; readonly claim: string; readonly role: string }
  | { readonly kind: "public to read"; readonly claim: string; readonly role: string };

const nameRule = /^[A-Za-z][A-Za-z0-9_]*$/;

/** What is wrong with a name; empty: nothing. */
export function nameProblem(name: string, others: readonly string[]): string {
  if (!nameRule.test(name)) return "A name has letters, digits and _, and begins with a letter.";
  return others.includes(name) ? `There is ${name} already.` : "";
}

/** The text with a new type after the last one: comments at its end, such as who signs tokens, stay there. */
export function withType(text: string, name: string, fields: readonly NewField[]): string {
  const declaration = `type ${name} {\n${fields.map((field) => `  ${fieldText(field)}\n`).join("")}}\n`;
  const last = (definitionsIn(text) ?? []).reduce((end, { loc }) => Math.max(end, loc?.end ?? 0), 0);
  if (last > 0) return insert(text, last, `\n\n${declaration.trimEnd()}`);
  return text.trim() === "" ? declaration : `${declaration}\n${text}`;
}

export function withField(text: string, type: string, field: NewField): string {
  const definition = definitionOf(text, type);
  const end = definition?.loc?.end;
  if (definition === undefined || end === undefined) return text;
  if (!definition.fields?.length) return insert(text, end, ` {\n  ${fieldText(field)}\n}`);
  const brace = end - 1;
  const lineStart = text.lastIndexOf("\n", brace) + 1;
  // A type on one line stays on one line.
  if (text.slice(lineStart, brace).trim() !== "") return insert(text, brace, `${/\s$/.test(text.slice(0, brace)) ? "" : " "} ${fieldText(field)} `);
  return insert(text, lineStart, `  ${fieldText(field)}\n`);
}

/** Two fields that hold the same links, one on each side. */
export function withLink(text: string, type: string, field: NewField, inverse: Pick<NewField, "name" | "isList">): string {
  const linked = withField(text, type, { ...field, directives: [...field.directives, `@hasInverse(field: ${inverse.name})`] });
  return withField(linked, field.named, { ...inverse, named: type, isRequired: false, directives: [] });
}

export function withoutField(text: string, type: string, name: string): string {
  const found = definitionOf(text, type)?.fields?.find((field) => field.name.value === name)?.loc;
  if (found === undefined) return text;
  const lineStart = text.lastIndexOf("\n", found.start) + 1;
  const lineEnd = text.indexOf("\n", found.end);
  const rest = lineEnd < 0 ? "" : text.slice(found.end, lineEnd);
  const isAlone = text.slice(lineStart, found.start).trim() === "" && /^\s*(#.*)?$/.test(rest) && lineEnd >= 0;
  return isAlone ? text.slice(0, lineStart) + text.slice(lineEnd + 1) : text.slice(0, found.start) + text.slice(found.end).replace(/^[ ,]+/, "");
}

/** Rules for a type that has none. The field of the owner gets an index, which the rule needs. */
export function withAccess(text: string, type: string, template: AccessTemplate): string {
  const indexed = template.kind === "owner" ? withHash(text, type, template.field) : text;
  const definition = definitionOf(indexed, type);
  const nodes = [definition?.name, ...(definition?.interfaces ?? []), ...(definition?.directives ?? [])];
  const at = Math.max(0, ...nodes.map((node) => node?.loc?.end ?? 0));
  return at === 0 ? text : insert(indexed, at, ` @auth(\n${rulesOf(type, template)}  )`);
}

function rulesOf(type: string, template: AccessTemplate): string {
  const rule = template.kind === "owner" ? ownerRule(type, template) : `{ $${template.claim}: { eq: ${JSON.stringify(template.role)} } }`;
  const operations = template.kind === "public to read" ? ["add", "update", "delete"] : ["query", "add", "update", "delete"];
  return operations.map((operation) => `    ${operation}: { rule: ${JSON.stringify(rule)} }\n`).join("");
}

function ownerRule(type: string, { field, claim }: { readonly field: string; readonly claim: string }): string {
  return `query ($${claim}: String!) { query${type}(filter: { ${field}: { eq: $${claim} } }) { __typename } }`;
}

/** Keys and fields with a hash or an exact index have the filter `eq` already. */
function withHash(text: string, type: string, name: string): string {
  const field = definitionOf(text, type)?.fields?.find((each) => each.name.value === name);
  const directives = new Set(field?.directives?.map((each) => each.name.value));
  const end = field?.type.loc?.end;
  return field === undefined || end === undefined || directives.has("id") || directives.has("search")
    ? text
    : insert(text, end, " @search(by: [hash])");
}

function definitionOf(text: string, type: string): Definition | undefined {
  return definitionsIn(text)?.find(({ name }) => name.value === type);
}

function fieldText({ name, named, isList, isRequired, directives }: NewField): string {
  return [`${name}: ${isList ? `[${named}]` : named}${isRequired ? "!" : ""}`, ...directives].join(" ");
}

function insert(text: string, at: number, part: string): string {
  return `${text.slice(0, at)}${part}${text.slice(at)}`;
}
