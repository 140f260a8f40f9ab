// Hands an event of the outbox to its receiver.

import { type BackgroundContext, parseJson } from "../../../core/plugin.ts";
import type { HttpClient } from "../../remote/index.ts";
import type { AuthHeader } from "../handlers/auth-header.ts";
import { type LambdaHandler, quernOver } from "../handlers/handler.ts";
import type { Delivery } from "../outbox/outbox-task.ts";
import { postWebhook } from "../webhook/post-webhook.ts";
import type { Webhook } from "../webhook/read-webhooks.ts";
import type { WebhookEntry } from "../webhook/webhook-changes.ts";
import type { LambdaEntry } from "./mutation-event.ts";

export interface Receivers {
  readonly handler: LambdaHandler | undefined;
  readonly webhooks: readonly Webhook[];
  /** Posts to webhooks. */
  readonly client: HttpClient;
}

/** An event whose receiver the schema no longer has is dropped. */
export async function deliver(delivery: Delivery, context: BackgroundContext, receivers: Receivers): Promise<void> {
  const entry = parseJson(delivery.body) as LambdaEntry | WebhookEntry;
  if (entry.kind === "lambda") return await deliverEvent(entry, delivery, { context, handler: receivers.handler });
  const webhook = receivers.webhooks.find(({ name }) => name === entry.hook);
  if (!webhook) return context.log("warn", `an event of ${entry.hook} is dropped: the schema has no @webhook there any more`);
  await postWebhook(webhook, delivery, { client: receivers.client, signal: context.signal });
}

interface EventDelivery {
  readonly context: BackgroundContext;
  readonly handler: LambdaHandler | undefined;
}

async function deliverEvent({ event, accessToken, authHeader }: LambdaEntry, { uid }: Delivery, { context, handler }: EventDelivery): Promise<void> {
  const { __typename: type, operation } = event;
  if (!handler?.handles(`${type}.${operation}`)) return context.log("warn", `an event of ${type} is dropped: nothing handles ${type}.${operation}`);
  const headers = headersOf(authHeader);
  await handler.call({
    resolver: "$webhook",
    event: { ...event, commitTs: uid },
    accessToken,
    authHeader,
    request: { headers },
    quern: quernOver((asked) => context.execute(asked), headers),
    signal: context.signal,
  });
}

/** The caller of the mutation, as far as an event knows them. */
function headersOf(authHeader: AuthHeader | undefined): Readonly<Record<string, string>> {
  return authHeader && authHeader.value !== "" ? { [authHeader.key.toLowerCase()]: authHeader.value } : {};
}
