// Who a client is that asks outside an operation, such as at a path of a plugin.

import type { IdentifiedClient } from "../../contracts/plugin/kernel-access.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { identifyCaller } from "./identify-caller.ts";
import { lowerCased } from "./lower-case-headers.ts";
import { RunningRequest } from "./request-view.ts";

/** Throws, or rejects with, the error that refuses the client. */
export function identifiedClient(schema: ActiveSchema, headers: RequestView["headers"]): MaybePromise<IdentifiedClient> {
  const came = new RunningRequest(lowerCased(headers), {});
  for (const { hooks } of schema.deployment.hooks) hooks.admit?.(came.headers, came);
  return andThen(identifyCaller(schema, came), ({ view, refused }) => {
    if (refused) throw refused;
    return { request: view.kept(), name: nameOf(schema, view) };
  });
}

function nameOf({ deployment }: ActiveSchema, view: RequestView): string | undefined {
  for (const { hooks } of deployment.hooks) {
    const name = hooks.caller?.(view);
    if (name !== undefined) return name;
  }
  return undefined;
}
