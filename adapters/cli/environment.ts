// Options from environment variables: `--port` from `QUERN_PORT`. What is written on the command line comes first.

import { Command, type Option } from "commander";
import { QuernError } from "../../core/index.ts";

/** Texts that switch an option without a value off, and on. */
const off: ReadonlySet<string> = new Set(["0", "false", "no", "off"]);
const on: ReadonlySet<string> = new Set(["1", "true", "yes", "on"]);

/** A command whose options can be set by the environment, each by a variable of its name. */
export class EnvironmentCommand extends Command {
  /** @throws QuernError `CONFIG_INVALID` for a switch that is neither on nor off */
  override addOption(option: Option): this {
    const name = `QUERN_${option.name().replaceAll("-", "_").toUpperCase()}`;
    forgetAbsent(name, !option.required && !option.optional);
    return super.addOption(option.env(name));
  }
}

/**
 * An empty variable counts as absent, since files of variables often have empty ones; so does a switch that is off. Commander would take both
 * for values.
 */
function forgetAbsent(name: string, isSwitch: boolean): void {
  const value = process.env[name];
  if (value === undefined) return;
  const text = value.toLowerCase();
  if (isSwitch && value !== "" && !on.has(text) && !off.has(text))
    throw new QuernError("CONFIG_INVALID", `The environment variable ${name} is ${JSON.stringify(value)}; set it to true or false.`);
  if (value === "" || (isSwitch && off.has(text))) delete process.env[name];
}
