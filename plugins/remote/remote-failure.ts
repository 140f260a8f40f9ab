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

/** Codes of the system and of the HTTP libraries. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ERR_HTTP2_STREAM_ERROR: "the connection was closed",
  ERR_HTTP2_SESSION_ERROR: "the connection was closed",
  ERR_HTTP2_GOAWAY_SESSION: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  ERR_SSL_WRONG_VERSION_NUMBER: "the service answers without TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the service answers without TLS",
  UND_ERR_SOCKET: "the connection was closed",
  // A stream of HTTP/2 that the service has reset.
  UND_ERR_INFO: "the connection was closed",
  UND_ERR_INVALID_ARG: "a header or the address is invalid",
};

/** Those that say nothing about the next attempt. */
const lasting: ReadonlySet<string> = new Set(["ENOTFOUND", "UND_ERR_INVALID_ARG", "ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]);

/** The same for an error of the network or of the HTTP library. */
export function failureOf(thrown: unknown): RemoteFailure {
  const known = remoteFailureIn(thrown);
  if (known) return known;
  const code = thrown instanceof Error ? codeOf(thrown) : "";
  return new RemoteFailure(reasonOf(thrown), { cause: thrown, passing: Object.hasOwn(reasons, code) && !lasting.has(code) });
}

/** A text for such an error. Messages of the system may hold addresses; codes do not. */
export function reasonOf(thrown: unknown): string {
  const known = remoteFailureIn(thrown);
  if (known) return known.message;
  if (!(thrown instanceof Error)) return "the request failed";
  const code = codeOf(thrown);
  return (
    reasons[code] ??
    (isNoHttp(code)
      ? "the reply is no valid HTTP"
      : isNoTls(code)
        ? `TLS with the service fails (${code})`
        : isNoTrust(code)
          ? `the certificate is not accepted (${code})`
          : "the request failed")
  );
}

/** The lookup of an address refuses with one, which the library wraps. */
function remoteFailureIn(thrown: unknown): RemoteFailure | undefined {
  if (thrown instanceof RemoteFailure) return thrown;
  return thrown instanceof Error && thrown.cause instanceof RemoteFailure ? thrown.cause : undefined;
}

function isNoHttp(code: string): boolean {
  return code.startsWith("UND_ERR_") || code.startsWith("HPE_") || code.startsWith("ERR_HTTP2_");
}

function isNoTls(code: string): boolean {
  return code.startsWith("ERR_SSL_") || code === "EPROTO";
}

function isNoTrust(code: string): boolean {
  return /CERT|SIGNATURE/u.test(code) || code.startsWith("ERR_TLS_");
}

function codeOf(thrown: Error): string {
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Several addresses were tried.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [];
  return first instanceof Error ? codeOf(first) : "";
}
