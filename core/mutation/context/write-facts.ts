// What writing needs to know of a deployed schema, found once per deployment.

import type { Key, LinkField, NodeType, ScopedKey, ValueField } from "../../contracts/model.ts";
import { Fact } from "../../ground/facts.ts";
import type { FieldName, TypeName } from "../../ground/values/value.ts";
import type { EdgeIndex } from "../../query/layout-index/edge-index.ts";
import { layoutIndexOf } from "../../query/layout-index/layout-index.ts";
import type { Api } from "../../schema/api/api.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";

/** What inputs of a type may hold, in the order in which they are visited: by field name. */
export interface TypeFacts {
  readonly links: readonly LinkField[];
  readonly values: readonly ValueField[];
  readonly keys: readonly Key[];
  readonly scopedKeys: readonly ScopedKey[];
}

export interface WriteFacts {
  readonly edges: EdgeIndex;
  readonly plugins: readonly PluginHooks[];
  of(type: NodeType): TypeFacts;
  /** The concrete type under its name in storage. */
  typeOf(stored: TypeName): NodeType | undefined;
  /** Whether filters exist on the field. */
  searchable(field: FieldName): boolean;
  /** Members of the input of a union, by member name. */
  unionMembers(union: string): ReadonlyMap<string, NodeType>;
}

/** The parts of a deployment that facts are found in. */
export type FactSource = Pick<Deployment, "model" | "layout" | "hooks" | "facts"> & { readonly api: Pick<Api, "filters" | "unionInputs"> };

export const writeFacts = new Fact<FactSource, WriteFacts>(buildFacts);

function buildFacts({ model, api, layout, hooks }: FactSource): WriteFacts {
  const types = new Map<NodeType, TypeFacts>();
  const byStored = new Map<TypeName, NodeType>();
  for (const type of model.nodeTypes.values()) {
    types.set(type, typeFacts(type));
    if (type.kind === "object") byStored.set(type.stored, type);
  }
  const searchable = new Set<FieldName>();
  for (const shape of api.filters.values()) for (const filter of shape.fields.values()) searchable.add(filter.field.stored);
  return {
    edges: layoutIndexOf(layout).edges,
    plugins: hooks,
    of: (type) => types.get(type) ?? typeFacts(type),
    typeOf: (stored) => byStored.get(stored),
    searchable: (field) => searchable.has(field),
    unionMembers: (union) => api.unionInputs.get(`${union}Ref`) ?? new Map(),
  };
}

function typeFacts(type: NodeType): TypeFacts {
  const fields = [...type.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    links: fields.filter((field) => field.role === "link"),
    values: fields.filter((field) => field.role === "value"),
    keys: byFieldName(type.keys),
    scopedKeys: byFieldName(type.scopedKeys),
  };
}

function byFieldName<K extends Key>(keys: readonly K[]): readonly K[] {
  return [...keys].sort((a, b) => (a.field.name < b.field.name ? -1 : 1));
}
