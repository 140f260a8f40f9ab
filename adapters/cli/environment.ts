// Options from environment variables: `--port` from `QUERN_PORT`. What is written on the command line comes first. A misspelled variable is named.

import { Command, type Option } from "commander";
import { readSwitch } from "./ground/switches.ts";

const prefix = "QUERN_";

/** Variables that no option has a name for. A configuration may read more. */
const otherVariables = [
  "ACCESS_TOKEN",
  "ACCOUNTS_ORIGINS",
  "ACCOUNTS_SECRET",
  "ACCOUNTS_TWO_FACTOR",
  "ACCOUNTS_URL",
  "ADMIN_TOKEN",
  "ERRORS",
  "LAMBDA_URL",
  "LOG",
  "NAMESPACE",
  "NEW_PASSWORD",
  "PASSWORD",
  "SMTP_FROM",
  "SMTP_URL",
  "USER",
].map((name) => `${prefix}${name}`);

/** Variables of specs, and those that Kubernetes makes of the name of a service. */
const ofOthers = /^QUERN_(?:TEST_|GOLDEN$|SERVICE_|PORT_\d)/;

/** Prints a warning for each variable that resembles one that commands read. One that resembles none may be for a configuration or another program. */
export async function warnOfUnknownVariables(program: Command): Promise<void> {
  const known = [...otherVariables, ...variablesOf(program)];
  const unknown = Object.keys(process.env).filter((name) => name.startsWith(prefix) && !known.includes(name) && !ofOthers.test(name));
  if (unknown.length === 0) return;
  const { nearestName } = await import("../../core/index.ts");
  const stem = (name: string) => name.slice(prefix.length);
  for (const name of unknown) {
    const meant = nearestName(stem(name), known.map(stem));
    if (meant !== undefined) console.error(`No command reads the environment variable ${name}; did you mean ${prefix}${meant}?`);
  }
}

function variablesOf({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => [...command.options.flatMap(({ envVar }) => envVar ?? []), ...variablesOf(command)]);
}

/** A command whose options can be set by the environment, each by a variable of its name. */
export class EnvironmentCommand extends Command {
  /** Ends the program for a switch that is neither on nor off. */
  override addOption(option: Option): this {
    const name = `QUERN_${option.name().replaceAll("-", "_").toUpperCase()}`;
    const isSwitch = !option.required && !option.optional;
    if (isSwitch && !isReadable(process.env[name])) this.error(`error: ${name} is ${JSON.stringify(process.env[name])}; set it to true or false.`);
    forgetEmpty(name);
    if (isSwitch) forgetOff(name);
    return super.addOption(option.env(name));
  }
}

function isReadable(value: string | undefined): boolean {
  return value === undefined || value === "" || readSwitch(value) !== undefined;
}

/** An empty variable counts as absent, since files of variables often have empty ones. Commander would take it for a value. */
function forgetEmpty(name: string): void {
  if (process.env[name] === "") delete process.env[name];
}

/** A switch that is off counts as absent. Commander would take it for a value. */
function forgetOff(name: string): void {
  if (readSwitch(process.env[name] ?? "") === false) delete process.env[name];
}
