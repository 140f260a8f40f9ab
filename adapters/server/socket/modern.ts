// The current dialect, `graphql-transport-ws`: subscribe, next, complete. Protocol errors close the connection with a code.
// https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md

import { type LiveEnd, type LiveError, writeJson } from "../../../core/index.ts";
import { type DecodedRequest, fromMembers } from "../graphql/decode-graphql.ts";
import { errorsOf } from "../graphql/subscribe.ts";
import { HttpRefusal } from "../http/refusal.ts";
import type { Connection } from "./connection.ts";
import { type Dialect, frame, frameAround } from "./dialect.ts";
import { isObject, type JsonObject, type Message, readMessage } from "./message.ts";

export class ModernDialect implements Dialect {
  readonly #connection: Connection;
  readonly #initTimeout: NodeJS.Timeout;
  #initialised = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#initTimeout = connection.closeUnlessIntroduced();
  }

  message(text: string): void {
    const message = readMessage(text);
    switch (message?.type) {
      case "connection_init":
        this.#init(message);
        break;
      case "subscribe":
        this.#subscribe(message);
        break;
      case "complete":
        if (message.id === "") this.#malformed("A complete needs the id of its operation");
        else this.#connection.stop(message.id);
        break;
      case "ping":
      case "pong":
        this.#pingOrPong(message);
        break;
      case undefined:
        this.#malformed("The message is no JSON object with a type and an id that are texts");
        break;
      default:
        this.#malformed(message?.type ? `Unknown message type ${message.type}` : "The message has no type");
    }
  }

  next(id: string, body: string): string {
    return frameAround("next", id, body);
  }

  end(id: string, end: LiveEnd): readonly string[] {
    if (end.kind === "interrupted") return [];
    const errors = errorsOf(end);
    return [errors === undefined ? frame({ type: "complete", id }) : errorFrame(id, errors)];
  }

  closed(): void {
    clearTimeout(this.#initTimeout);
  }

  #init({ payload }: Message): void {
    if (!isOptionalObject(payload)) this.#malformed("The payload of connection_init is no object");
    else if (this.#initialised) this.#connection.close(4429, "Too many initialisation requests");
    else this.#introduce(payload ?? {});
  }

  #introduce(parameters: JsonObject): void {
    this.#connection.introduce(parameters);
    if (this.#connection.admitted) {
      this.#initialised = true;
      clearTimeout(this.#initTimeout);
      this.#connection.send(acknowledgement);
    } else this.#connection.close(4403, "Forbidden");
  }

  #subscribe({ id, payload }: Message): void {
    if (!this.#initialised) this.#connection.close(4401, "Unauthorized");
    else if (id === "") this.#malformed("A subscribe needs an id that is not empty");
    else if (!isObject(payload)) this.#malformed("The payload of a subscribe is an object");
    else this.#start(id, decodedOf(payload));
  }

  #start(id: string, decoded: DecodedRequest | HttpRefusal): void {
    if (decoded instanceof HttpRefusal) this.#malformed(decoded.message);
    else if (this.#connection.runs(id)) this.#connection.close(4409, `Subscriber for ${id} already exists`);
    else if (this.#connection.full) this.#connection.send(errorFrame(id, this.#connection.fullErrors));
    else this.#connection.start(id, decoded);
  }

  #pingOrPong({ type, payload }: Message): void {
    if (!isOptionalObject(payload)) this.#malformed(`The payload of a ${type} is no object`);
    else if (type === "ping") this.#connection.send(`{"type":"pong"${payload ? `,"payload":${writeJson(payload)}` : ""}}`);
  }

  #malformed(reason: string): void {
    this.#connection.close(4400, reason);
  }
}

const acknowledgement = frame({ type: "connection_ack" });

function errorFrame(id: string, errors: readonly LiveError[]): string {
  return frameAround("error", id, writeJson(errors));
}

/** The request, or the error of the payload. */
function decodedOf(payload: JsonObject): DecodedRequest | HttpRefusal {
  try {
    return fromMembers(payload);
  } catch (thrown) {
    if (thrown instanceof HttpRefusal) return thrown;
    throw thrown;
  }
}

function isOptionalObject(payload: unknown): payload is JsonObject | null | undefined {
  return payload === undefined || payload === null || isObject(payload);
}
