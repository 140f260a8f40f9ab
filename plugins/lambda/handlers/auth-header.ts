// The token of a request as lambda handlers get it: the header that the schema names, without `Bearer`, unverified.

import { isObject, type RequestView, type SettingLine } from "../../../core/plugin.ts";

/** Both are empty when the schema has no line `# Service.Authorization`. */
export interface AuthHeader {
  /** The name of the header. */
  readonly key: string;
  /** Empty when the request has no such header. */
  readonly value: string;
}

export type AuthHeaderOf = (headers: RequestView["headers"]) => AuthHeader;

/** The keyword of the lines that name the header. The plugin that verifies tokens checks them. */
export const authorizationKeyword = "Authorization";

export function authHeaderReader([line]: readonly SettingLine[]): AuthHeaderOf | undefined {
  if (!line) return undefined;
  const key = headerName(line.text.slice(authorizationKeyword.length).trim());
  return (headers) => ({ key, value: withoutBearer(headers[key.toLowerCase()]) });
}

/** `{"Header":"X-Auth", ...}`; in the older form the header's name is the first word. */
function headerName(text: string): string {
  try {
    const written: unknown = JSON.parse(text);
    const entry = isObject(written) ? Object.entries(written).find(([name]) => name.toLowerCase() === "header") : undefined;
    return typeof entry?.[1] === "string" ? entry[1] : "";
  } catch {
    return text.split(/\s+/u)[0] ?? "";
  }
}

function withoutBearer(header: string | undefined): string {
  return (header?.trim() ?? "").replace(/^bearer\s+/iu, "");
}
