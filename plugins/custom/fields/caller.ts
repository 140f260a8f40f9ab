// Sends the requests of fields, and reads the replies.

import type { RequestView } from "../../../core/plugin.ts";
import { type HttpClient, type RemoteReply, type RemoteRequest, reasonOf } from "../../remote/index.ts";
import { withRetries } from "../http/retry.ts";
import type { CallContext } from "./build-request.ts";
import type { ResolvedOptions } from "./options.ts";
import { externalFailure, type RemoteCall } from "./remote-call.ts";
import { type ReplyValue, readReply } from "./reply.ts";

export class Caller {
  readonly #client: HttpClient;
  readonly #options: Pick<ResolvedOptions, "retries" | "dedupe">;
  /** Reads on their way, by operation and request. */
  readonly #running = new WeakMap<RequestView, Map<string, Promise<RemoteReply>>>();

  constructor(client: HttpClient, options: Pick<ResolvedOptions, "retries" | "dedupe">) {
    this.#client = client;
    this.#options = options;
  }

  /** Never rejects: what goes wrong is an error of the value. */
  async call(call: RemoteCall, requestOf: () => RemoteRequest, context: CallContext): Promise<ReplyValue> {
    try {
      const request = requestOf();
      const reply = await (call.reads && this.#options.dedupe ? this.#once(call, request, context) : this.#send(call, request, context));
      return await readReply(call, reply);
    } catch (thrown) {
      return { value: null, errors: [externalFailure(call, reasonOf(thrown))], failed: true };
    }
  }

  #send(call: RemoteCall, request: RemoteRequest, { signal }: CallContext): Promise<RemoteReply> {
    const send = () => this.#client.send(request, { signal, operation: signal });
    return call.reads ? withRetries(send, { retries: this.#options.retries, signal }) : send();
  }

  #once(call: RemoteCall, request: RemoteRequest, context: CallContext): Promise<RemoteReply> {
    const running = this.#running.get(context.request) ?? new Map<string, Promise<RemoteReply>>();
    this.#running.set(context.request, running);
    const key = JSON.stringify([request.method, request.url, request.headers, request.body]);
    const known = running.get(key);
    if (known) return known;
    const sent = this.#send(call, request, context).finally(() => running.delete(key));
    running.set(key, sent);
    return sent;
  }
}
