// A request to follow an end, with what it needs of the layout.

import type { EndName, FieldName, Order, Page, Place, Predicate, TypeName, Uid } from "../../../core/storage.ts";
import type { EndRuntime } from "../layout/layout-runtime.ts";
import type { Joined } from "./semi-join-result.ts";

export interface Following {
  readonly end: EndRuntime;
  readonly sources: readonly Uid[];
  readonly types: readonly TypeName[];
  readonly where: Predicate;
  readonly joined: Joined;
  readonly order: Order;
  readonly after: Place | undefined;
  readonly from: Place | undefined;
  readonly page: Page | undefined;
  readonly fields: readonly (FieldName | EndName)[];
}
