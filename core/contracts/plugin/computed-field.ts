// Values of fields that are not stored.

import type { AnswerValue, FieldName, MaybePromise, Stored } from "../../ground/values/value.ts";
import type { Field } from "../model.ts";
import type { NodeRef, Snapshot } from "../storage/snapshot.ts";
import type { RequestView } from "./request-view.ts";
import type { AnswerError } from "./root-answer.ts";
import type { FieldSelection, RootContext } from "./root-field.ts";

/** A resolver for a field that is not stored. It is called once for many parents. */
export interface ComputedField {
  /** A field of an interface stands for the inherited fields of its types too, unless these are computed by a `ComputedField` of their own. */
  readonly field: Field;
  /** The stored fields of the parents that `compute` reads. */
  readonly needs: readonly FieldName[];
  /**
   * Returns one value for each parent, in order; null for none. The kernel completes each as a `RootAnswer`. Called once for each place of the
   * document that selects the field, with all parents there, each once.
   *
   *     compute: async (parents, _args, _request, { snapshot }) => {
   *       const links = await snapshot.follow({ from: parents.map(({ uid }) => uid), end: "Author.posts", types: ["Post"], fields: [] });
   *       return parents.map((_, i) => (links.starts[i + 1] ?? 0) - (links.starts[i] ?? 0));
   *     }
   */
  readonly compute: (
    parents: readonly Parent[],
    args: Readonly<Record<string, unknown>>,
    request: RequestView,
    context: ComputeContext,
  ) => MaybePromise<readonly AnswerValue[] | ComputedAnswer>;
  /**
   * True: `compute` may take long, because it asks another service. It runs when everything else is read, all slow fields of a root field at the
   * same time, in a mutation after the commit. It must not read `snapshot`.
   */
  readonly slow?: boolean;
  /**
   * True: the values depend on more than the arguments and `needs`, for example on the clock. The kernel cannot detect their changes, so a
   * subscription may not select the field.
   */
  readonly volatile?: boolean;
}

/** What a computed field's `compute` may use. */
export interface ComputeContext {
  /** The snapshot from which the answer is read. Unrestricted: `narrow` does not apply. Not for a `slow` field. */
  readonly snapshot: Snapshot;
  /** As `RootContext.execute`. Only queries. */
  readonly execute: RootContext["execute"];
  /** What the client selects. */
  readonly selection: FieldSelection;
  /** As `RootContext.signal`. */
  readonly signal: AbortSignal;
}

/** The values of a computed field for several parents, with errors. */
export interface ComputedAnswer {
  /** One for each parent, in order. */
  readonly values: readonly AnswerValue[];
  /** What went wrong beside the values; empty when nothing did. */
  readonly errors: readonly AnswerError[];
}

/** A node whose computed field is selected. */
export interface Parent extends NodeRef {
  /** The values of `needs`, in that order. */
  readonly values: readonly (Stored | undefined)[];
}
