// The mutable model: the same shapes as the contract, while plugins still record facts.

import type { InterfaceTypeDefinitionNode, ObjectTypeDefinitionNode } from "graphql";
import type {
  ComputedModelField,
  EnumType,
  Exposure,
  Field,
  FieldType,
  IdField,
  Key,
  LinkField,
  Model,
  NodeType,
  ScopedKey,
  UnionType,
  ValueField,
} from "../../contracts/model.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type IdDraft = Writable<IdField>;
export type ValueDraft = Writable<ValueField>;
export type LinkDraft = Writable<LinkField>;
export type ComputedDraft = Writable<ComputedModelField>;
export type FieldDraft = IdDraft | ValueDraft | LinkDraft | ComputedDraft;

export interface ModelDraft extends Model {
  readonly nodeTypes: Map<string, NodeTypeDraft>;
  readonly unions: Map<string, UnionDraft>;
  readonly enums: Map<string, EnumType>;
}

export interface UnionDraft extends UnionType {
  readonly members: NodeType[];
}

export class NodeTypeDraft implements NodeType {
  readonly kind: "object" | "interface";
  readonly name: string;
  definition: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
  stored: string;
  readonly fields = new Map<string, FieldDraft>();
  idField: IdDraft | undefined = undefined;
  keys: readonly Key[] = [];
  scopedKeys: readonly ScopedKey[] = [];
  readonly interfaces: NodeTypeDraft[] = [];
  readonly members: NodeTypeDraft[] = [];
  /** These are disabled until a plugin enables them. */
  readonly #disabled = new Set(["subscription"]);

  constructor(kind: "object" | "interface", definition: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) {
    this.kind = kind;
    this.name = definition.name.value;
    this.definition = definition;
    this.stored = this.name;
  }

  allows(operation: string): boolean {
    return !this.#disabled.has(operation);
  }

  enable(operation: string): void {
    this.#disabled.delete(operation);
  }

  disable(operation: string): void {
    this.#disabled.add(operation);
  }
}

/** Where a field appears in the API, by its type alone. */
export function defaultExposure(field: Pick<Field, "role" | "type"> & Partial<Pick<LinkField, "target">>): Exposure {
  switch (field.role) {
    case "id":
      return { ...hidden, output: true };
    case "computed":
      return { ...hidden, output: true };
    case "link":
      return { ...hidden, output: true, input: !isKeylessInterface(field.target), has: true, arguments: true };
    case "value":
      return { ...hidden, output: true, input: true, has: true, ...orderExposure(field.type) };
  }
}

/** A field of values about which nothing is recorded. */
export const plainValue = { optionalOnAdd: false, collation: undefined, transformed: false };

/** A field that appears nowhere. */
export const hidden: Exposure = { output: false, input: false, has: false, order: false, arguments: false, aggregate: "none" };

function orderExposure({ name, list }: FieldType): Pick<Exposure, "order" | "aggregate"> {
  if (list) return { order: false, aggregate: "none" };
  if (["Int", "Int64", "Float"].includes(name)) return { order: true, aggregate: "sum" };
  if (["String", "DateTime"].includes(name)) return { order: true, aggregate: "range" };
  return { order: false, aggregate: "none" };
}

/** An input cannot identify a node of such an interface. */
function isKeylessInterface(target: LinkField["target"] | undefined): boolean {
  return target?.kind === "interface" && target.idField === undefined && target.keys.length === 0 && target.scopedKeys.length === 0;
}
