// Options from environment variables: `--port` from `QUERN_PORT`. What is written on the command line comes first.

import { Command, type Option } from "commander";

/** Texts that switch an option without a value off, and on. */
const off: ReadonlySet<string> = new Set(["0", "false", "no", "off"]);
const on: ReadonlySet<string> = new Set(["1", "true", "yes", "on"]);

/** A command whose options can be set by the environment, each by a variable of its name. */
export class EnvironmentCommand extends Command {
  /** Ends the program for a switch that is neither on nor off. */
  override addOption(option: Option): this {
    const name = `QUERN_${option.name().replaceAll("-", "_").toUpperCase()}`;
    const isSwitch = !option.required && !option.optional;
    if (isSwitch && !isReadable(process.env[name])) this.error(`error: ${name} is ${JSON.stringify(process.env[name])}; set it to true or false.`);
    forgetAbsent(name, isSwitch);
    return super.addOption(option.env(name));
  }
}

function isReadable(value: string | undefined): boolean {
  const text = value?.toLowerCase() ?? "";
  return text === "" || on.has(text) || off.has(text);
}

/**
 * An empty variable counts as absent, since files of variables often have empty ones; so does a switch that is off. Commander would take both
 * for values.
 */
function forgetAbsent(name: string, isSwitch: boolean): void {
  const value = process.env[name];
  if (value === "" || (isSwitch && off.has(value?.toLowerCase() ?? ""))) delete process.env[name];
}
