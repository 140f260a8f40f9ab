// The current dialect, `graphql-transport-ws`: subscribe, next, complete. Protocol errors close the connection with a code. The package `graphql-ws`
// defines types of messages, their validation and close codes. Its server is not used: it serializes each result for each client, where the kernel
// shares the text of a result, and it bounds nothing.
// https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md

import { CloseCode, type Message, MessageType, type SubscribePayload, validateMessage } from "graphql-ws";
import { type LiveEnd, type LiveError, writeJson } from "../../../core/index.ts";
import { type DecodedRequest, fromMembers } from "../graphql/decode-graphql.ts";
import { errorsOf } from "../graphql/subscribe.ts";
import { HttpRefusal } from "../http/refusal.ts";
import type { Connection } from "./connection.ts";
import { type Dialect, frame, frameAround } from "./dialect.ts";
import { isObject, type JsonObject, type Message as ReadMessage, readMessage } from "./message.ts";

export class ModernDialect implements Dialect {
  readonly #connection: Connection;
  readonly #initTimeout: NodeJS.Timeout;
  #initialised = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#initTimeout = connection.closeUnlessIntroduced();
  }

  message(text: string): void {
    const message = this.#validated(readMessage(text));
    switch (message?.type) {
      case MessageType.ConnectionInit:
        this.#init(message.payload ?? {});
        break;
      case MessageType.Subscribe:
        this.#start(message.id, decodedOf(message.payload));
        break;
      case MessageType.Complete:
        this.#connection.stop(message.id);
        break;
      case MessageType.Ping:
        this.#connection.send(pongFrame(message.payload));
        break;
      case MessageType.Pong:
      case undefined:
        break;
      default:
        this.#malformed(`Clients send no ${message?.type}`);
    }
  }

  next(id: string, body: string): string {
    return frameAround(MessageType.Next, id, body);
  }

  end(id: string, end: LiveEnd): readonly string[] {
    if (end.kind === "interrupted") return [];
    const errors = errorsOf(end);
    return [errors === undefined ? frame({ type: MessageType.Complete, id }) : errorFrame(id, errors)];
  }

  closed(): void {
    clearTimeout(this.#initTimeout);
  }

  /** Undefined: the message has ended the connection. */
  #validated(message: ReadMessage | undefined): Message | undefined {
    if (message === undefined) this.#malformed("The message is no JSON object with a type and an id that are texts");
    else if (message.type === MessageType.Subscribe && !this.#initialised) this.#connection.close(CloseCode.Unauthorized, "Unauthorized");
    else return this.#checked(message);
    return undefined;
  }

  #checked(message: ReadMessage): Message | undefined {
    try {
      return validateMessage(withQuery(message));
    } catch (thrown) {
      this.#malformed(thrown instanceof Error ? thrown.message : String(thrown));
      return undefined;
    }
  }

  #init(parameters: JsonObject): void {
    if (this.#initialised) this.#connection.close(CloseCode.TooManyInitialisationRequests, "Too many initialisation requests");
    else this.#introduce(parameters);
  }

  #introduce(parameters: JsonObject): void {
    this.#connection.introduce(parameters);
    if (this.#connection.admitted) {
      this.#initialised = true;
      clearTimeout(this.#initTimeout);
      this.#connection.send(acknowledgement);
    } else this.#connection.close(CloseCode.Forbidden, "Forbidden");
  }

  #start(id: string, decoded: DecodedRequest | HttpRefusal): void {
    if (decoded instanceof HttpRefusal) this.#malformed(decoded.message);
    else if (this.#connection.runs(id)) this.#connection.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
    else if (this.#connection.full) this.#connection.send(errorFrame(id, this.#connection.fullErrors));
    else this.#connection.start(id, decoded);
  }

  #malformed(reason: string): void {
    this.#connection.close(CloseCode.BadRequest, reason);
  }
}

const acknowledgement = frame({ type: MessageType.ConnectionAck });

/** The protocol wants a query. A client that names a document by its hash or id sends none. */
function withQuery(message: ReadMessage): ReadMessage {
  const { type, payload } = message;
  if (type !== MessageType.Subscribe || !isObject(payload) || (payload.query !== undefined && payload.query !== null)) return message;
  return { ...message, payload: { ...payload, query: "" } };
}

function pongFrame(payload: JsonObject | null | undefined): string {
  return payload ? `{"type":"${MessageType.Pong}","payload":${writeJson(payload)}}` : `{"type":"${MessageType.Pong}"}`;
}

function errorFrame(id: string, errors: readonly LiveError[]): string {
  return frameAround(MessageType.Error, id, writeJson(errors));
}

/** The request, or the error of what Quern reads beyond the protocol: `extensions.persistedQuery`, `extensions.as`. */
function decodedOf(payload: SubscribePayload): DecodedRequest | HttpRefusal {
  try {
    return fromMembers({ ...payload });
  } catch (thrown) {
    if (thrown instanceof HttpRefusal) return thrown;
    throw thrown;
  }
}
