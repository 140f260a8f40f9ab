// Why a remote service gave no usable reply.

/** Its message names no header, no body and no secret: clients may see it. */
export class RemoteFailure extends Error {
  override readonly name = "RemoteFailure";
  /** Sending the request again may help. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, ...options }: ErrorOptions & { readonly passing?: boolean } = {}) {
    super(message, options);
    this.passing = passing;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_INVALID_ARG: "a header or the address is invalid",
};

/** A text for an error of the network or of the HTTP library. Messages of the system may hold addresses; codes do not. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof RemoteFailure) return thrown.message;
  if (!(thrown instanceof Error)) return "the request failed";
  if (thrown.cause instanceof RemoteFailure) return thrown.cause.message;
  const code = codeOf(thrown);
  return reasons[code] ?? (code.startsWith("UND_ERR_") || code.startsWith("HPE_") ? "the reply is no valid HTTP" : "the request failed");
}

function codeOf(thrown: Error): string {
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Several addresses were tried.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [];
  return first instanceof Error ? codeOf(first) : "";
}
