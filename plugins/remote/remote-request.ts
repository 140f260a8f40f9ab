// A request to a remote service, and its reply.

/** A request to another service. */
export interface RemoteRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: the request has no body. */
  readonly body: string | undefined;
}

/** The reply of another service, read to its end. */
export interface RemoteReply {
  /** The status code, whatever it is. */
  readonly status: number;
  /** The body, decoded as UTF-8. */
  readonly text: string;
}
