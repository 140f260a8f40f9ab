// A field of a stored type: one request for each parent, or one for all.

import {
  type AnswerError,
  type AnswerValue,
  type ComputedAnswer,
  type ComputedField,
  type Field,
  type FieldName,
  type FieldSelection,
  formatUid,
  type Parent,
  valueCheck,
  WrittenNumber,
} from "../../../core/plugin.ts";
import type { TemplateValues } from "../template/value-text.ts";
import { batchRequest, type CallContext, singleRequest } from "./build-request.ts";
import { failure, type RemoteCall } from "./remote-call.ts";
import type { ReplyValue } from "./reply.ts";
import type { FieldParts } from "./root-field.ts";

export function typeField(field: Field, call: RemoteCall, parts: FieldParts): ComputedField {
  const inputs = inputsOf(field, call);
  return {
    field,
    slow: true,
    needs: inputs.flatMap(({ stored }) => stored ?? []),
    compute: (parents, _args, request, { selection, signal }) => {
      const context = { request, selection, signal, secrets: parts.secrets };
      const asked = parents.map((parent) => valuesOf(parent, inputs));
      const answer = call.batch ? askTogether(call, asked, context, parts) : askEach(call, asked, context, parts);
      return answer.then((given) => withoutMisfits(given, selection));
    },
  };
}

/** What is no value of the field at all is an error of the root field, as for a request that failed. */
function withoutMisfits({ values, errors }: ComputedAnswer, selection: FieldSelection): ComputedAnswer {
  const misfits: AnswerError[] = [];
  const problemOf = valueCheck(selection);
  const fitting = values.map((value) => {
    const problem = problemOf(value);
    if (problem !== undefined) misfits.push(problem);
    return problem === undefined ? value : null;
  });
  return { values: fitting, errors: [...errors, ...misfits] };
}

/** A value of the parent that a template uses. */
interface Input {
  readonly name: string;
  /** Undefined: the ID. */
  readonly stored: FieldName | undefined;
  /** Known by this value, the parent is known to the service. */
  readonly identifies: boolean;
}

function inputsOf({ owner }: Field, { uses }: RemoteCall): readonly Input[] {
  const keys = new Set(owner.keys.map((key) => key.field.name));
  return [...owner.fields.values()].flatMap((field): readonly Input[] => {
    if (!uses.has(field.name)) return [];
    if (field.role === "id") return [{ name: field.name, stored: undefined, identifies: true }];
    return field.role === "value" ? [{ name: field.name, stored: field.stored, identifies: keys.has(field.name) }] : [];
  });
}

/** Undefined for a parent without the key by which the service knows it. */
function valuesOf(parent: Parent, inputs: readonly Input[]): TemplateValues | undefined {
  const values = new Map<string, unknown>();
  let column = 0;
  let isKnown = false;
  for (const { name, stored, identifies } of inputs) {
    const value = stored === undefined ? formatUid(parent.uid) : parent.values[column++];
    if (value === undefined) continue;
    values.set(name, value);
    isKnown ||= identifies;
  }
  return isKnown ? values : undefined;
}

async function askEach(
  call: RemoteCall,
  asked: readonly (TemplateValues | undefined)[],
  context: CallContext,
  { caller }: FieldParts,
): Promise<ComputedAnswer> {
  const none: ReplyValue = { value: null, errors: [], failed: false };
  const replies = await Promise.all(asked.map((values) => (values ? caller.call(call, () => singleRequest(call, values, context), context) : none)));
  return { values: replies.map(({ value }) => value), errors: replies.flatMap(({ errors }) => errors) };
}

async function askTogether(
  call: RemoteCall,
  asked: readonly (TemplateValues | undefined)[],
  context: CallContext,
  { caller }: FieldParts,
): Promise<ComputedAnswer> {
  const known = asked.filter((values) => values !== undefined);
  if (known.length === 0) return { values: asked.map(() => null), errors: [] };
  const { value, errors, failed } = await caller.call(call, () => batchRequest(call, known, context), context);
  const problem = failed ? undefined : listProblem(call, value, known.length);
  const list = !problem && Array.isArray(value) ? value : [];
  let next = 0;
  return { values: asked.map((values): AnswerValue => (values ? (list[next++] ?? null) : null)), errors: problem ? [...errors, problem] : errors };
}

/** The reply must have one element for each parent. */
function listProblem(call: RemoteCall, value: AnswerValue, size: number): AnswerError | undefined {
  if (!Array.isArray(value)) return failure(call, `expected result of external BATCH request to be of list type, got: ${kindOf(value)}`);
  if (value.length === size) return undefined;
  return failure(call, `expected result of external request to be of size ${size}, got: ${value.length}`);
}

/** As Dgraph names it; an object and null have no name. */
function kindOf(value: AnswerValue): string {
  if (value instanceof WrittenNumber || typeof value === "number" || typeof value === "bigint") return "Number";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "";
}
