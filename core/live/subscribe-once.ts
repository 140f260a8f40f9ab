// Subscribes to the result that there is now.

import { parse } from "graphql";
import type { MaybePromise } from "../contracts/values.ts";
import { parseJson } from "../json/parse-json.ts";
import { chooseOperation } from "../pipeline/choose-operation.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../pipeline/request.ts";
import type { LiveEnd, LiveError, LiveRequest, Subscriber, Subscription } from "./live.ts";

export const notASubscription = "given GraphQL operation is not a subscription";

export function subscribeOnce(
  execute: (request: GraphQLRequest) => MaybePromise<GraphQLAnswer>,
  request: LiveRequest,
  subscriber: Subscriber,
): Subscription {
  let stopped = false;
  let waiting: (() => void) | undefined;
  const tell = (what: () => void): void => {
    if (stopped) return;
    if (subscriber.ready()) what();
    else waiting = what;
  };
  void (async () => {
    await undefined;
    if (stopped) return;
    if (request.subscriptionsOnly && isOther(request)) return subscriber.end(refused([{ message: notASubscription }]));
    const answer = await execute(request);
    const { errors = [] } = parseJson(answer.body) as { readonly errors?: readonly LiveError[] };
    if (stopped) return;
    if (answer.requestErrors || (answer.kind === "subscription" && errors.length > 0)) return subscriber.end(refused(errors));
    tell(() => {
      subscriber.next(answer.body);
      if (answer.kind !== "subscription") subscriber.end({ kind: "complete", why: "done" });
    });
  })();
  return {
    drained() {
      const [what] = [waiting];
      waiting = undefined;
      if (!stopped) what?.();
    },
    stop() {
      stopped = true;
    },
  };
}

function refused(errors: readonly LiveError[]): LiveEnd {
  return { kind: "refused", errors };
}

/** An invalid document is refused when it is run. */
function isOther({ query, operationName }: LiveRequest): boolean {
  try {
    return chooseOperation(parse(query), operationName).operation !== "subscription";
  } catch {
    return false;
  }
}
