// Why a server gave no answer, in one sentence. Codes are shown and messages are not: these may hold a header or a password.

import { connect } from "node:tls";
import { QuernError } from "../../../core/index.ts";

/** An error for a request to `origin` that `fetch` has rejected. */
export async function connectionFailure(origin: string, thrown: unknown): Promise<QuernError> {
  const code = codeIn(thrown);
  if (isBlockedPort(thrown))
    return unreachable(
      `${origin} has a port that no request may be sent to (it belongs to another protocol); start the server on another one.`,
      thrown,
    );
  if (!isLost(code)) return unreachable(`${sentenceOf(origin, code)}.`, thrown);
  if (await speaksTls(origin)) return unreachable(`${origin} expects TLS; use ${origin.replace(/^http:/u, "https:")} as --url.`, thrown);
  if (code.startsWith("HPE_")) return unreachable(`${origin} does not answer in HTTP (${code}); check --url.`, thrown);
  return connectionLost(origin, thrown);
}

/** The connection ended after the request was sent. */
export function connectionLost(origin: string, cause: unknown): QuernError {
  const isLate = /TIMEOUT$/u.test(codeIn(cause));
  const message = isLate ? `${origin} has not answered in time.` : `The connection to ${origin} ended before the server answered.`;
  return new QuernError("OUTCOME_UNKNOWN", message, {
    cause,
    hint: "The server may still carry out the request. Check its state before you try again.",
  });
}

function unreachable(message: string, cause: unknown): QuernError {
  return new QuernError("STORE_UNAVAILABLE", message, { cause });
}

function sentenceOf(origin: string, code: string): string {
  const sentence = sentences[code];
  if (sentence !== undefined) return sentence(origin);
  if (/^ERR_SSL_|^EPROTO$/u.test(code)) return `TLS with ${origin} fails (${code}); check --url`;
  if (/CERT|SIGNATURE|CRL/u.test(code)) return `The certificate of ${origin} is not accepted (${code})`;
  return `${origin} cannot be reached (${code}); check --url`;
}

type Sentence = (origin: string) => string;

const noServer: Sentence = (origin) => `No server answers at ${origin}; start one (quern start), or check --url`;
const untrusted: Sentence = (origin) =>
  `The certificate of ${origin} is not trusted; name a file with its authority in the environment variable NODE_EXTRA_CA_CERTS`;
const otherName: Sentence = (origin) => `The certificate of ${origin} is for another host name; use a name that it has in --url`;
const withoutTls: Sentence = (origin) => `${origin} answers without TLS; use ${origin.replace(/^https:/u, "http:")} as --url`;
const unknownName: Sentence = (origin) => `The host name of ${origin} is not known; check --url`;
const tooLate: Sentence = (origin) => `${origin} has not accepted a connection in time; check --url, and firewalls between`;
const noWay: Sentence = (origin) => `There is no way to ${origin} in the network; check --url`;

const sentences: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: noServer,
  ENOTFOUND: unknownName,
  EAI_AGAIN: (origin) => `The host name of ${origin} could not be looked up; try again, or check --url`,
  ETIMEDOUT: tooLate,
  UND_ERR_CONNECT_TIMEOUT: tooLate,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  EADDRNOTAVAIL: noWay,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: (origin) => `The certificate of ${origin} has expired`,
  CERT_NOT_YET_VALID: (origin) => `The certificate of ${origin} is not valid yet; compare the clocks`,
  CERT_REVOKED: (origin) => `The certificate of ${origin} is revoked`,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
  ERR_SSL_WRONG_VERSION_NUMBER: withoutTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: withoutTls,
};

/** `fetch` refuses the ports that browsers refuse, such as 6000 and 10080, and tells it by a message alone. */
function isBlockedPort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof Error && thrown.cause.message === "bad port";
}

/** The server has the request, perhaps. So it is where nothing is known. */
function isLost(code: string): boolean {
  return (
    code === "" ||
    ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"].includes(code) ||
    code.startsWith("HPE_")
  );
}

/** The code of the innermost cause. */
function codeIn(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  // Several addresses were tried.
  const causes = [thrown.cause, ...(thrown instanceof AggregateError ? thrown.errors : [])];
  const inner = causes.map(codeIn).find((code) => code !== "");
  if (inner !== undefined) return inner;
  // Some versions of OpenSSL tell by the message alone.
  if (/wrong version number|packet length too long/iu.test(thrown.message)) return "ERR_SSL_WRONG_VERSION_NUMBER";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

const handshakeMs = 3_000;

/** Whether a server that broke off a plain request accepts TLS. */
function speaksTls(origin: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== "http:") return Promise.resolve(false);
  return new Promise((resolve) => {
    // Nothing is sent, so it does not matter who answers.
    const socket = connect({ host: hostname.replace(/^\[|\]$/gu, ""), port: Number(port || 80), rejectUnauthorized: false, timeout: handshakeMs });
    for (const event of ["secureConnect", "error", "timeout", "close"])
      socket.once(event, () => {
        socket.destroy();
        resolve(event === "secureConnect");
      });
  });
}
