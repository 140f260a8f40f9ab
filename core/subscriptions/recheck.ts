// Identifies the callers of live queries again while these last: a key that has signed a token may be revoked before the token expires.

import { andThen, rescued } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { givenFacts } from "../request/caller/given-claims.ts";
import { identifyCaller } from "../request/caller/identify-caller.ts";
import { RunningRequest } from "../request/caller/request-view.ts";
import type { PreparedSubscription } from "../request/operation/live-operation.ts";
import { callAt } from "./deadline.ts";

/** Whether the plugins find the same facts about the caller as when the subscription began. Throws, or rejects with, what refuses it. */
export function isSameCaller({ schema, request: asked, view }: PreparedSubscription): MaybePromise<boolean> {
  const requestHooks = schema.hooks.flatMap(({ hooks: { request } }) => (request ? [request] : []));
  return andThen(identifyCaller({ requestHooks }, new RunningRequest(view.headers, givenFacts(asked))), ({ view: { facts }, refused }) => {
    if (refused) throw refused;
    return JSON.stringify(facts) === JSON.stringify(view.facts);
  });
}

/**
 * At the times that plugins name (`recheckAt` hook), calls their `request` hook again.
 *
 * @param refused gets what the hook throws; nothing is checked afterwards
 * @returns ends the checks
 */
export function recheckCaller({ schema, request: asked, view }: PreparedSubscription, refused: (thrown: unknown) => void): () => void {
  const came = new RunningRequest(view.headers, givenFacts(asked), { first: view });
  const cancels = schema.hooks.flatMap(({ hooks: { recheckAt, request } }) =>
    recheckAt && request ? [repeat({ next: () => recheckAt(view), check: () => request(came), refused })] : [],
  );
  return () => {
    for (const cancel of cancels) cancel();
  };
}

interface Repeated {
  readonly next: () => number | undefined;
  readonly check: () => MaybePromise<unknown>;
  readonly refused: (thrown: unknown) => void;
}

function repeat({ next, check, refused }: Repeated): () => void {
  let cancel = (): void => {};
  let isOver = false;
  const wait = (): void => {
    const at = next();
    if (at !== undefined && !isOver) cancel = callAt(at, run);
  };
  const run = (): void =>
    void rescued(
      () => andThen(check(), wait),
      (thrown) => {
        if (!isOver) refused(thrown);
      },
    );
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}
