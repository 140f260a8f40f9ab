// Which variables a document defines and uses, and whether that fits.

import type { Work } from "../../../core/plugin.ts";
import { refusal } from "./problem.ts";
import type { Argument, Block, Call, Document, Expression, Field, Filter, PredicateField, Slice } from "./syntax.ts";

export interface VariableUses {
  readonly defined: readonly string[];
  readonly used: ReadonlySet<string>;
}

/**
 * Every variable is defined once and used at least once.
 *
 * @throws QuernError
 */
export function* checkVariables({ blocks }: Document): Work<void> {
  const uses: VariableUses[] = [];
  for (const block of blocks) {
    uses.push(usesOfBlock(block));
    yield;
  }
  const defined = uses.flatMap((each) => each.defined);
  const used = new Set(uses.flatMap((each) => [...each.used]));
  const names = new Set(defined);
  const facts = () => `\nDefined:[${[...names].sort().join(" ")}]\nUsed:[${[...used].sort().join(" ")}]\n`;
  if (names.size < defined.length) throw refusal("Some variables are declared multiple times.");
  if ([...used].some((name) => !names.has(name))) throw refusal(`Some variables are used but not defined${facts()}`);
  if (defined.some((name) => !used.has(name))) throw refusal(`Some variables are defined but not used${facts()}`);
  const shown = new Set<string>();
  for (const { kind, name } of blocks) {
    if (kind !== "shown") continue;
    if (shown.has(name)) throw refusal(`Duplicate aliases not allowed: ${name}`);
    shown.add(name);
  }
}

export function usesOfBlock(block: Block): VariableUses {
  const collector = new Collector();
  collector.block(block);
  return collector;
}

/** The variables that a condition asks about. */
export function usesOfFilter(filter: Filter | undefined): ReadonlySet<string> {
  const collector = new Collector();
  collector.filter(filter);
  return collector.used;
}

class Collector implements VariableUses {
  readonly defined: string[] = [];
  readonly used = new Set<string>();

  block(block: Block): void {
    this.#define(block.variable);
    this.filter(block.call);
    this.filter(block.filter);
    this.#slice(block.slice);
    for (const end of [block.shortest?.from, block.shortest?.to]) if (end && "variable" in end) this.used.add(end.variable);
    this.#fields(block.fields);
  }

  #define(name: string | undefined): void {
    if (name !== undefined) this.defined.push(name);
  }

  #fields(fields: readonly Field[]): void {
    for (const field of fields) this.#field(field);
  }

  #field(field: Field): void {
    this.#define(field.variable);
    switch (field.kind) {
      case "predicate":
        for (const name of field.facetVariables) this.#define(name);
        this.#list(field);
        break;
      case "expand":
        if (field.source.kind === "val") this.used.add(field.source.variable);
        this.#list(field);
        break;
      case "count":
        this.filter(field.filter);
        break;
      case "val":
        this.used.add(field.of);
        break;
      case "aggregate":
        if ("variable" in field.of) this.used.add(field.of.variable);
        break;
      case "math":
        addVariables(field.expression, this.used);
        break;
    }
  }

  #list({ filter, slice, fields }: Pick<PredicateField, "filter" | "slice" | "fields">): void {
    this.filter(filter);
    this.#slice(slice);
    this.#fields(fields);
  }

  filter(filter: Filter | undefined): void {
    if (!filter) return;
    if (filter.kind === "call") this.#call(filter);
    else if (filter.kind === "not") this.filter(filter.of);
    else for (const each of filter.of) this.filter(each);
  }

  #call({ subject, arguments: items }: Call): void {
    if (subject.kind === "val" || subject.kind === "length") this.used.add(subject.variable);
    if (subject.kind === "count") this.filter(subject.filter);
    for (const argument of items) this.#argument(argument);
  }

  #argument(argument: Argument): void {
    if (argument.kind === "list") for (const item of argument.items) this.#argument(item);
    if (argument.kind === "val" || argument.kind === "uids") this.used.add(argument.variable);
  }

  #slice({ order }: Slice): void {
    for (const { by } of order) if ("variable" in by) this.used.add(by.variable);
  }
}

/** The variables that an expression reads. */
export function variablesOf(expression: Expression): readonly string[] {
  const names = new Set<string>();
  addVariables(expression, names);
  return [...names];
}

function addVariables(expression: Expression, names: Set<string>): void {
  switch (expression.kind) {
    case "value":
      names.add(expression.variable);
      return;
    case "unary":
      addVariables(expression.of, names);
      return;
    case "binary":
      addVariables(expression.left, names);
      addVariables(expression.right, names);
      return;
    case "cond":
      for (const each of [expression.test, expression.yes, expression.no]) addVariables(each, names);
  }
}

/**
 * Every query variable that a document uses is declared.
 *
 * @throws QuernError
 */
export function checkParameters({ variables, parameters }: Document): void {
  const declared = new Set(variables?.map((each) => each.name));
  for (const name of parameters) if (!declared.has(name)) throw refusal(`Variable not defined ${name}`);
}
