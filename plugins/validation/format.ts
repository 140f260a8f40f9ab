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

interface Format {
  readonly description: string;
  /** Linear in the text, or refuses long ones first. */
  readonly fits: (text: string) => boolean;
}

/** By the name that `@format(type:)` takes. */
export const formats: Readonly<Record<string, Format>> = {
  EMAIL: { description: "An address, as HTML forms take it.", fits: (text) => text.length <= maxEmailLength && email.test(text) },
  URL: {
    description: "An address that begins with http:// or https://.",
    fits: (text) => text.length <= maxUrlLength && webAddress.test(text) && URL.canParse(text),
  },
  UUID: { description: "Such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427.", fits: (text) => uuid.test(text) },
  SLUG: { description: "Such as a-b-2.", fits: (text) => text.length <= maxSlugLength && slug.test(text) },
  IP: { description: "An IP address of version 4 or 6.", fits: (text) => isIP(text) !== 0 },
};

/** `a text of 12 characters`: the one that has another form. */
export function formatProblem(value: Value, type: string): string | undefined {
  if (typeof value !== "string" || formats[type]?.fits(value) === true) return undefined;
  return `a text of ${counted(codePoints(value), "character")}`;
}
