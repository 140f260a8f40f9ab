import { describe, expect, it } from "vitest";
import type { DirectivePlugin, SettingLine } from "../../../core/plugin.ts";
import { deploy, errorsOf } from "./harness.ts";

const type = "type A { b: Int }\n";

describe("# Service.Allow-Origin", () => {
  it("lists origins in either spelling, in order; no line allows any origin", () => {
    const origins = (text: string) => deploy(type + text).settings.allowedOrigins;
    expect(origins('# Service.Allow-Origin "https://a.example"\n  #  Dgraph.Allow-Origin   "https://b.example"  \r\n')).toEqual([
      "https://a.example",
      "https://b.example",
    ]);
    expect(origins("# Dgraph.Something else\n# Allow-Origin\n#Other.Allow-Origin x")).toEqual([]);
  });

  it("is read inside block strings too", () => {
    expect(deploy(`"""\n# Service.Allow-Origin "https://a.example"\n"""\n${type}`).settings.allowedOrigins).toEqual(["https://a.example"]);
  });

  it.each([
    ['#Dgraph.Allow-Origin "https://a.example"', "Dgraph"],
    ["# Service.Allow-Origin https://a.example", "Service"],
    ['# Service.Allow-Origin "https://a.example" x', "Service"],
    ["# Dgraph.Allow-Origin 7", "Dgraph"],
  ])("has one form: %s", (line, prefix) => {
    expect(errorsOf(`${type}${line}`)).toEqual([
      `incorrect format for specifying ${prefix}.Allow-Origin found for comment: \`${line}\`, ` +
        `it should be \`# ${prefix}.Allow-Origin "http://example.com"\``,
    ]);
  });
});

describe("comments that plugins read", () => {
  it("refuse the deploy if no plugin reads them", () => {
    expect(errorsOf(`${type}  # Dgraph.Authorization {}`)).toEqual([
      '2:3 # Dgraph.Authorization is read by the plugin "auth", which is not installed.',
    ]);
    expect(errorsOf(`${type}#Service.SecretX a "b"`)).toEqual(['2:1 # Service.Secret is read by the plugin "custom", which is not installed.']);
  });

  it("are passed only to the plugin that declares their keyword", () => {
    const seen: Record<string, readonly SettingLine[]> = {};
    const reader = (name: string, settings: readonly string[]): DirectivePlugin => ({
      name,
      definitions: "",
      settings,
      model: (context) => {
        seen[name] = context.settings("Tariff");
        return undefined;
      },
    });
    deploy(`${type}# Service.Tariff gold  9\n# Service.Other`, [reader("tariffs", ["Tariff"]), reader("others", [])]);
    expect(seen).toEqual({
      tariffs: [{ prefix: "Service", line: "# Service.Tariff gold  9", text: "Tariff gold  9", location: { line: 2, column: 1 } }],
      others: [],
    });
  });
});
