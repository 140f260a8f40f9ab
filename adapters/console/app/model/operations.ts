// Operations that people write: their variables, and a first one to begin with.

import { type DocumentNode, Kind, OperationTypeNode, parse } from "graphql";
import { isObject, type JsonObject, parseJson } from "../api/json.ts";
import type { ApiModel } from "./api-model.ts";

/** The variables in a text; the empty text has none. Throws when it is no JSON object. */
export function variablesIn(text: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parsed(text);
  if (!isObject(value)) throw new Error('Variables are a JSON object, such as {"first": 10}.');
  return value;
}

export type OperationKind = "query" | "mutation" | "subscription";

/** The kind of the only operation of a text; undefined: it has none, or several, or cannot be parsed. */
export function kindOf(text: string): OperationKind | undefined {
  const operations = documentOf(text)?.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION) ?? [];
  const [only] = operations;
  return only === undefined || operations.length > 1 ? undefined : only.operation;
}

/** Whether some operation of the text writes. */
export function writes(text: string): boolean {
  return (documentOf(text)?.definitions ?? []).some(
    (each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.MUTATION,
  );
}

export function firstQuery(model: ApiModel | undefined): string {
  const [type] = model?.types ?? [];
  if (type === undefined) return "{ __typename }\n";
  const fields = type.fields.filter(({ kind }) => kind !== "link" && kind !== "geo" && kind !== "file").map(({ name }) => `    ${name}`);
  return `{\n  ${type.query}(first: 10) {\n${fields.join("\n")}\n  }\n}\n`;
}

function documentOf(text: string): DocumentNode | undefined {
  try {
    return parse(text, { noLocation: true });
  } catch {
    return undefined;
  }
}

function parsed(text: string) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
