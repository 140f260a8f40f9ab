// Arguments of directives reach `model` coerced and validated.

import { describe, expect, it } from "vitest";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { deploy, errorsOf } from "../../schema/deployment/harness.ts";

const definitions = `
  directive @range(min: Float, max: Float = 100, far: Int64, how: How = [closed], of: Span) on FIELD_DEFINITION | OBJECT
  enum How { open closed }
  input Span { from: Int!  to: Int = 9 }
`.replace("how: How = [closed]", "how: [How!] = [closed]");

function ranges(seen: unknown[], more: Partial<DirectivePlugin> = {}): DirectivePlugin {
  return {
    name: "range",
    definitions,
    model(context) {
      for (const { args } of [...context.uses("range"), ...context.uses("range", "unstored")]) seen.push(args);
      return undefined;
    },
    ...more,
  };
}

const at = (use: string) => `type Box {\n  size: Int ${use}\n}`;

describe("arguments of a directive", () => {
  it("are coerced, with the defaults of the definition", () => {
    const seen: unknown[] = [];
    deploy(at("@range(min: 1, far: 9007199254740993, how: open, of: { from: 2 })"), [ranges(seen)]);
    deploy(at("@range"), [ranges(seen)]);
    deploy(at("@range(max: null)"), [ranges(seen)]);
    expect(seen).toEqual([
      { min: 1, max: 100, far: 9007199254740993n, how: ["open"], of: { from: 2, to: 9 } },
      { max: 100, how: ["closed"] },
      { max: null, how: ["closed"] },
    ]);
  });

  it.each([
    ['@range(min: "1")', 'Directive @range: Argument "min" has invalid value "1".'],
    ["@range(far: 1.5)", 'Directive @range: Argument "far" has invalid value 1.5.'],
    ["@range(how: ajar)", 'Directive @range: Argument "how" has invalid value ajar.'],
    ["@range(of: { to: 1 })", 'Directive @range: Argument "of" has invalid value {to: 1}.'],
  ])("that do not fit refuse the deploy at their place, before model runs: %s", (use, message) => {
    const seen: unknown[] = [];
    const [problem, ...others] = errorsOf(at(use), [ranges(seen)]);
    expect(problem).toMatch(/^2:\d+ /u);
    expect(problem).toContain(message);
    expect(others).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("that are missing refuse the deploy too", () => {
    const slug: DirectivePlugin = { name: "slug", definitions: "directive @slug(from: String!) on FIELD_DEFINITION", model: () => undefined };
    expect(errorsOf(at("@slug"), [slug])).toEqual(['2:14 Directive @slug: Argument "from" of required type "String!" was not provided.']);
  });

  it("are validated by a plugin with validatesArguments", () => {
    const seen: unknown[] = [];
    const own: Partial<DirectivePlugin> = {
      validatesArguments: true,
      model: (context) => {
        for (const use of context.uses("range")) expect(() => use.args).toThrow('Argument "min" has invalid value "1".');
        seen.push("asked");
        return undefined;
      },
    };
    expect(errorsOf(at('@range(min: "1")'), [ranges(seen, own)])).toEqual([]);
    expect(seen).toEqual(["asked"]);
  });
});
