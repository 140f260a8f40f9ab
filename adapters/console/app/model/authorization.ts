// What the schema's comment says about tokens: `# Dgraph.Authorization {"Header":"X-Auth", "Namespace":"...", ...}`.

import { isObject, parseJson, textOf } from "../api/json.ts";

export interface Authorization {
  readonly header: string;
  /** Claims of rules are below this member of a token; empty: at its top. */
  readonly namespace: string;
  readonly algorithm: string;
  readonly key: string;
}

export function authorizationIn(schema: string): Authorization | undefined {
  const [, text] = /^#\s*(?:Dgraph|Service)\.Authorization\s+(\{.*\})\s*$/im.exec(schema) ?? [];
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    if (!isObject(value)) return undefined;
    const of = (name: string) => textOf(Object.entries(value).find(([each]) => each.toLowerCase() === name)?.[1]);
    return { header: of("header") || "Authorization", namespace: of("namespace"), algorithm: of("algo"), key: of("verificationkey") };
  } catch {
    return undefined;
  }
}
