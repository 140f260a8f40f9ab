// Deploys a small schema and asks its filters of values directly. Hides wiring, never expectations.

import { runAtOnce } from "../../../core/ground/work.ts";
import {
  type DirectivePlugin,
  type FieldFilter,
  type IndexLayout,
  type Location,
  matcher,
  type Predicate,
  QuernError,
  type Stored,
} from "../../../core/plugin.ts";
import { buildDeployment } from "../../../core/schema/deployment/build-deployment.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { type SearchOptions, searchPlugin } from "../../../plugins/search/index.ts";
import { storageNamesPlugin } from "../../../plugins/storage-names/index.ts";

export interface Searched {
  /** The filter of `T.f`. */
  readonly filter: FieldFilter;
  /** SDL of the inputs that the search plugin adds. */
  readonly definitions: string;
  readonly indexes: readonly IndexLayout[];
  /** Those of `values` that `operand` finds; undefined stands for a node without a value. */
  find<T extends Stored | undefined>(operand: unknown, values: readonly T[]): readonly T[];
  /** What `operand` asks for. */
  ask(operand: unknown): Predicate | undefined;
  /** Why `operand` is refused. */
  refusal(operand: unknown): string;
}

/** @param declaration of the field `f` of type `T`: `String @search(by: [term])` */
export function field(declaration: string, more = "", options: SearchOptions = {}): Searched {
  const { layout, hooks } = runAtOnce(buildDeployment(`type T {\n  f: ${declaration}\n  g: Int\n}\n${more}`, stack(options)));
  const additions = hooks.map((each) => each.hooks.api?.() ?? {});
  // Of two filters of one field the later counts.
  const filter = additions.flatMap((each) => each.filters ?? []).findLast((each) => each.field.owner.name === "T" && each.field.name === "f");
  if (!filter) throw new Error(`${declaration} has no filter`);
  return {
    filter,
    definitions: additions.map((each) => each.definitions ?? "").join(""),
    indexes: layout.indexes,
    ask: filter.predicate,
    find: (operand, values) => {
      const predicate = filter.predicate(operand);
      if (predicate === undefined) return values;
      const holds = matcher(predicate, {
        kindOf: () => filter.field.kind,
        index: (name) => layout.indexes.find((index) => index.name === name),
        linked: () => false,
      });
      return values.filter((value, index) => holds({ uid: index + 1, type: "T", value: () => value }));
    },
    refusal: (operand) => {
      try {
        filter.predicate(operand);
      } catch (error) {
        if (error instanceof QuernError && error.code === "VALUE_INVALID") return error.message;
        throw error;
      }
      throw new Error("it is accepted");
    },
  };
}

/** The filters of all fields, `T.f: StringHashFilter`, and the indexes. */
export function deploy(schema: string): { readonly filters: readonly string[]; readonly indexes: readonly IndexLayout[] } {
  const { layout, hooks } = runAtOnce(buildDeployment(schema, stack()));
  const filters = hooks.flatMap((each) => each.hooks.api?.().filters ?? []);
  return { filters: filters.map(({ field, input }) => `${field.owner.name}.${field.name}: ${input}`), indexes: layout.indexes };
}

/**
 * What a deploy of `schema` reports: `message @line:column`.
 *
 * @param more plugins after those of the stack
 */
export function problems(schema: string, ...more: readonly DirectivePlugin[]): readonly string[] {
  try {
    runAtOnce(buildDeployment(schema, [...stack(), ...more]));
    return [];
  } catch (error) {
    if (!(error instanceof QuernError) || error.code !== "SCHEMA_INVALID") throw error;
    return error.errors.map(({ message, locations }) => `${message} @${locations?.map(place).join(" ")}`);
  }
}

function place({ line, column }: Location): string {
  return `${line}:${column}`;
}

function stack(options: SearchOptions = {}): readonly DirectivePlugin[] {
  return [identityPlugin(), storageNamesPlugin(), searchPlugin(options)];
}
