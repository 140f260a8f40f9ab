// The work of a deploy, as sentences for `Storage.compare`.

import type { FieldName, IndexName, KeyLayout, TypeName } from "../../core/storage.ts";
import type { LayoutHistory } from "./layout-history.ts";
import type { DeployPlan } from "./layout-plan.ts";

/** A structure that a deploy builds, and the types whose nodes it reads for that. */
export interface BuildStep {
  readonly title: string;
  readonly types: ReadonlySet<TypeName>;
}

/** The structures of the next layout, built or not. */
export interface PlannedStructures {
  readonly fields: ReadonlyMap<FieldName, { readonly types: readonly TypeName[] }>;
  readonly indexes: ReadonlyMap<
    IndexName,
    { readonly id: number; readonly name: IndexName; readonly field: { readonly types: readonly TypeName[] } }
  >;
  readonly keys: readonly { readonly id: number; readonly layout: KeyLayout; readonly types: ReadonlySet<TypeName> }[];
}

/** Indexes first, then keys, derived fields and edges, each in the layout's order. */
export function buildSteps(plan: DeployPlan<LayoutHistory>, { fields, indexes, keys }: PlannedStructures): BuildStep[] {
  return [
    ...[...indexes.values()]
      .filter((index) => plan.indexes.has(index.id))
      .map((index) => ({ title: `build index ${index.name}`, types: new Set(index.field.types) })),
    ...keys.filter((key) => plan.keys.has(key.id)).map((key) => ({ title: `build key ${key.layout.name}`, types: key.types })),
    ...plan.derived.map((field) => ({ title: `derive field ${field.name}`, types: new Set(fields.get(field.name)?.types) })),
    ...plan.edges.map(({ edge, sources }) => ({
      title: `join links to edge ${edge.name}`,
      types: new Set(sources.flatMap((source) => source.carried.types)),
    })),
  ];
}

/** Lines for `LayoutComparison.work`: the steps that read nodes, with how many. */
export function describeWork(steps: readonly { readonly title: string; readonly nodes: number }[]): string[] {
  return steps.filter(({ nodes }) => nodes > 0).map(({ title, nodes }) => `${title} over ${nodes.toLocaleString("en")} nodes`);
}
