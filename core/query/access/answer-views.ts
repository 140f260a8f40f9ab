// The views from which plugins answer questions of their own.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import type { OperationContext } from "../operation-context.ts";
import { shownSnapshot } from "./shown-snapshot.ts";
import { visibleSnapshot } from "./visible-snapshot.ts";

export type ViewContext = Pick<OperationContext, "deployment" | "request" | "refused" | "permissions" | "valueLimits" | "log" | "budget">;

/** What the caller may see, with the values that he gets. The caller of `snapshot` closes it. */
export function callersView(snapshot: Snapshot, context: ViewContext): MaybePromise<Snapshot> {
  return andThen(visibleSnapshot(snapshot, context, context.budget), (visible) => withShownValues(visible, context));
}

/** Every node, unless a plugin narrows everywhere, with the values that the caller gets. The caller of `snapshot` closes it. */
export function viewOutsideRules(snapshot: Snapshot, context: ViewContext): MaybePromise<Snapshot> {
  return narrowsEverywhere(context.deployment) ? callersView(snapshot, context) : withShownValues(snapshot, context);
}

/** Whether some plugin narrows in answers that otherwise stand outside rules. */
export function narrowsEverywhere({ hooks }: Pick<ViewContext["deployment"], "hooks">): boolean {
  return hooks.some((each) => each.hooks.narrowsEverywhere === true);
}

function withShownValues(snapshot: Snapshot, { deployment, request, log, budget }: ViewContext): Snapshot {
  const { shown } = deployment.api;
  return shown ? shownSnapshot(snapshot, { shown, index: layoutIndexOf(deployment.layout), request, log, budget }) : snapshot;
}
