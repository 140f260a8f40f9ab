// `checkJson` accepts exactly what `JSON.parse` accepts.

import { describe, expect, it } from "vitest";
import { checkJson } from "../../../../adapters/server/http/check-json.ts";
import { run } from "../../../../core/index.ts";
import fc, { examples } from "../../../support/properties.ts";

async function isJson(text: string): Promise<boolean> {
  try {
    await run(checkJson(Buffer.from(text)));
    return true;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(SyntaxError);
    return false;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("checkJson", () => {
  const right = [
    "0",
    "-0",
    "-1.5e+10",
    "1E5",
    '""',
    '"\\u00fF\\n\\/"',
    '"é🦆"',
    "[]",
    "{}",
    ' {"a" : [1 , {"b":null}] } ',
    "true",
    "[[],[{}]]",
    '{"":""}',
    "\t1\r\n",
  ];
  const wrong = [
    "",
    " ",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "1e",
    "--1",
    "1-1",
    "tru",
    "True",
    "nul",
    "NaN",
    '"',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"\\',
    '"\n"',
    "[",
    "]",
    "[1",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{",
    "}",
    "{1:2}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    "{]",
    "[}",
    "1 2",
    "[] []",
    '{"a":1}}',
    "'a'",
    "//",
    "[\u00a01]",
    "\ufeff1",
  ];

  it.each(right)("accepts %j", async (text) => {
    expect(parses(text)).toBe(true);
    expect(await isJson(text)).toBe(true);
  });

  it.each(wrong)("refuses %j", async (text) => {
    expect(parses(text)).toBe(false);
    expect(await isJson(text)).toBe(false);
  });

  it("agrees with JSON.parse about texts of which one character is another", async () => {
    const changed = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:\\-+.eE0129tfn \n\u0000x')).map(([text, at, character]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + character + text.slice(place + (at % 2));
    });
    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        expect(await isJson(text)).toBe(parses(text));
      }),
      { numRuns: examples(2_000) },
    );
  });

  it("reads strings, escapes and numbers that lie across the ends of its steps", async () => {
    const step = 256 * 1024;
    for (const before of [step - 3, step - 2, step - 1, step]) {
      const padded = `["${"x".repeat(before - 3)}`;
      for (const rest of ['\\u00e9","b"]', '",-12.5e3]', '\\"","é"]', '",null,{"k":"v"}]'])
        expect(await isJson(padded + rest), `${before} ${rest}`).toBe(true);
      expect(await isJson(`${padded}\\u00g9"]`)).toBe(false);
    }
  });
});
