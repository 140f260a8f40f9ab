// When a subscription expires, and the end that its client gets.

import type { QuernError } from "../ground/errors.ts";
import type { FailedField } from "../query/operation-context.ts";
import type { PreparedSubscription } from "../request/operation/live-operation.ts";
import type { LiveEnd } from "./live.ts";

export interface Expiry {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly end: LiveEnd;
}

const code = "SUBSCRIPTION_EXPIRED" satisfies QuernError["code"];

function expired(limit: "token" | "time", message: string): LiveEnd {
  const failed: FailedField = { code, message, extensions: { code } };
  return Object.freeze({ kind: "expired", limit, errors: [failed] });
}

const token = expired("token", "The token of this subscription has expired. Subscribe again with a new one.");
/** A plugin refuses the caller that it has identified before (`recheckAt` hook). */
export const disowned = expired("token", "The token of this subscription is no longer valid. Subscribe again with a new one.");
const time = expired("time", "This subscription has lasted as long as one may (limits.maxSubscriptionMs). Subscribe again.");

/**
 * The earliest of the expiries that plugins report for the caller (`until` hook) and the limit; undefined: none is set.
 *
 * @param latest the limit, in milliseconds since 1970
 */
export function expiryOf({ schema, view }: PreparedSubscription, latest: number): Expiry | undefined {
  const at = Math.min(...schema.hooks.flatMap(({ hooks }) => hooks.expiresAt?.(view) ?? []));
  if (at <= latest) return at === Number.POSITIVE_INFINITY ? undefined : { at, end: token };
  return { at: latest, end: time };
}
