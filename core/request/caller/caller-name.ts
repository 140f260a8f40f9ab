// The caller for whom a request counts: an API key, else whom its claims name, else whom a plugin has identified, else an address.

import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { subjectOf } from "./given-claims.ts";
import { identifyCaller } from "./identify-caller.ts";
import type { GraphQLRequest } from "./request.ts";
import type { RunningRequest } from "./request-view.ts";

/** A request, and what is known of it. */
export interface CallingRequest {
  readonly schema: ActiveSchema;
  readonly request: Pick<GraphQLRequest, "caller" | "claims">;
  readonly view: RunningRequest;
}

/** Asks the plugins. Undefined: the request counts for nobody. */
export function callerNameOf({ schema, request, view }: CallingRequest): MaybePromise<string | undefined> {
  const byTransport = nameByTransport(request);
  if (byTransport === undefined || !mayBeIdentified(schema, request)) return byTransport;
  return andThen(identifyCaller(schema, view), ({ view: identified, refused }) =>
    refused ? byTransport : identifiedName(schema, request, identified),
  );
}

/** The same where the plugins have been asked. */
export function identifiedName(schema: ActiveSchema, request: CallingRequest["request"], identified: RequestView): string | undefined {
  const byTransport = nameByTransport(request);
  if (byTransport === undefined || !mayBeIdentified(schema, request)) return byTransport;
  for (const { hooks } of schema.deployment.hooks) {
    const name = hooks.caller?.(identified);
    if (name !== undefined) return `user ${name}`;
  }
  return byTransport;
}

/** As far as the transport knows, or the application that has given claims. */
export function nameByTransport({ caller, claims }: CallingRequest["request"]): string | undefined {
  const subject = claims && caller?.kind !== "key" ? subjectOf({ claims }) : undefined;
  return subject === undefined ? caller && `${caller.kind} ${caller.name}` : `user ${subject}`;
}

function mayBeIdentified(schema: ActiveSchema, { caller, claims }: CallingRequest["request"]): boolean {
  if (caller?.kind === "key" || (claims && subjectOf({ claims }) !== undefined)) return false;
  return schema.deployment.hooks.some(({ hooks }) => hooks.caller !== undefined);
}
