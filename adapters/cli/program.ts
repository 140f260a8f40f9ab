// Every command with its arguments, options and help. The work is in commands/.

import { createRequire } from "node:module";
import { Command, InvalidArgumentError, Option } from "commander";
import { check } from "./commands/check.ts";
import { deploy } from "./commands/deploy.ts";
import { dev } from "./commands/dev.ts";
import { diff } from "./commands/diff.ts";
import { explain } from "./commands/explain.ts";
import { importFiles } from "./commands/import.ts";
import { init } from "./commands/init.ts";
import { origins } from "./commands/origins.ts";
import { print } from "./commands/print.ts";
import { start } from "./commands/start.ts";
import { validate } from "./commands/validate.ts";
import { transportNames } from "./named-transport.ts";

const { version }: { version: string } = createRequire(import.meta.url)("quern/package.json");

const configOption = ["-c, --config <file>", "configuration (default: quern.config.{ts,mts,js,mjs} here, else the standard stack)"] as const;

/** The token itself is no option: other users can read the arguments of a process. */
const tokenFileOption = ["--admin-token-file <file>", "file with the server's admin token"] as const;

const tokenHelp =
  "The environment variable QUERN_ADMIN_TOKEN or --admin-token-file gives the admin token; commands find that of a server which the same user has started on this machine.";

/** Where a store has to be named. */
const storeConfigOption = ["-c, --config <file>", "configuration; without --data or --url, its storage is the one"] as const;

/** Throws `CommanderError` instead of leaving the process. */
export function quernProgram(): Command {
  const program = new Command("quern")
    .description("Serves a GraphQL schema as a graph database with a complete API.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(run quern --help, or quern <command> --help, for what there is)");
  addFirstSteps(program);
  addServing(program);
  addSchemaCommands(program);
  addComparing(program);
  addStoreCommands(program);
  return program;
}

function addFirstSteps(program: Command): void {
  program
    .command("init")
    .description("write a configuration and a first schema; overwrites nothing")
    .argument("[folder]", "where to (default: here)")
    .action(init);
  addListening(
    program
      .command("dev")
      .description("serve a schema file and deploy it again whenever it is saved; says what changes, and what is wrong where")
      .argument("[schema]", "schema (default: schema.graphql)"),
  ).action(dev);
}

function addServing(program: Command): void {
  addListening(program.command("start").description("serve until Ctrl-C; prints the address of the API once it answers"))
    .option("-s, --schema <file>", "schema to deploy at start when it differs from the deployed one")
    .option("--trusted-documents <file>", "documents that clients name by their id: a persisted-documents.json, or Apollo's manifest")
    .option("--trusted-only", "run trusted documents and no other")
    .option("--admin-open", "requests from this machine need no admin token; not where a proxy on it passes requests on")
    .option(...tokenFileOption)
    .addHelpText("after", `\nWithout a configured admin token one is made, shown once, and kept in the data folder. ${tokenHelp}`)
    .action(start);
}

function addListening(command: Command): Command {
  return command
    .option(...configOption)
    .option("-d, --data <dir>", "folder of the LevelDB store (default: ./data)")
    .option("--no-introspection", "refuse __schema and __type to requests without the admin token")
    .option("--host <host>", "interface to listen on (default: 127.0.0.1)")
    .option("-p, --port <n>", "port to listen on, 0 for any free one (default: 8080)", parsePort)
    .addOption(new Option("-t, --transport <name>", "serve by this transport, whatever is configured").choices(transportNames));
}

function addSchemaCommands(program: Command): void {
  program
    .command("print")
    .description("print the API that is generated for a schema, as SDL")
    .argument("<file>", "schema")
    .option(...configOption)
    .action(print);
  program
    .command("origins")
    .description("say of every type, field and argument of the API which plugin added or changed it")
    .argument("<file>", "schema")
    .option(...configOption)
    .option("--json", "print the same as JSON")
    .action(origins);
  program
    .command("validate")
    .description("check a schema; exit code 1 and every error when it would be refused")
    .argument("<file>", "schema")
    .option(...configOption)
    .option("--json", 'print {"errors":[{"message","locations"}]}')
    .action(validate);
  program
    .command("deploy")
    .description("deploy a schema to a running server, or to a store that nobody serves")
    .argument("<file>", "schema")
    .addOption(new Option("-u, --url <url>", "address of the server, http://127.0.0.1:8080").conflicts("data"))
    .addOption(new Option("-d, --data <dir>", "folder of the store; nobody else may have it open").conflicts("url"))
    .option(...storeConfigOption)
    .option(...tokenFileOption)
    .addHelpText("after", `\n${tokenHelp}`)
    .action(deploy);
}

function addComparing(program: Command): void {
  program
    .command("diff")
    .description("say what deploying a schema would change, for clients and for the data; changes nothing")
    .argument("<file>", "schema")
    .addOption(new Option("-u, --url <url>", "running server to compare with").conflicts("data"))
    .addOption(new Option("-d, --data <dir>", "folder of the store to compare with; nobody else may have it open").conflicts("url"))
    .option(...storeConfigOption)
    .option(...tokenFileOption)
    .option("--json", "print the comparison as JSON")
    .addHelpText("after", `\n${tokenHelp}`)
    .addHelpText("after", "\nExit code 0: nothing breaks. 1: clients break, data leave sight, or the deploy would be refused.")
    .action(diff);
}

function addStoreCommands(program: Command): void {
  program
    .command("import")
    .description("load newline-delimited JSON, plain or gzip: a line is Add<T>Input, a reference may be just the key")
    .argument("<file...>", "files, loaded as one")
    .requiredOption("-t, --type <T>", "type of the objects")
    .addOption(new Option("-d, --data <dir>", "folder of the store to load into; nobody else may have it open").conflicts("url"))
    .addOption(new Option("-u, --url <url>", "running server to load into").conflicts("data"))
    .option(...tokenFileOption)
    .option(...storeConfigOption)
    .option("-s, --schema <file>", "not with --url: schema to deploy first when it differs from the deployed one")
    .addOption(new Option("--on-error <what>", "bad lines: leave them out, or stop").choices(["skip", "stop"]).default("stop"))
    .addHelpText("after", "\nRun it again after a crash and it goes on where it was; a finished file is not loaded twice.")
    .action(importFiles);
  program
    .command("check")
    .description("verify a store from end to end; exit code 0 only when it is clean")
    .option("-d, --data <dir>", "folder of a LevelDB store; nobody else may have it open")
    .option(...storeConfigOption)
    .option("--repair", "mend indexes, columns, keys, reverse lists and counters from the records")
    .option("--json", "print the report as JSON")
    .action(check);
  program
    .command("explain")
    .description("run a query and print its plan with what was read")
    .argument("<query>", "GraphQL text")
    .option("-d, --data <dir>", "folder of a LevelDB store; nobody else may have it open")
    .option(...storeConfigOption)
    .option("--variables <json>", "values of the query's variables")
    .action(explain);
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return Number(text);
}
