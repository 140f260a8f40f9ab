import { Option } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EnvironmentCommand, warnOfUnknownVariables } from "../../adapters/cli/environment.ts";
import { quernProgram } from "../../adapters/cli/program.ts";
import { errorStyle } from "../../adapters/cli/stack/stack.ts";

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

describe("variables that no command reads", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  /** The warnings with this variable. */
  async function warnings(variable: string): Promise<readonly unknown[]> {
    const shown = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.stubEnv(variable, "1");
    await warnOfUnknownVariables(quernProgram());
    return shown.mock.calls.map(([line]) => line);
  }

  it.each([
    ["QUERN_PROT", "QUERN_PORT"],
    ["QUERN_ADMIN_TOKN", "QUERN_ADMIN_TOKEN"],
    ["QUERN_ERORS", "QUERN_ERRORS"],
  ])("are named with the one that is meant: %s", async (variable, meant) => {
    expect(await warnings(variable)).toEqual([`No command reads the environment variable ${variable}; did you mean ${meant}?`]);
  });

  it.each(["QUERN_PORT", "QUERN_ADMIN_TOKEN", "QUERN_LOG", "QUERN_MONGO_SECRET_OF_A_CONFIGURATION", "QUERN_SERVICE_PORT", "QUERN_PORT_8080_TCP"])(
    "and those that commands, a configuration or Kubernetes know are not: %s",
    async (variable) => {
      expect(await warnings(variable)).toEqual([]);
    },
  );
});

describe("the style of errors", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is that of the command line, then that of QUERN_ERRORS, then that of the configuration", () => {
    vi.stubEnv("QUERN_ERRORS", "");
    expect(errorStyle()).toBe("plain");
    expect(errorStyle(undefined, { errors: "compatible" })).toBe("compatible");
    vi.stubEnv("QUERN_ERRORS", "plain");
    expect(errorStyle(undefined, { errors: "compatible" })).toBe("plain");
    expect(errorStyle("compatible", {})).toBe("compatible");
  });

  it("refuses another text by the variable's name", () => {
    vi.stubEnv("QUERN_ERRORS", "dgraph");
    expect(() => errorStyle()).toThrow("The environment variable QUERN_ERRORS has a wrong value: it must be plain or compatible.");
  });
});
