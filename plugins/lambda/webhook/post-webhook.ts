// Posts an event to its webhook, by the Standard Webhooks specification: an id that is equal for all deliveries of one event, a time stamp, and
// a signature over both and the body.
//
// @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { createHmac } from "node:crypto";
import { parseJson, writeJson } from "../../../core/plugin.ts";
import type { HttpClient } from "../../remote/index.ts";
import type { Delivery } from "../outbox/outbox-task.ts";
import type { Webhook } from "./read-webhooks.ts";
import type { WebhookEntry } from "./webhook-changes.ts";

export interface Posting {
  readonly client: HttpClient;
  readonly signal: AbortSignal;
}

/** A redirect is a failure: a POST that was redirected may arrive as a GET, without the event. The status is the whole answer. */
export async function postWebhook({ url, headers, key }: Webhook, delivery: Delivery, { client, signal }: Posting): Promise<void> {
  const id = `quern-${delivery.uid.toString(16)}`;
  const body = bodyOf(delivery);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = key === undefined ? {} : { "webhook-signature": `v1,${sign(key, `${id}.${timestamp}.${body}`)}` };
  const standard = { "content-type": "application/json", "webhook-id": id, "idempotency-key": id, "webhook-timestamp": timestamp, ...signature };
  const request = { method: "POST", url, headers: { ...headers, ...standard }, body };
  const { status } = await client.send(request, { signal, maxRedirects: 0, wants: "status" });
  if (status < 200 || status > 299) throw new Error(`the webhook answers with status ${status}`);
}

/** The same bytes for each delivery, except that `commit` may be a later one after the server has ended. */
function bodyOf({ body, token, born }: Delivery): string {
  const { type, operation, nodes } = parseJson(body) as WebhookEntry;
  return writeJson({ type, operation, commit: token, at: new Date(born).toISOString(), nodes });
}

/** A key with the prefix `whsec_` is base64, as the specification has it; another one is taken as it is. */
function sign(key: string, text: string): string {
  const bytes = key.startsWith("whsec_") ? Buffer.from(key.slice("whsec_".length), "base64") : Buffer.from(key);
  return createHmac("sha256", bytes).update(text).digest("base64");
}
