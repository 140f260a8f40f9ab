// The older dialect, `subscriptions-transport-ws`: start, data, stop. Its frames equal those of Dgraph, except that errors for which Dgraph
// drops the connection are answered and leave it open.

import { CloseCode } from "graphql-ws";
import type { LiveEnd, LiveError } from "../../../core/index.ts";
import { type DecodedRequest, fromMembers } from "../graphql/decode-graphql.ts";
import { errorsOf } from "../graphql/subscribe.ts";
import { HttpRefusal } from "../http/refusal.ts";
import type { Connection } from "./connection.ts";
import { type Dialect, frame, frameAround } from "./dialect.ts";
import { isObject, type JsonObject, type Message, readMessage } from "./message.ts";

const unknownKey = "Invalid X-Auth-Token";

export class LegacyDialect implements Dialect {
  readonly #connection: Connection;
  #keepAlive: NodeJS.Timeout | undefined;
  readonly #initTimeout: NodeJS.Timeout | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    // `connection_init` is optional, unless an API key is required.
    if (!connection.admitted) this.#initTimeout = connection.closeUnlessIntroduced();
  }

  message(text: string): void {
    const message = readMessage(text);
    switch (message?.type) {
      case "connection_init":
        this.#init(message);
        break;
      case "start":
        this.#start(message);
        break;
      case "stop":
        this.#connection.stop(message.id);
        this.#connection.send(completeFrame(message.id));
        break;
      case "connection_terminate":
        this.#connection.close(1000, "", "client");
        break;
      case "ka":
        this.#connection.send(keepAlive);
        break;
      case undefined:
        this.#connectionError("", "the message is no JSON object with a type and an id that are texts");
        break;
      default:
        this.#connection.send(errorFrame(message?.id ?? "", `unknown operation message of type: ${message?.type}`));
    }
  }

  next(id: string, body: string): string {
    return frameAround("data", id, body);
  }

  end(id: string, end: LiveEnd): readonly string[] {
    if (end.kind === "interrupted") return [];
    // As in Dgraph: this dialect has no message for an expired token.
    if (end.kind === "expired" && end.limit === "token") return [completeFrame(id)];
    const errors = errorsOf(end);
    return errors === undefined ? [completeFrame(id)] : [errorFrame(id, textOf(errors), errors[0]?.extensions), completeFrame(id)];
  }

  closed(): void {
    clearTimeout(this.#initTimeout);
    clearInterval(this.#keepAlive);
  }

  #init({ payload }: Message): void {
    if (payload === undefined || payload === null) this.#introduce({});
    else if (isObject(payload)) this.#introduce(payload);
    else this.#connectionError("", "invalid payload for type: connection_init");
  }

  #introduce(parameters: JsonObject): void {
    this.#connection.introduce(parameters);
    if (this.#connection.admitted) {
      clearTimeout(this.#initTimeout);
      this.#connection.send(acknowledgement);
      this.#keepAlive ??= this.#keepingAlive();
    } else {
      this.#connectionError("", unknownKey);
      this.#connection.close(CloseCode.Forbidden, "Forbidden");
    }
  }

  /** Sends the first keep-alive at once: some clients wait for it before they rely on keep-alives. */
  #keepingAlive(): NodeJS.Timeout | undefined {
    const { liveKeepAliveMs } = this.#connection.limits;
    if (liveKeepAliveMs === 0) return undefined;
    this.#connection.send(keepAlive);
    return setInterval(() => this.#connection.sendIfIdle(keepAlive), liveKeepAliveMs);
  }

  #start({ id, payload }: Message): void {
    const decoded = decodedOf(payload);
    if (id === "") this.#connectionError("", "missing ID for start operation");
    else if (decoded === undefined) this.#connectionError(id, "invalid payload for type: start");
    else this.#begin(id, decoded);
  }

  /** Like Apollo Server: a new operation silently replaces an old one with the same id. */
  #begin(id: string, decoded: DecodedRequest): void {
    this.#connection.stop(id);
    if (!this.#connection.admitted) this.#refuse(id, unknownKey);
    else if (this.#connection.full) this.#refuse(id, this.#connection.fullText, this.#connection.fullErrors[0]?.extensions);
    else this.#connection.start(id, decoded, { subscriptionsOnly: true });
  }

  #refuse(id: string, message: string, extensions?: LiveError["extensions"]): void {
    this.#connection.send(errorFrame(id, message, extensions));
    this.#connection.send(completeFrame(id));
  }

  #connectionError(id: string, message: string): void {
    this.#connection.send(frame({ type: "connection_error", id: id || undefined, payload: { message } }));
  }
}

const acknowledgement = frame({ type: "connection_ack" });
const keepAlive = frame({ type: "ka" });

function completeFrame(id: string): string {
  return frame({ type: "complete", id: id || undefined });
}

/** This dialect has one error: that of several has the code of the first. */
function errorFrame(id: string, message: string, extensions?: LiveError["extensions"]): string {
  return frame({ type: "error", id: id || undefined, payload: { message, extensions } });
}

/** Undefined: the payload is missing, or a member has the wrong type. */
function decodedOf(payload: unknown): DecodedRequest | undefined {
  if (payload !== null && !isObject(payload)) return undefined;
  try {
    return fromMembers(payload);
  } catch (thrown) {
    if (thrown instanceof HttpRefusal) return undefined;
    throw thrown;
  }
}

/** One error a line, each with its line in the document. */
function textOf(errors: readonly LiveError[]): string {
  if (errors.some((each) => each.path !== undefined)) return errors.map(({ message }) => message).join("\n");
  return errors.map(({ message, locations: [place] = [] }) => (place === undefined ? message : `input:${place.line}: ${message}\n`)).join("");
}
