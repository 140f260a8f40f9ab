// Groups of the nodes of a type, which a plugin adds to the API.

import type { LinkField, NodeType, ValueField } from "../model.ts";

/**
 * Adds `group<Type>`, and `<field>Group` beside each list of the type:
 *
 *     // groupPost(by: [{field: author}, {field: published, unit: YEAR}], ...): [PostGroupByResult]
 *     { type: post, fields: [author, published] }
 */
export interface GroupedType {
  readonly type: NodeType;
  /** By which clients may group: fields of one value, neither a geometry nor a vector, and links to one node. */
  readonly fields: readonly (ValueField | LinkField)[];
}
