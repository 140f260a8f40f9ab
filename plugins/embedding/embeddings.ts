// Reads `@embedding`: the fields that hold vectors, how each is searched, and what their types offer.

import type { ComputedModelField, DirectiveUse, ModelContext, NodeType, QuernError, ValueField } from "../../core/plugin.ts";
import { readSearch, type VectorSearch } from "./search-options.ts";

export const distanceName = "vector_distance";

/** A field that holds a vector. */
export interface Embedding {
  /** The field in the final model. */
  readonly field: () => ValueField;
  readonly name: string;
  readonly search: VectorSearch;
}

/** A type or interface with embeddings and the queries about them. */
export interface EmbeddedType {
  readonly type: NodeType;
  readonly embeddings: ReadonlyMap<string, Embedding>;
  /** The enum of its embeddings. */
  readonly enumName: string;
  /** The input of the argument `near`. */
  readonly nearName: string;
  /** The computed field that shows the distance; undefined when the type has a field of this name itself. */
  readonly distance: (() => ComputedModelField) | undefined;
  readonly definitions: readonly string[];
  readonly deprecated: readonly (readonly [query: string, reason: string])[];
}

export interface Embeddings {
  readonly types: readonly EmbeddedType[];
  /** Those of all types. */
  readonly fields: readonly Embedding[];
  /** What keeps the schema from being deployed. */
  readonly problems: readonly QuernError[];
}

export function readEmbeddings(context: ModelContext): Embeddings {
  const problems: QuernError[] = [];
  const byType = new Map<NodeType, Map<string, Embedding>>();
  for (const use of context.uses("embedding")) {
    const { type, field } = use;
    if (!type || !field || !isSound(use, context)) continue;
    const search = readSearch(field.definition);
    if (!use.inherited) problems.push(...search.problems.map((problem) => problem(type.name, field)));
    const embeddings = byType.get(type) ?? new Map<string, Embedding>();
    embeddings.set(field.name, { name: field.name, field: () => valueField(type, field.name), search });
    byType.set(type, embeddings);
  }
  const types = [...byType].flatMap(([type, embeddings]) => (type.allows("get") ? [embeddedType(type, embeddings, context)] : []));
  return { types, fields: [...byType.values()].flatMap((each) => [...each.values()]), problems };
}

/** Reports a field that holds no vector; records one that does. */
function isSound({ node, type, field, inherited }: DirectiveUse, { record, report }: ModelContext): boolean {
  if (!type || !field) return false;
  const { name, list, itemNonNull } = field.type;
  const isVector = field.role === "value" && name === "Float" && list && itemNonNull;
  if (isVector && !inherited) record.vector(field);
  if (isVector || inherited) return isVector;
  const found = list ? `[${name}]` : name;
  report(
    `Type ${type.name}; Field ${field.name}: The field with @embedding directive is of type ${found}, but @embedding directive only applies to fields of type [Float!].`,
    field.definition.name,
    `Declare it as ${field.name}: [Float!] @${node.name.value}.`,
  );
  return false;
}

/** The field as later plugins left it. */
function valueField(type: NodeType, name: string): ValueField {
  const field = type.fields.get(name);
  if (field?.role !== "value") throw new TypeError(`${type.name}.${name} is an embedding and holds no value.`);
  return field;
}

function embeddedType(type: NodeType, embeddings: ReadonlyMap<string, Embedding>, { model, record }: ModelContext): EmbeddedType {
  const isFree = (name: string) => !model.nodeTypes.has(name) && !model.enums.has(name) && !model.unions.has(name);
  const enumName = firstFree(`${type.name}Embedding`, isFree);
  const nearName = firstFree(`${type.name}Near`, isFree);
  if (!type.fields.has(distanceName)) record.outputField(type, { name: distanceName, type: "Float" });
  const isOurs = type.fields.get(distanceName)?.role === "computed";
  return {
    type,
    embeddings,
    enumName,
    nearName,
    distance: isOurs ? () => computedField(type) : undefined,
    definitions: [`enum ${enumName} { ${[...embeddings.keys()].join(" ")} }`, ...(type.allows("query") ? [nearInput(nearName, enumName)] : [])],
    deprecated: ambiguousKeys(type) ? [[`querySimilar${type.name}ById`, ambiguousReason]] : [],
  };
}

function nearInput(name: string, enumName: string): string {
  const { by, vector, topK, ...others } = searchArguments(enumName);
  return `"The objects nearest to a vector, among those that pass the filter."\ninput ${name} {\n${[by, vector, topK, ...Object.values(others)].join("\n")}\n}`;
}

/** The arguments of a search for what is near, in SDL with descriptions. `enumName` is the enum of the embeddings of the type. */
export function searchArguments(enumName: string) {
  return {
    by: `"The field that holds the vectors." by: ${enumName}!`,
    vector: `"As many numbers as the stored vectors have." vector: [Float!]!`,
    topK: `"The number of objects to find." topK: Int!`,
    ef: `"How many candidates the search keeps in view: more find better, and take longer." ef: Int`,
    threshold: `"Leaves out what is farther. Dot products ignore it." distance_threshold: Float`,
  } as const;
}

function computedField(type: NodeType): ComputedModelField {
  const field = type.fields.get(distanceName);
  if (field?.role !== "computed") throw new TypeError(`${type.name}.${distanceName} is not computed.`);
  return field;
}

/** A client's type may have the name: the generated one then gets an underscore. */
function firstFree(name: string, isFree: (name: string) => boolean): string {
  return isFree(name) ? name : firstFree(`${name}_`, isFree);
}

function ambiguousKeys(type: NodeType): boolean {
  return type.kind === "interface" && type.keys.some((key) => key.across === undefined);
}

const ambiguousReason =
  "@id argument for get query on interface is being deprecated. Only those @id fields which have interface argument set to true will be " +
  "available in getQuery argument on interface post v21.11.0, please update your schema accordingly.";
