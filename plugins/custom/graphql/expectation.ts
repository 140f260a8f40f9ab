// What the schema expects of a remote GraphQL service.

import { type FieldDefinitionNode, print, type TypeDefinitionNode } from "graphql";
import { type CustomUse, isBatch } from "../directive/custom-use.ts";
import type { RemoteOperation } from "../directive/remote-operation.ts";

/** One use whose remote service is examined. */
export interface Introspection {
  readonly use: CustomUse;
  readonly operation: RemoteOperation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly remote: ReadonlyMap<string, TypeDefinitionNode>;
}

/** As the remote operation must return it: of a batch a list. */
export function expectedType(use: CustomUse, field: FieldDefinitionNode): string {
  return isBatch(use) ? `[${print(field.type)}]` : print(field.type);
}
