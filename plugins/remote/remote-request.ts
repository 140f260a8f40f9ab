// A request to a remote service, and its reply.

/** A request to another service. */
export interface RemoteRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The reply of another service, read to its end. */
export interface RemoteReply {
  readonly status: number;
  readonly text: string;
}
