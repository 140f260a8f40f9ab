// A request to a remote service, and its reply.

export interface RemoteRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface RemoteReply {
  readonly status: number;
  readonly text: string;
}
