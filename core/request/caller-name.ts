// The caller for whom a request counts: an API key, else whom a plugin has identified, else an address.

import { andThen } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { identifyCaller } from "./identify-caller.ts";
import type { ActiveRequest } from "./request-context.ts";

/** Undefined: the request counts for nobody. */
export function callerNameOf({ schema, request: { caller }, view }: ActiveRequest): MaybePromise<string | undefined> {
  if (caller === undefined) return undefined;
  const byTransport = `${caller.kind} ${caller.name}`;
  const hooks = schema.deployment.hooks.flatMap(({ hooks: { caller: hook } }) => hook ?? []);
  if (caller.kind === "key" || hooks.length === 0) return byTransport;
  return andThen(identifyCaller(schema, view), ({ view: identified, refused }) => {
    if (refused) return byTransport;
    for (const hook of hooks) {
      const name = hook(identified);
      if (name !== undefined) return `user ${name}`;
    }
    return byTransport;
  });
}
