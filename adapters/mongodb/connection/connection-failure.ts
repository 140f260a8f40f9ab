// Why a database could not be connected to: the reason of the driver in one sentence, with the way out. Never a password, nor a part of one.

import type { MongoServerSelectionError } from "mongodb";
import { QuernError } from "../../../core/storage.ts";

/**
 * The error of an address that the driver does not take. The driver's own error stays out of logs: it may quote the address.
 *
 * @param thrown by the driver
 */
export function invalidAddress(uri: string, thrown: unknown): QuernError {
  const reason = thrown instanceof Error && !quotes(thrown.message, uri) ? `: ${clause(thrown.message)}` : "";
  return new QuernError("CONFIG_INVALID", `mongodbStorage: \`uri\` is no MongoDB address${reason}`, {
    hint: "It looks like mongodb://user:password@host:27017/?replicaSet=rs0, with characters such as @ : / ? # of a password written as %40 %3A %2F %3F %23.",
  });
}

/** Options of an address whose values are secrets. */
const secretOptions = /[?&][^=&]*(?:password|token|properties)[^=&]*=([^&]*)/giu;

/** Whether a text quotes a secret of the address. Where that cannot be told, it does. */
function quotes(text: string, uri: string): boolean {
  const quoted = text.toLowerCase();
  return secretsOf(uri).some((secret) => quoted.includes(secret.toLowerCase()));
}

/** A password may have an unescaped separator, so that the driver takes a part of it for something else. */
function secretsOf(uri: string): readonly string[] {
  const rest = uri.replace(/^[^/]*:\/\//u, "");
  const at = rest.lastIndexOf("@");
  // Without an `@` what follows the first colon is a port, or a password whose host was forgotten.
  const login = at < 0 ? (/^[^/?]*/u.exec(rest)?.[0] ?? "") : rest.slice(0, at);
  const [, ...password] = login.split(":");
  const options = [...uri.matchAll(secretOptions)].map(([, value = ""]) => value);
  const pieces = [password.join(":"), ...options].flatMap((secret) => [secret, decoded(secret), ...secret.split(/[:/?&=#@,%]/u)]);
  return pieces.filter((piece) => piece !== "" && !(at < 0 && /^\d{1,5}$/u.test(piece)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A sentence of the driver as a part of one. */
function clause(message: string): string {
  return message.split("\n", 1)[0]?.replace(/\.$/u, "") ?? "";
}

/** The error of a server that was not found, did not answer, or ended the connection. @param at such as ` at db:27017`; empty: clients read the message */
export function noAnswer(at: string, thrown: MongoServerSelectionError): QuernError {
  if (at === "") return new QuernError("STORE_UNAVAILABLE", unreached.problem(at), { cause: thrown, hint: unreached.hint });
  const found = kinds.find(({ signs }) => signs.test(`${codeOf(thrown)} ${thrown.message}`)) ?? unreached;
  const reason = `: ${clause(thrown.message)}`;
  return new QuernError("STORE_UNAVAILABLE", `${found.problem(at)}${reason}`, { cause: thrown, hint: found.hint });
}

interface Kind {
  /** In the code of the innermost error and the message of the outermost. */
  readonly signs: RegExp;
  readonly problem: (at: string) => string;
  readonly hint: string;
}

const unreached: Kind = {
  signs: /$/u,
  problem: (at) => `no MongoDB answers${at}`,
  hint: "Check that it runs, that the address and the replica set's name are right, and that this machine may connect.",
};

const kinds: readonly Kind[] = [
  {
    signs: /^ERR_OSSL_|PEM routines/u,
    problem: (at) => `no TLS connection to MongoDB${at} begins`,
    hint: "Check the files that tlsCAFile and tlsCertificateKeyFile name in the address, and tlsCertificateKeyFilePassword.",
  },
  {
    signs: /^\S*(?:CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)|self-signed certificate/u,
    problem: (at) => `the certificate of MongoDB${at} is not trusted`,
    hint: "Name the file of its certificate authority by tlsCAFile in the address, and the host as the certificate has it.",
  },
  {
    signs: /^(?:EPROTO|ERR_SSL_)|before secure TLS connection|SSL routines/u,
    problem: (at) => `MongoDB${at} takes no TLS connection`,
    hint: "Leave tls=true out of the address, or configure net.tls of mongod.",
  },
  {
    signs: /^ECONNRESET|\bclosed$/u,
    problem: (at) => `the connection to MongoDB${at} ends at once`,
    hint: "Check that MongoDB listens on this port. One that requires TLS needs tls=true in the address.",
  },
];

/** The code of the error that everything began with. */
function codeOf(thrown: Error): string {
  const { cause } = thrown;
  if (cause instanceof Error) return codeOf(cause);
  return "code" in thrown ? String(thrown.code) : "";
}

/**
 * The error of what the driver needs before it asks a server, and does not find: the name of an address with `mongodb+srv`, a file that the address names.
 *
 * @returns undefined for other errors
 */
export function unprepared(where: string, thrown: unknown): QuernError | undefined {
  if (!(thrown instanceof Error) || !("syscall" in thrown)) return undefined;
  const reason = clause(thrown.message);
  if ("path" in thrown)
    return new QuernError("CONFIG_INVALID", `mongodbStorage: a file that \`uri\` names cannot be read: ${reason}`, { cause: thrown });
  if (!/^query/u.test(String(thrown.syscall))) return undefined;
  return new QuernError("STORE_UNAVAILABLE", `the servers of ${where} are not found: ${reason}`, {
    cause: thrown,
    hint: "Check the name: with mongodb+srv the servers are in the record _mongodb._tcp.<name> of the domain.",
  });
}
