// Resolves fields with `@lambda`: asks the handler, once for all parents.

import {
  type AnswerError,
  type AnswerValue,
  type ComputeContext,
  type ComputedAnswer,
  type ComputedField,
  type FieldName,
  formatUid,
  type NodeType,
  type Parent,
  type RequestView,
  type RootContext,
  type RootField,
  valueProblem,
} from "../../../core/index.ts";
import type { AuthHeaderOf } from "../auth-header.ts";
import { Failure, failureErrors } from "../failure.ts";
import { type LambdaCall, type LambdaHandler, quernOver } from "../handlers/handler.ts";
import { answerValue } from "./answer-value.ts";
import { argumentsOf, defaultsOf } from "./call-arguments.ts";
import { type LambdaField, type LambdaRoot, type ParentFields, parentFields } from "./read-fields.ts";

export interface ResolveOptions {
  readonly handler: LambdaHandler;
  readonly authHeaderOf: AuthHeaderOf | undefined;
}

export function rootFields(roots: readonly LambdaRoot[], options: ResolveOptions): readonly RootField[] {
  return roots.map(({ operation, name, resolver, definition }) => ({
    operation,
    signature: `${name}: Boolean`,
    run: (context) => runRoot({ resolver, defaults: defaultsOf(definition) }, context, options),
  }));
}

interface Root {
  readonly resolver: string;
  readonly defaults: ReturnType<typeof defaultsOf>;
}

async function runRoot({ resolver, defaults }: Root, context: RootContext, options: ResolveOptions) {
  const { request, signal, selection } = context;
  try {
    const shared = { ...callOf(request, options), quern: quernOver(context.execute), signal };
    return { json: answerValue(await options.handler.call({ ...shared, resolver, args: argumentsOf(context, defaults) })) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { json: null, errors: failureErrors(thrown, { field: selection.nodes[0].name.value, type: selection.parentType }) };
  }
}

/** A field of an interface is asked for as the type in which the document selects it: that type's values are passed. */
export function computedFields(fields: readonly LambdaField[], options: ResolveOptions): readonly ComputedField[] {
  return fields.map(({ type, field }) => {
    const shapes = new Map([type, ...type.members].map((each) => [each.name, parentFields(each)]));
    const needs = [...new Set([...shapes.values()].flatMap(({ values }) => values.map(({ stored }) => stored)))];
    const defaults = defaultsOf(field.definition);
    const compute: ComputedField["compute"] = (parents, args, request, context) =>
      computeField({ name: field.name, type, shapes, needs, defaults, options }, { parents, args, request, context });
    return { field, needs, compute, slow: true, volatile: true };
  });
}

interface Resolved {
  readonly name: string;
  readonly type: NodeType;
  readonly shapes: ReadonlyMap<string, ParentFields>;
  readonly needs: readonly FieldName[];
  readonly defaults: ReturnType<typeof defaultsOf>;
  readonly options: ResolveOptions;
}

interface Asked {
  readonly parents: readonly Parent[];
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: RequestView;
  readonly context: ComputeContext;
}

async function computeField(
  { name, type, shapes, needs, defaults, options }: Resolved,
  { parents, args, request, context }: Asked,
): Promise<ComputedAnswer> {
  const { parentType } = context.selection;
  const shape = shapes.get(parentType) ?? shapes.get(type.name);
  const asking = shapes.has(parentType) ? parentType : type.name;
  const known = parents.flatMap((parent, index) => {
    const shown = shape && shownParent(parent, shape, needs);
    return shown ? [{ index, shown }] : [];
  });
  const values: AnswerValue[] = parents.map(() => null);
  if (known.length === 0) return { values, errors: [] };
  const { signal } = context;
  try {
    const shared = { ...callOf(request, options), quern: quernOver(context.execute), signal };
    const call = { ...shared, resolver: `${asking}.${name}`, parents: known.map(({ shown }) => shown), fieldArguments: { ...defaults, ...args } };
    const answers = listOf(await options.handler.call(call), known.length);
    const errors: AnswerError[] = [];
    for (const [i, { index }] of known.entries()) {
      const answer = answers[i];
      if (answer instanceof Error) {
        errors.push(...failureErrors(answer, { field: name, type: asking }).map((error) => ({ ...error, parent: index })));
        continue;
      }
      const value = answerValue(answer);
      // What is no value of the field at all is an error of the root field, as for a call that failed.
      const problem = valueProblem(context.selection, value);
      if (problem === undefined) values[index] = value;
      else errors.push({ message: problem });
    }
    return { values, errors };
  } catch (thrown) {
    signal.throwIfAborted();
    return { values, errors: failureErrors(thrown, { field: name, type: asking }) };
  }
}

function callOf(request: RequestView, { authHeaderOf }: ResolveOptions): Pick<LambdaCall, "accessToken" | "authHeader" | "request"> {
  const { headers } = request;
  return { accessToken: headers["x-dgraph-accesstoken"] ?? "", authHeader: authHeaderOf?.(headers), request: { headers } };
}

function shownParent({ uid, values }: Parent, { idName, values: fields, key }: ParentFields, needs: readonly FieldName[]) {
  const valueIn = (stored: FieldName) => values[needs.indexOf(stored)];
  if (key && valueIn(key.stored) === undefined) return undefined;
  const shown = fields.flatMap(({ name, stored }): [string, unknown][] => {
    const value = valueIn(stored);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries([...(idName === undefined ? [] : [[idName, formatUid(uid)]]), ...shown]);
}

function listOf(answer: unknown, size: number): readonly unknown[] {
  if (!Array.isArray(answer)) throw new Failure(`expected result of external BATCH request to be of list type, got: ${kindOf(answer)} `);
  if (answer.length !== size) throw new Failure(`expected result of external request to be of size ${size}, got: ${answer.length} `);
  return answer;
}

/** As Go names it; an object and null have no name. */
function kindOf(answer: unknown): string {
  if (typeof answer === "string") return "string";
  if (typeof answer === "boolean") return "bool";
  return typeof answer === "number" || typeof answer === "bigint" ? "Number" : "";
}
