// DateTime values: the accepted texts, the stored text, and the instant by which they compare.

/** A point in time: whole seconds since 1970, and nanoseconds within the second from 0 to 999,999,999. */
export interface Instant {
  /** Since 1970-01-01T00:00:00Z; negative before. */
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
}

const dateOnly = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)?$/;
/** Go's default format of a time: `2031-04-09 06:00:00.5 +0200 CEST`. */
const longForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:[.,](\d+))? ([+-]\d\d)(\d\d) [A-Z][A-Za-z]{2,4}$/;

/** First and last second of the years 0000 to 9999. */
const earliest = -62_167_219_200;
const latest = 253_402_300_799;

/**
 * Converts a client's date to the RFC 3339 text that is stored. It keeps the written offset (UTC when there is none) and at most nine digits of the
 * fraction, without trailing zeros. Accepts `2031`, `2031-04`, `2031-04-09`, RFC 3339 with or without an offset, Go's default format, and a number
 * of whole Unix seconds.
 *
 * @returns undefined for anything else, such as February 30, hour 24, second 60, or a year that has not four digits
 */
export function normalizeDateTime(input: string | number | bigint): string | undefined {
  if (typeof input !== "string") return fromUnixSeconds(Number(input));
  const date = dateOnly.exec(input);
  if (date) return checked(`${date[1]}-${date[2] ?? "01"}-${date[3] ?? "01"}`, "00:00:00", "", "Z");
  const full = dateTime.exec(input);
  if (full) return checked(full[1] ?? "", full[2] ?? "", full[3] ?? "", utcAsZ(full[4] ?? "Z"));
  const long = longForm.exec(input);
  if (long) return checked(long[1] ?? "", long[2] ?? "", long[3] ?? "", utcAsZ(`${long[4]}:${long[5]}`));
  return undefined;
}

function utcAsZ(offset: string): string {
  return /^[+-]00:00$/.test(offset) ? "Z" : offset;
}

function fromUnixSeconds(seconds: number): string | undefined {
  if (!Number.isInteger(seconds) || seconds < earliest || seconds > latest) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function checked(date: string, time: string, fraction: string, offset: string): string | undefined {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (offset !== "Z" && (Number(offset.slice(1, 3)) > 23 || Number(offset.slice(4, 6)) > 59)) return undefined;
  const digits = fraction.slice(0, 9).replace(/0+$/, "");
  return `${date}T${time}${digits === "" ? "" : `.${digits}`}${offset}`;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const stored = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** The instant of a stored text, or of any other text that `normalizeDateTime` accepts; undefined for other texts. */
export function parseDateTime(text: string): Instant | undefined {
  const match = stored.exec(text);
  if (!match) {
    const normal = normalizeDateTime(text);
    return normal === undefined ? undefined : parseDateTime(normal);
  }
  const [, local = "", fraction = "", offset = "Z"] = match;
  const milliseconds = Date.parse(`${local}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  return { seconds: milliseconds / 1000 - offsetSeconds(offset), nanos: Number(fraction.padEnd(9, "0")) };
}

function offsetSeconds(offset: string): number {
  if (offset === "Z") return 0;
  const seconds = Number(offset.slice(1, 3)) * 3600 + Number(offset.slice(4, 6)) * 60;
  return offset.startsWith("-") ? -seconds : seconds;
}

/** Below 0, 0 or above 0 when `a` is before, equal to or after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}
