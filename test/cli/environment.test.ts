import { Option } from "commander";
import { describe, expect, it } from "vitest";
import { EnvironmentCommand } from "../../adapters/cli/environment.ts";

const names = ["QUERN_PORT", "QUERN_DATA", "QUERN_ADMIN_OPEN", "QUERN_TRUSTED_ONLY", "QUERN_NO_INTROSPECTION"];

/** The options of a command with these variables and arguments. */
function options(variables: Readonly<Record<string, string>>, ...args: readonly string[]): unknown {
  const before = new Map(names.map((name) => [name, process.env[name]]));
  for (const name of names) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    const command = new EnvironmentCommand("start").exitOverride().configureOutput({ writeErr: () => {} });
    command
      .addOption(new Option("-p, --port <n>").argParser(Number).conflicts("data"))
      .option("-d, --data <dir>")
      .option("--admin-open")
      .option("--trusted-only")
      .option("--no-introspection");
    return command.parse([...args], { from: "user" }).opts();
  } finally {
    for (const name of names) delete process.env[name];
    for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
  }
}

describe("options from the environment", () => {
  it("have the option's name in capitals, and its parser; the command line comes first", () => {
    expect(options({ QUERN_PORT: "81" })).toEqual({ port: 81, introspection: true });
    expect(options({ QUERN_PORT: "81" }, "--port", "82")).toEqual({ port: 82, introspection: true });
  });

  it("are absent when they are empty", () => {
    expect(options({ QUERN_PORT: "", QUERN_DATA: "", QUERN_ADMIN_OPEN: "" })).toEqual({ introspection: true });
  });

  it.each(["1", "true", "TRUE", "yes", "on"])("switch on with %s", (text) => {
    expect(options({ QUERN_ADMIN_OPEN: text, QUERN_NO_INTROSPECTION: text })).toEqual({ adminOpen: true, introspection: false });
  });

  it.each(["0", "false", "False", "no", "off"])("do not switch on with %s", (text) => {
    expect(options({ QUERN_ADMIN_OPEN: text, QUERN_NO_INTROSPECTION: text })).toEqual({ introspection: true });
  });

  it("refuse a switch that is neither on nor off, by name", () => {
    expect(() => options({ QUERN_TRUSTED_ONLY: "maybe" })).toThrow('QUERN_TRUSTED_ONLY is "maybe"; set it to true or false.');
  });
});
