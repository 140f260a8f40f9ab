// Calendar units of instants, in UTC.

import type { Instant } from "./date-time.ts";

/** First and last second that an RFC 3339 text can name. An offset may lead an instant a day beyond them; it counts as the nearest. */
const earliest = -62_167_219_200;
const latest = 253_402_300_799;

/** How much of `2031-04-09T06:00:00` a unit keeps, and what follows instead. */
const parts = {
  year: { kept: 4, rest: "-01-01T00:00:00Z" },
  month: { kept: 7, rest: "-01T00:00:00Z" },
  day: { kept: 10, rest: "T00:00:00Z" },
  hour: { kept: 13, rest: ":00:00Z" },
} as const;

/**
 * The start of the unit that `instant` is in, as an RFC 3339 text: `2031-04-01T00:00:00Z`. Without a unit the instant itself.
 *
 * @param instant years outside 0 to 9999 count as the first or the last second of these
 */
export function startOfUnit({ seconds, nanos }: Instant, unit: keyof typeof parts | undefined): string {
  const within = Math.min(latest, Math.max(earliest, seconds));
  const text = new Date(within * 1000).toISOString();
  if (unit) return text.slice(0, parts[unit].kept) + parts[unit].rest;
  const fraction = within === seconds && nanos > 0 ? `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}` : "";
  return `${text.slice(0, 19)}${fraction}Z`;
}
