// The methods of `api.Dgraph`: each is a request to the HTTP surface, for the caller and the connection of its call.

import { type handleUnaryCall, type ServerErrorResponse, type ServerUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { HttpResponse, KernelEndpoint } from "../../../core/transport.ts";
import { Starts } from "../../node-http/index.ts";
import type { ApiDefinition } from "../wire/api-definition.ts";
import { headersOf } from "../wire/call-headers.ts";
import type { DqlRequest, LoginRequest, Operation, RunDqlRequest, TxnContext } from "../wire/messages.ts";
import { StatusError } from "../wire/status.ts";
import { alter } from "./alter.ts";
import type { Ask, Asked } from "./asking.ts";
import { commitOrAbort } from "./commit.ts";
import { login } from "./login.ts";
import { query, runDql } from "./query.ts";
import { checkVersion } from "./version.ts";

export class Calls {
  readonly #endpoint: KernelEndpoint;
  readonly #definition: ApiDefinition;
  readonly #starts = new Starts();

  constructor(endpoint: KernelEndpoint, definition: ApiDefinition) {
    this.#endpoint = endpoint;
    this.#definition = definition;
  }

  handlers(): UntypedServiceImplementation {
    return {
      Login: this.#answering((request: LoginRequest, ask) => login(request, ask, this.#definition)),
      Query: this.#answering((request: DqlRequest, ask) => query(request, ask)),
      RunDQL: this.#answering((request: RunDqlRequest, ask) => runDql(request, ask)),
      Alter: this.#answering((request: Operation, ask) => alter(request, ask)),
      CommitOrAbort: this.#answering((request: TxnContext, ask) => commitOrAbort(request, ask)),
      CheckVersion: this.#answering((_request: object, ask) => checkVersion(ask)),
    };
  }

  #answering<Request, Answer>(answer: (request: Request, ask: Ask) => Promise<Answer>): handleUnaryCall<Request, Answer> {
    return (call, callback) => {
      const ask = (asked: Asked) => this.#ask(call, asked);
      answer(call.request, ask).then(
        (message) => callback(null, message),
        (thrown: unknown) => callback(this.#errorFor(thrown)),
      );
    };
  }

  /** Calls that arrive together begin in turns, their callers one after the other. */
  #ask<Request, Answer>(call: ServerUnaryCall<Request, Answer>, { url, body, type }: Asked): Promise<HttpResponse> {
    const request = {
      method: body === undefined ? "GET" : "POST",
      url,
      headers: { ...headersOf(call.metadata, call.getHost()), ...(type && { "content-type": type }) },
      remoteAddress: addressOf(call.getPeer()),
      onGone: (listener: () => void) => void call.once("cancelled", listener),
    };
    return new Promise((resolve, reject) => {
      this.#starts.add({
        caller: () => this.#endpoint.callerOf?.(request) ?? request.remoteAddress,
        begin: () => {
          if (call.cancelled) reject(new StatusError(status.CANCELLED, "The client has gone."));
          else Promise.resolve(this.#endpoint.http({ ...request, body: Buffer.from(body ?? "") })).then(resolve, reject);
        },
      });
    });
  }

  #errorFor(thrown: unknown): Partial<ServerErrorResponse> {
    if (thrown instanceof StatusError) return { code: thrown.code, details: thrown.details };
    this.#endpoint.fault?.(thrown);
    return { code: status.INTERNAL, details: "Internal error" };
  }
}

/** Without the port: `127.0.0.1:40000`, `::1:40000`. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, "");
}
