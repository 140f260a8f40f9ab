// `@format`: texts of a well-known form.

import { isIP } from "node:net";
import type { Value } from "../../core/plugin.ts";
import { codePoints, counted } from "./length.ts";

/** What an HTML form takes as an address: of letters, digits and signs of ASCII, with a domain. At most 254 characters (RFC 5321). */
const email = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The parser of URLs removes white space and adds slashes, and a stored text must do without that. */
const webAddress = /^https?:\/\/[^\s]+$/i;

const maxEmailLength = 254;
const maxUrlLength = 2_048;
const maxSlugLength = 1_024;

/** By the name that `@format(type:)` takes. Each test is linear in the text, or refuses long ones first. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  EMAIL: (text) => text.length <= maxEmailLength && email.test(text),
  URL: (text) => text.length <= maxUrlLength && webAddress.test(text) && URL.canParse(text),
  UUID: (text) => uuid.test(text),
  SLUG: (text) => text.length <= maxSlugLength && slug.test(text),
  IP: (text) => isIP(text) !== 0,
};

/** `a text of 12 characters`: the one that has another form. */
export function formatProblem(value: Value, type: string): string | undefined {
  if (typeof value !== "string" || formats[type]?.(value) === true) return undefined;
  return `a text of ${counted(codePoints(value), "character")}`;
}
