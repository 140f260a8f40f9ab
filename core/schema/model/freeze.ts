// Makes a model immutable, and sets the definitions to those that are served.

import type { Model } from "../../contracts/model.ts";
import { lockMap } from "../../ground/locked-map.ts";
import type { ModelDraft, NodeTypeDraft } from "./draft.ts";

export function freezeModel(model: ModelDraft): Model {
  for (const type of model.nodeTypes.values()) freezeType(type);
  for (const union of model.unions.values()) Object.freeze(Object.freeze(union).members);
  for (const named of model.enums.values()) lockMap(Object.freeze(named).values, "The values of an enum of a deployed schema");
  for (const map of [model.nodeTypes, model.unions, model.enums]) lockMap<ReadonlyMap<string, unknown>>(map, "The model of a deployed schema");
  return Object.freeze(model);
}

function freezeType(type: NodeTypeDraft): void {
  const fields = (type.definition.fields ?? []).map((definition) => type.fields.get(definition.name.value)?.definition ?? definition);
  type.definition = { ...type.definition, fields };
  for (const field of type.fields.values()) {
    Object.freeze(field.exposure);
    Object.freeze(field.type);
    Object.freeze(field);
  }
  lockMap(type.fields, "The fields of a type of a deployed schema");
  for (const list of [type.keys, type.scopedKeys, type.interfaces, type.members]) Object.freeze(list);
  Object.freeze(type);
}
