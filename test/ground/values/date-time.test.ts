import { describe, expect, it } from "vitest";
import { compareValues, normalizeDateTime, parseDateTime } from "../../../core/index.ts";

describe("a date as written", () => {
  it.each([
    ["2031", "2031-01-01T00:00:00Z"],
    ["2031-04", "2031-04-01T00:00:00Z"],
    ["2031-04-09", "2031-04-09T00:00:00Z"],
    ["2031-04-09T06:00:00", "2031-04-09T06:00:00Z"],
    ["2031-04-09T06:00:00+02:00", "2031-04-09T06:00:00+02:00"],
    ["2031-04-09T06:00:00+00:00", "2031-04-09T06:00:00Z"],
    ["2031-04-09T06:00:00.500Z", "2031-04-09T06:00:00.5Z"],
    ["2031-04-09T06:00:00.000Z", "2031-04-09T06:00:00Z"],
    ["2031-04-09T06:00:00,25Z", "2031-04-09T06:00:00.25Z"],
    ["2031-04-09T06:00:00.1234567891234Z", "2031-04-09T06:00:00.123456789Z"],
    ["2031-04-09 06:00:00 +0200 CEST", "2031-04-09T06:00:00+02:00"],
    ["2031-04-09 06:00:00 +0000 UTC", "2031-04-09T06:00:00Z"],
    ["2032-02-29", "2032-02-29T00:00:00Z"],
    ["0000-01-01", "0000-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
  ])("becomes the text that is stored: %s", (written, stored) => {
    expect(normalizeDateTime(written)).toBe(stored);
    expect(normalizeDateTime(stored)).toBe(stored);
  });

  it("takes whole unix seconds", () => {
    expect(normalizeDateTime(0)).toBe("1970-01-01T00:00:00Z");
    expect(normalizeDateTime(-1)).toBe("1969-12-31T23:59:59Z");
    expect(normalizeDateTime(1_900_000_000n)).toBe("2030-03-17T17:46:40Z");
    expect(normalizeDateTime(1.5)).toBeUndefined();
    expect(normalizeDateTime(1e18)).toBeUndefined();
  });

  it.each([
    "",
    "31",
    "02031",
    "20310",
    "2031-13",
    "2031-02-29",
    "2031-04-31",
    "2031-4-9",
    "2031-04-09t06:00:00Z",
    "2031-04-09T06:00:00z",
    "2031-04-09T06:00Z",
    "2031-04-09T24:00:00Z",
    "2031-04-09T06:00:60Z",
    "2031-04-09T06:00:00+0200",
    "2031-04-09 06:00:00",
    " 2031",
  ])("refuses %j", (written) => {
    expect(normalizeDateTime(written)).toBeUndefined();
  });
});

describe("the instant", () => {
  it("counts offsets and nanoseconds", () => {
    expect(parseDateTime("1970-01-01T02:00:00+02:00")).toEqual({ seconds: 0, nanos: 0 });
    expect(parseDateTime("1969-12-31T23:59:59.000000001Z")).toEqual({ seconds: -1, nanos: 1 });
    expect(parseDateTime("soon")).toBeUndefined();
  });

  it("orders, not the text", () => {
    expect(compareValues("dateTime", "2030-01-01T00:00:00+02:00", "2029-12-31T22:00:00Z")).toBe(0);
    expect(compareValues("dateTime", "2030-01-01T00:00:00+02:00", "2029-12-31T23:00:00Z")).toBeLessThan(0);
    expect(compareValues("dateTime", "0999-01-01T00:00:00Z", "1000-01-01T00:00:00Z")).toBeLessThan(0);
  });
});
