// The `url` of `@custom`: segments of its path and values of its query string may be variables.

import { pathSegment } from "./path-segment.ts";
import { queryParameters, type TemplateValues } from "./value-text.ts";

type Part = { readonly text: string } | { readonly variable: string };

export interface UrlTemplate {
  /** Scheme and host as written. */
  readonly base: string;
  readonly path: readonly Part[];
  readonly query: readonly { readonly name: string; readonly value: Part }[];
}

/** Undefined when `text` is no absolute HTTP address. */
export function parseUrlTemplate(text: string): UrlTemplate | undefined {
  const [, base, path = "", query] = /^(https?:\/\/[^/?#]+)([^?]*)(?:\?(.*))?$/isu.exec(text) ?? [];
  if (base === undefined || !URL.canParse(base) || /%(?![0-9a-f]{2})/iu.test(path)) return undefined;
  return {
    base,
    path: path.split("/").map((segment) => (segment.startsWith("$") ? { variable: segment.slice(1) } : { text: withoutFragment(segment) })),
    query: (query ?? "")
      .split("&")
      .filter((each) => each !== "")
      .map(readParameter),
  };
}

function readParameter(text: string): UrlTemplate["query"][number] {
  const [name = "", ...rest] = text.split("=");
  const value = decoded(rest.join("="));
  return { name: decoded(name), value: value.startsWith("$") ? { variable: value.slice(1) } : { text: withoutFragment(value) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** A fragment is not sent. */
function withoutFragment(text: string): string {
  return text.replace(/#.*$/su, "");
}

/** The names of the variables, by part of the URL. */
export function urlVariables({ path, query }: UrlTemplate): { readonly path: readonly string[]; readonly query: readonly string[] } {
  const names = (parts: readonly Part[]) => parts.flatMap((part) => ("variable" in part ? [part.variable] : []));
  return { path: names(path), query: names(query.map(({ value }) => value)) };
}

/** The URL with values in place of the variables. A parameter without a value is left out; parameters are sorted by name. @throws RemoteFailure for a value that would change the path */
export function fillUrl({ base, path, query }: UrlTemplate, values: TemplateValues): string {
  const segments = path.map((part) => ("variable" in part ? pathSegment(part.variable, values.get(part.variable)) : part.text));
  const parameters = query.flatMap(({ name, value }) =>
    "variable" in value ? queryParameters(name, values.get(value.variable)) : [[name, value.text] as const],
  );
  const sorted = parameters.map(([name, text], i) => ({ name, text, i })).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.i - b.i));
  const written = sorted.map(({ name, text }) => `${encoded(name)}=${encoded(text)}`).join("&");
  return `${base}${segments.join("/")}${written === "" ? "" : `?${written}`}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}
