// Media types: those that fields take, and those that browsers show without running anything.

/** The type alone, in lower case: `text/plain` of `Text/Plain; charset=utf-8`. Undefined: there is none. */
export function mediaTypeOf(header: string | undefined): string | undefined {
  const type = header?.split(";")[0]?.trim().toLowerCase();
  return type !== undefined && mediaType.test(type) ? type : undefined;
}

/** A type, or all of a kind: `image/png`, `image/*`. */
export function isMediaPattern(text: string): boolean {
  return mediaType.test(text) || /^[a-z0-9][a-z0-9.+-]*\/\*$/u.test(text);
}

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/u;

/** Whether one of `patterns` takes the type. A wildcard takes no type that runs as a page: that must be named. */
export function takesType(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => pattern === type || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)) && !isActive(type)));
}

/** Types that browsers run: scripts in them have the rights of the page that shows them. */
function isActive(type: string): boolean {
  return /(?:^text\/(?:html|xml|javascript)$)|\+xml$|xml$|javascript|ecmascript|xhtml|x-shockwave-flash|mathml/u.test(type);
}

/** Types that a browser shows in place; others are saved. */
export function isShown(type: string): boolean {
  return shown.has(type) || (/^(?:audio|video)\//u.test(type) && !isActive(type));
}

const shown: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/x-icon",
  "text/plain",
]);
