// A triple of a mutation as a line of RDF.

import type { NQuad, ValueMessage } from "./messages.ts";
import { unsupported } from "./status.ts";

/** Clients write it where the text of RDF has `*`. */
const star = "_STAR_ALL";

export function rdfOf(quad: NQuad): string {
  if (quad.facets.length > 0) throw unsupported(`The triple of ${quad.predicate} has facets, which are not kept. Send it without them.`);
  const predicate = quad.predicate === star ? "*" : `<${quad.predicate}>`;
  return `${nodeOf(quad.subject)} ${predicate} ${objectOf(quad)} .`;
}

function objectOf({ object_id, object_value, predicate, lang }: NQuad): string {
  if (object_value === null || object_value.val === undefined) return object_id === star ? "*" : nodeOf(object_id);
  if (object_value.default_val === star) return "*";
  return `${literalOf(object_value, predicate)}${lang === "" ? "" : `@${lang}`}`;
}

/** `uid(v)`, `val(v)`, `_:name`, or a uid. */
function nodeOf(name: string): string {
  return /^(?:_:|uid\(|val\()/.test(name) ? name : `<${name}>`;
}

function literalOf({ val, default_val, str_val, int_val, bool_val, double_val, password_val, uid_val }: ValueMessage, predicate: string): string {
  switch (val) {
    case "default_val":
      return quoted(default_val);
    case "str_val":
      return typed(str_val, "string");
    case "int_val":
      return typed(int_val, "int");
    case "bool_val":
      return typed(bool_val, "boolean");
    case "double_val":
      return typed(double_val, "float");
    case "password_val":
      return typed(password_val, "password");
    case "uid_val":
      return `<${uid_val}>`;
    default:
      throw unsupported(`The value of ${predicate} is sent as ${val}, which is not read. Send it as text, or the mutation as RDF or JSON.`);
  }
}

function typed(value: string | number | boolean | undefined, type: string): string {
  return `${quoted(String(value))}^^<xs:${type}>`;
}

/** With the escapes of JSON, which are those of RDF. */
function quoted(text = ""): string {
  return JSON.stringify(text);
}
