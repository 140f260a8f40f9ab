// Body template and remote operation, and the values that they use.

import type { FieldDefinitionNode } from "graphql";
import { type BodyTemplate, bodyVariables, parseBodyTemplate, TemplateError } from "../template/body-template.ts";
import { parseUrlTemplate, urlVariables } from "../template/url-template.ts";
import { type CustomUse, type Finding, isBatch } from "./custom-use.ts";
import { resolvingDirectives } from "./definitions.ts";
import { readsNoSchema } from "./header-rules.ts";
import { hasDirective, isIdentifying, namedType } from "./place-rules.ts";
import { batchProblem, operationFindings, type RemoteOperation, readOperation } from "./remote-operation.ts";
import { fieldsOf } from "./request-rules.ts";

export function bodyFindings(use: CustomUse): readonly Finding[] {
  const at = use.http.value("body");
  if (!at) return [];
  const read = readBody(use);
  if (read instanceof TemplateError) return [{ text: `; body template inside @custom directive could not be parsed: ${read.message}`, at }];
  if (use.type) return [];
  const unknown = bodyVariables(read).filter((name) => !hasArgument(use, name));
  return unknown.map((name) => ({ text: `; body template inside @custom directive uses an argument ${name} that is not defined.`, at }));
}

/** The template of a use whose body was reported if it cannot be read. */
export function soundBody(use: CustomUse): BodyTemplate | undefined {
  const read = readBody(use);
  return read instanceof TemplateError ? undefined : read;
}

function readBody(use: CustomUse): BodyTemplate | undefined | TemplateError {
  try {
    return parseBodyTemplate(use.http.text("body") ?? "", wordsOf(use));
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown;
    throw thrown;
  }
}

function hasArgument({ field }: CustomUse, name: string): boolean {
  return field.arguments?.some((each) => each.name.value === name) === true;
}

/** Words without quotes are enum values of the remote service where the body becomes a variable of an operation. */
function wordsOf(use: CustomUse): "refused" | "texts" {
  return use.http.has("graphql") && isBatch(use) ? "texts" : "refused";
}

export function graphqlFindings(use: CustomUse): readonly Finding[] {
  const at = use.http.value("graphql");
  if (!at) return [];
  const read = readOperation(use.http.text("graphql") ?? "");
  if ("problem" in read) return [{ text: read.problem, at, last: true }];
  const { declared, used } = read.operation;
  const foreign = use.type ? [] : declared.filter((name) => !hasArgument(use, name));
  const own = [
    ...operationFindings(read.operation),
    ...foreign.map((name) => `; @custom directive, graphql variables must use fields defined within the type, found \`${name}\`.` as const),
  ].map((text): Finding => ({ text, at }));
  const wrong = isBatch(use) && hasArguments(read.operation) ? batchProblem(read.operation) : undefined;
  if (wrong !== undefined) return [...own, batchFinding(wrong, at)];
  const undeclared = used.filter((name) => !declared.includes(name));
  return [
    ...own,
    ...undeclared.map(
      (name): Finding => ({ text: `; @custom directive, graphql must use fields with a variable definition, found \`${name}\`.`, at }),
    ),
  ];
}

function hasArguments({ field }: RemoteOperation): boolean {
  return (field?.arguments ?? []).length > 0;
}

function batchFinding(problem: string, at: Finding["at"]): Finding {
  return { text: `: inside graphql in @custom directive, ${problem}`, at, last: true };
}

/** A batch that passes its list nowhere. Where the remote schema is read, this is said after what is wrong there. */
export function lostBatchFindings(use: CustomUse): readonly Finding[] {
  const at = use.http.value("graphql");
  if (!at || !isBatch(use) || !readsNoSchema(use.http)) return [];
  const read = readOperation(use.http.text("graphql") ?? "");
  const problem = "operation" in read ? batchProblem(read.operation) : undefined;
  return problem === undefined ? [] : [batchFinding(problem, at)];
}

/** The template of a field needs its node's ID or key, and may use stored scalars. */
export function fieldFindings(use: CustomUse): readonly Finding[] {
  const template = use.type && templateOf(use);
  if (!template) return [];
  const { names, what, at } = template;
  const fields = new Map(fieldsOf(use.definition).map((each) => [each.name.value, each]));
  const findings = names.flatMap((name) => usedFieldFindings(use, { name, field: fields.get(name) }, template));
  if (names.some((name) => isKnownKey(fields.get(name)))) return findings;
  return [...findings, { text: `: @custom directive, ${what} must use a field with type ID! or a field with @id directive.`, at }];
}

interface Template {
  readonly what: "body template" | "graphql";
  readonly at: Finding["at"];
  readonly names: readonly string[];
}

/** The body, or else the remote operation. */
function templateOf(use: CustomUse): Template | undefined {
  const body = use.http.value("body");
  if (body) return { what: "body template", at: body, names: bodyVariables(soundBody(use)) };
  const graphql = use.http.value("graphql");
  if (!graphql) return undefined;
  const read = readOperation(use.http.text("graphql") ?? "");
  return { what: "graphql", at: graphql, names: "operation" in read ? read.operation.declared : [] };
}

function isKnownKey(field: FieldDefinitionNode | undefined): boolean {
  return field !== undefined && isIdentifying(field);
}

interface UsedField {
  readonly name: string;
  readonly field: FieldDefinitionNode | undefined;
}

const scalars = ["ID", "String", "Int", "Int64", "Float", "Boolean", "DateTime"];
const geometries = ["Point", "Polygon", "MultiPolygon"];

function usedFieldFindings(use: CustomUse, { name, field }: UsedField, { what, at }: Omit<Template, "names">): readonly Finding[] {
  const start = `; @custom directive, ${what}` as const;
  const own: readonly Finding[] = name === use.field.name.value ? [{ text: `${start} can't require itself.`, at }] : [];
  if (!field) return [...own, { text: `${start} must use fields defined within the type, found \`${name}\`.`, at }];
  const type = namedType(field.type);
  if (![...scalars, ...geometries].includes(type))
    return [...own, { text: `${start} must use scalar fields, found field \`${name}\` of type \`${type}\`.`, at }];
  if (!resolvingDirectives.some((directive) => hasDirective(field, directive))) return own;
  return [...own, { text: `${start} can't use another field with @custom/@lambda directive, found field \`${name}\` with @custom/@lambda.`, at }];
}

/** A request of a type's field without body has the same needs: its URL is the template. */
export function urlOnlyFindings(use: CustomUse): readonly Finding[] {
  if (!use.type || use.http.has("body") || use.http.has("graphql") || (use.field.directives ?? []).length > 1) return [];
  const template = parseUrlTemplate(use.http.text("url") ?? "");
  if (!template) return [];
  if (isBatch(use)) return [{ text: "; body field inside @custom directive is mandatory if mode is BATCH.", at: use.node }];
  const { path, query } = urlVariables(template);
  const fields = new Map(fieldsOf(use.definition).map((each) => [each.name.value, each]));
  const at = use.http.value("url") ?? use.node;
  const known = [...path, ...query].filter((name) => fields.has(name));
  const wrong = known.flatMap((name) => {
    const field = fields.get(name);
    if (name === use.field.name.value) return [`; url inside @custom directive can't require itself.` as const];
    if (field && resolvingDirectives.some((each) => hasDirective(field, each))) {
      return [
        `; url inside @custom directive can't use another field with @custom/@lambda directive, found field \`${name}\` with @custom/@lambda.` as const,
      ];
    }
    if (field && !scalars.includes(namedType(field.type))) {
      return [`; url inside @custom directive must use scalar fields, found field \`${name}\` of type \`${namedType(field.type)}\`.` as const];
    }
    return [];
  });
  const isNamed = known.some((name) => isKnownKey(fields.get(name)));
  const findings = wrong.map((text): Finding => ({ text, at }));
  return isNamed
    ? findings
    : [...findings, { text: "; url inside @custom directive must use a field with type ID! or a field with @id directive.", at }];
}
