// Resolves fields with `@lambda`: asks the handler, once for all parents.

import {
  type AnswerError,
  type AnswerValue,
  andThen,
  type ComputeContext,
  type ComputedAnswer,
  type ComputedField,
  type FieldName,
  type FieldSelection,
  formatUid,
  type MaybePromise,
  type Parent,
  type RequestView,
  type RootAnswer,
  type RootContext,
  type RootField,
  rescued,
  valueCheck,
} from "../../../core/plugin.ts";
import type { AuthHeaderOf } from "../handlers/auth-header.ts";
import { type FailedField, Failure, failureErrors } from "../handlers/failure.ts";
import { type LambdaAnswer, type LambdaCall, type LambdaHandler, type QuernClient, quernOver } from "../handlers/handler.ts";
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

function runRoot({ resolver, defaults }: Root, context: RootContext, options: ResolveOptions): MaybePromise<RootAnswer> {
  const { request, selection } = context;
  const ask = () => {
    const asked = { resolver, args: argumentsOf(context, defaults) };
    return andThen(options.handler.call(new FieldCall(asked, { request, context, options })), (answer): RootAnswer => ({ json: oneAnswer(answer) }));
  };
  return rescued(ask, (thrown) => {
    context.signal.throwIfAborted();
    return { json: null, errors: failureErrors(thrown, { field: selection.nodes[0].name.value, type: selection.parentType }) };
  });
}

/** A field of an interface is asked for as the type in which the document selects it: that type's values are passed. */
export function computedFields(fields: readonly LambdaField[], options: ResolveOptions): readonly ComputedField[] {
  return fields.map(({ type, field }) => {
    const shapes = new Map([type, ...type.members].map((each) => [each.name, parentFields(each)]));
    const needs = [...new Set([...shapes.values()].flatMap(({ values }) => values.map(({ stored }) => stored)))];
    const places = [...shapes].map(([name, shape]): [string, AskedPlace] => {
      return [name, { type: name, field: field.name, resolver: `${name}.${field.name}`, read: parentReader(shape, needs) }];
    });
    const resolved = { own: type.name, places: new Map(places), defaults: defaultsOf(field.definition), options };
    const compute: ComputedField["compute"] = (parents, args, request, context) => computeField(resolved, { parents, args, request, context });
    return { field, needs, compute, slow: true, volatile: true };
  });
}

/** A field as one type has it. */
interface AskedPlace extends FailedField {
  readonly resolver: string;
  readonly read: ParentReader;
}

interface Resolved {
  /** The type of the field. */
  readonly own: string;
  /** By the type in which the document selects the field. */
  readonly places: ReadonlyMap<string, AskedPlace>;
  readonly defaults: ReturnType<typeof defaultsOf>;
  readonly options: ResolveOptions;
}

interface Asked {
  readonly parents: readonly Parent[];
  readonly args: Readonly<Record<string, unknown>>;
  readonly request: RequestView;
  readonly context: ComputeContext;
}

/** A function that answers at once is answered at once: no promise, no turn. */
function computeField({ own, places, defaults, options }: Resolved, { parents, args, request, context }: Asked): MaybePromise<ComputedAnswer> {
  const { selection } = context;
  const asking = places.get(selection.parentType) ?? places.get(own);
  const known: number[] = [];
  const shown: ShownParent[] = [];
  for (let index = 0; index < parents.length; index++) {
    const parent = parents[index];
    const values = parent && asking?.read(parent);
    if (values === undefined) continue;
    known.push(index);
    shown.push(values);
  }
  const nothing = () => new Array<AnswerValue>(parents.length).fill(null);
  if (asking === undefined || known.length === 0) return { values: nothing(), errors: [] };
  const ask = () => {
    const asked = { resolver: asking.resolver, parents: shown, fieldArguments: { ...defaults, ...args } };
    return andThen(options.handler.call(new FieldCall(asked, { request, context, options })), (answer) =>
      fieldAnswer(listOf(answer, known.length), nothing(), { known, asking, selection }),
    );
  };
  return rescued(ask, (thrown) => {
    context.signal.throwIfAborted();
    return { values: nothing(), errors: failureErrors(thrown, asking) };
  });
}

interface AnswerPlace {
  /** The places of the known parents among all. */
  readonly known: readonly number[];
  readonly asking: FailedField;
  readonly selection: FieldSelection;
}

/** @param values takes the answers of the known parents */
function fieldAnswer(answers: readonly (AnswerValue | Error)[], values: AnswerValue[], { known, asking, selection }: AnswerPlace): ComputedAnswer {
  const errors: AnswerError[] = [];
  const problemOf = valueCheck(selection);
  for (let i = 0; i < known.length; i++) {
    const value = answers[i] ?? null;
    const index = known[i] ?? 0;
    if (value instanceof Error) {
      errors.push(...failureErrors(value, asking).map((error) => ({ ...error, parent: index })));
      continue;
    }
    // What is no value of the field at all is an error of the root field, as for a call that failed.
    const problem = problemOf(value);
    if (problem === undefined) values[index] = value;
    else errors.push(problem);
  }
  return { values, errors };
}

interface Caller {
  readonly request: RequestView;
  readonly context: Pick<ComputeContext, "execute" | "signal">;
  readonly options: ResolveOptions;
}

type Question = Pick<LambdaCall, "resolver" | "args" | "parents" | "fieldArguments">;

class FieldCall implements LambdaCall {
  readonly resolver: string;
  readonly args?: NonNullable<LambdaCall["args"]>;
  readonly parents?: NonNullable<LambdaCall["parents"]>;
  readonly fieldArguments?: NonNullable<LambdaCall["fieldArguments"]>;
  readonly accessToken: string;
  readonly authHeader: LambdaCall["authHeader"];
  readonly request: LambdaCall["request"];
  readonly quern: QuernClient;
  readonly #context: Caller["context"];

  constructor({ resolver, args, parents, fieldArguments }: Question, { request: { headers }, context, options }: Caller) {
    this.resolver = resolver;
    if (args) this.args = args;
    if (parents) this.parents = parents;
    if (fieldArguments) this.fieldArguments = fieldArguments;
    this.accessToken = headers["x-dgraph-accesstoken"] ?? "";
    this.authHeader = options.authHeaderOf?.(headers);
    this.request = { headers };
    this.quern = quernOver(context.execute);
    this.#context = context;
  }

  /** Asking for it makes one. */
  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

type ShownParent = Record<string, unknown>;
/** Undefined: the parent has no value of its key, so it cannot be named. */
type ParentReader = (parent: Parent) => ShownParent | undefined;

/**
 * Its results belong to the call: a handler may change them.
 *
 * @param needs the fields whose values a parent has, in this order
 */
function parentReader({ idName, values, key }: ParentFields, needs: readonly FieldName[]): ParentReader {
  const columns = values.map(({ name, stored }) => ({ name, column: needs.indexOf(stored) }));
  const keyColumn = key ? needs.indexOf(key.stored) : undefined;
  return (parent) => {
    if (keyColumn !== undefined && parent.values[keyColumn] === undefined) return undefined;
    const shown: ShownParent = {};
    if (idName !== undefined) shown[idName] = formatUid(parent.uid);
    for (const { name, column } of columns) {
      const value = parent.values[column];
      // Scalars need no copy; `structuredClone` of whole rows would take longer than reading them.
      if (value !== undefined) shown[name] = typeof value === "object" ? structuredClone(value) : value;
    }
    return shown;
  };
}

/** Only the answers for parents have errors of their own. */
function oneAnswer(answer: LambdaAnswer): AnswerValue {
  return isList(answer) ? answer.map((each) => (each instanceof Error ? null : each)) : answer;
}

function isList(answer: LambdaAnswer): answer is readonly (AnswerValue | Error)[] {
  return Array.isArray(answer);
}

function listOf(answer: LambdaAnswer, size: number): readonly (AnswerValue | Error)[] {
  if (!isList(answer)) throw new Failure(`expected result of external BATCH request to be of list type, got: ${kindOf(answer)} `);
  if (answer.length !== size) throw new Failure(`expected result of external request to be of size ${size}, got: ${answer.length} `);
  return answer;
}

/** As Go names it; an object and null have no name. */
function kindOf(answer: LambdaAnswer): string {
  if (typeof answer === "string") return "string";
  if (typeof answer === "boolean") return "bool";
  return typeof answer === "number" || typeof answer === "bigint" ? "Number" : "";
}
