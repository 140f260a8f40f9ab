// Parses `# Service.Authorization {...}`: the header of tokens, the keys that sign them, and their audience.

import { QuernError, type SettingLine } from "../../core/plugin.ts";
import { algorithms, assertUsableKey, type FixedKey } from "./fixed-key.ts";
import { invalid } from "./invalid.ts";

export interface Authorization {
  /** The request header that carries the token, as written. */
  readonly header: string;
  /** The claim whose value is an object with the application's claims. */
  readonly namespace: string;
  readonly trust: FixedKey | KeyUrls;
  /** Accepted audiences. Undefined: tokens with an `aud` claim are refused. */
  readonly audience: readonly string[] | undefined;
  readonly closedByDefault: boolean;
}

export interface KeyUrls {
  readonly kind: "urls";
  readonly urls: readonly string[];
}

export const keyword = "Authorization";

/**
 * @returns undefined when there is no line
 * @throws QuernError `SCHEMA_INVALID` for the first error
 * @see reference/security-and-subscriptions.md 2.1
 */
export function readAuthorization(lines: readonly SettingLine[]): Authorization | undefined {
  const [line, second] = lines;
  if (!line) return undefined;
  const name = `${line.prefix}.${keyword}`;
  if (second) throw invalid(`${second.prefix}.${keyword} should be only be specified once in a schema, found second mention: ${second.line}`);
  const rest = line.text.slice(keyword.length);
  const written = jsonForm(rest) ?? olderForm(rest);
  if (!written) throw new QuernError("SCHEMA_INVALID", `Invalid \`${name}\` format: ${line.line}`);
  return checked(written, name);
}

/** The members as written. Absent ones are empty. */
interface Written {
  readonly header: string;
  readonly namespace: string;
  readonly verificationKey: string;
  readonly algo: string;
  readonly jwkUrl: string;
  readonly jwkUrls: readonly string[];
  readonly audience: readonly string[] | undefined;
  readonly closedByDefault: boolean;
}

const kinds = {
  header: "string",
  namespace: "string",
  verificationkey: "string",
  algo: "string",
  jwkurl: "string",
  jwkurls: "strings",
  audience: "strings",
  closedbydefault: "boolean",
} as const;

/** Undefined when the text is not a JSON object with members of the right types. It may then have the older form. */
function jsonForm(text: string): Written | undefined {
  const json = parsed(text);
  if (typeof json !== "object" || Array.isArray(json)) return undefined;
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(json ?? {})) {
    const key = name.toLowerCase();
    if (!isMember(key) || value === null) continue;
    if (!isOfKind(value, kinds[key])) return undefined;
    members.set(key, value);
  }
  const text_ = (name: keyof typeof kinds) => textOf(members.get(name));
  return {
    header: text_("header"),
    namespace: text_("namespace"),
    verificationKey: text_("verificationkey"),
    algo: text_("algo"),
    jwkUrl: text_("jwkurl"),
    jwkUrls: textsOf(members.get("jwkurls")) ?? [],
    audience: textsOf(members.get("audience")),
    closedByDefault: members.get("closedbydefault") === true,
  };
}

/** `X-My-Header https://app.example/claims HS256 "the secret"`. The rest of the line is ignored. */
function olderForm(text: string): Written | undefined {
  const [, header, namespace, algo, verificationKey] = /^\s+(\S+)\s+(\S+)\s+(\S+)\s+"([^"]+)"/u.exec(text) ?? [];
  if (!header || !namespace || !algo || !verificationKey) return undefined;
  return { header, namespace, algo, verificationKey, jwkUrl: "", jwkUrls: [], audience: undefined, closedByDefault: false };
}

function checked(written: Written, name: string): Authorization {
  const { header, namespace, verificationKey, algo, jwkUrl, jwkUrls, audience, closedByDefault } = written;
  const urls = jwkUrl === "" ? jwkUrls : [jwkUrl];
  if (jwkUrl !== "" && jwkUrls.length > 0) throw invalid("expecting either JWKUrl or JWKUrls, both were given");
  if (urls.length > 0 && (verificationKey !== "" || algo !== ""))
    throw invalid("expecting either JWKUrl/JWKUrls or (VerificationKey, Algo), both were given");
  const missing = [...(urls.length > 0 ? missingForUrls(written) : missingForKey(written)), ...missingInBoth(written)].join("");
  if (missing !== "") throw invalid(`required field missing in ${name}:${missing}`);
  const trust = urls.length > 0 ? ({ kind: "urls", urls } as const) : fixedKey(algo, verificationKey);
  return { header, namespace, trust, audience: audience && audience.length > 0 ? audience : undefined, closedByDefault };
}

function missingForUrls({ audience = [] }: Written): readonly string[] {
  return audience.length === 0 ? [" `Audience` "] : [];
}

function missingForKey({ verificationKey, algo }: Written): readonly string[] {
  return [...(verificationKey === "" ? [" `Verification key`/`JWKUrl`/`JWKUrls`"] : []), ...(algo === "" ? [" `Algo`"] : [])];
}

function missingInBoth({ header, namespace }: Written): readonly string[] {
  return [...(header === "" ? [" `Header`"] : []), ...(namespace === "" ? [" `Namespace`"] : [])];
}

function fixedKey(algo: string, key: string): FixedKey {
  const algorithm = algorithms.find((each) => each === algo);
  if (!algorithm) throw invalid(`invalid jwt algorithm: found ${algo}, but supported options are: ${algorithms.join(",")}`);
  const fixed = { kind: "key", algorithm, key: algorithm.startsWith("RS") ? key.replaceAll("\\n", "\n") : key } as const;
  assertUsableKey(fixed);
  return fixed;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMember(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

function isOfKind(value: unknown, kind: (typeof kinds)[keyof typeof kinds]): boolean {
  return kind === "strings" ? Array.isArray(value) && value.every((each) => typeof each === "string") : typeof value === kind;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(textOf) : undefined;
}
