// A request that is ready to run: what preparation found, and what its root fields share while they run.

import type { DocumentNode } from "graphql";
import type { OperationContext } from "../../query/operation-context.ts";
import type { PreparedOperation } from "../documents/operation.ts";
import type { ErrorView } from "../errors/faults.ts";
import type { Trace } from "./trace.ts";

/** A request's document, its operation and the values of its variables. */
export interface PreparedRequest {
  readonly document: DocumentNode;
  readonly operation: PreparedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The variables as the client sent them. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** A prepared request whose caller is known: everything that its root fields need to run. */
export interface RunningOperation extends OperationContext, PreparedRequest {
  readonly errors: ErrorView;
  /** Undefined: the operation is not traced. */
  readonly trace?: Trace | undefined;
}
