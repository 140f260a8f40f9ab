// Declares every command with its arguments, options and help. commands/ implements them.

import { createRequire } from "node:module";
import { Command, Option } from "commander";
import type { ErrorStyle } from "../../core/index.ts";
import type { ExportFormat } from "../transfer/index.ts";
import { addAccessCommands } from "./access-program.ts";
import { addAccountCommands } from "./account-program.ts";
import { parseCount, parseHeader, parseLife, parseNamespace, parsePort, parseThreads, parseUrl } from "./argument-values.ts";
import {
  backup,
  check,
  deploy,
  dev,
  diff,
  directives,
  explain,
  exportData,
  importData,
  init,
  listBackups,
  origins,
  print,
  query,
  restore,
  schema,
  start,
  token,
  types,
  validate,
  verifyBackup,
} from "./commands-on-demand.ts";
import { EnvironmentCommand, warnOfUnknownVariables } from "./environment.ts";
import { configOption, storeConfigOption, tokenFileOption, tokenHelp } from "./shared-options.ts";
import type { TransportName } from "./stack/named-transport.ts";

const { version }: { version: string } = createRequire(import.meta.url)("quern/package.json");

/** Choices of options. They are repeated here, because the modules that define them load the transports and the whole transfer code. */
const transports: Readonly<Record<TransportName, true>> = { ws: true, yoga: true };
const formats: Readonly<Record<ExportFormat, true>> = { ndjson: true, rdf: true, json: true };
const errorStyles: readonly ErrorStyle[] = ["plain", "compatible"];

/** The program throws `CommanderError` instead of exiting the process. */
export function quernProgram(): Command {
  const program = new Command("quern")
    .description("Serves a complete, persistent GraphQL API, generated from a schema.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(run quern --help to see the available commands, or quern <command> --help to see the options of one)");
  addFirstSteps(program);
  addServing(program);
  addSchemaCommands(program);
  addComparing(program);
  addStoreCommands(program);
  addAccessCommands(program);
  addAccountCommands(program);
  return program.hook("preAction", () => warnOfUnknownVariables(program));
}

function addFirstSteps(program: Command): void {
  program
    .command("init")
    .description("write a configuration, a first schema and a .gitignore; overwrites nothing")
    .argument("[folder]", "target folder (default: the working folder)")
    .action(init);
  addListening(
    serving(program, "dev")
      .description("serve a schema file and deploy it again each time it is saved; prints changes, and errors with their place")
      .argument("[schema]", "schema file (default: schema.graphql)"),
  ).action(dev);
}

/** Options of commands that serve may come from the environment, as containers need it. */
function serving(program: Command, name: string): Command {
  const command = new EnvironmentCommand(name).copyInheritedSettings(program);
  program.addCommand(command);
  return command.addHelpText("after", "\nWhat is written on the command line comes before the environment.");
}

function addServing(program: Command): void {
  addListening(serving(program, "start").description("start the server; prints the address of the API when it is ready; Ctrl-C stops it"))
    .option("-s, --schema <file>", "schema file to deploy at start if it differs from the deployed schema")
    .option("--trusted-documents <file>", "documents that clients send by id: a persisted-documents.json or an Apollo manifest")
    .option("--trusted-only", "run trusted documents only")
    .option(
      "--workers <n>",
      "threads beside the main one that run long queries, 0 for none; LevelDB only (default: one less than there are cores)",
      parseThreads,
    )
    .option("--acl-secret <file>", "turn access control on: file that contains the secret of its tokens, at least 32 bytes")
    .option("--acl-access-ttl <time>", "life of access tokens, such as 20m (default: 6h)")
    .option("--acl-refresh-ttl <time>", "life of refresh tokens, such as 12h (default: 30d)")
    .option("--namespaces", "several databases in one server, a folder each below the data folder; needs --acl-secret")
    .option("--admin-open", "let requests from this machine administrate without the admin token; do not use it behind a proxy on this machine")
    .option(...tokenFileOption)
    .addHelpText(
      "after",
      `\nIf no admin token is configured, the first start creates one, prints it once, and stores it in the data folder. ${tokenHelp}`,
    )
    .action(start);
}

function addListening(command: Command): Command {
  return command
    .option(...configOption)
    .option("-d, --data <dir>", "folder of the LevelDB store (default: ./data)")
    .option("--files-at <place>", "where files of @file are kept: a folder, or s3://bucket/prefix (default: the data folder with .files at its end)")
    .option("--lambda-url <url>", "address of a lambda server for @lambda and @lambdaOnMutate", parseUrl)
    .option("--accounts", "let users sign up and in at /api/auth, for schemas with @account")
    .option("--audit", "keep in the store what administrators do, for 90 days")
    .option("--no-introspection", "refuse introspection (__schema, __type) to requests without the admin token")
    .option("--take-over", "in a database that servers share: replace the deployed layout by that of this version and its plugins")
    .addOption(errorsOption())
    .option("--host <host>", "interface to listen on (default: 127.0.0.1)")
    .option("-p, --port <n>", "port to listen on, 0 for any free port (default: 8080)", parsePort)
    .option("--grpc <port>", "serve clients of Dgraph's gRPC protocol on this port too (Dgraph's: 9080); needs @grpc/grpc-js", parsePort)
    .option("--tls-cert <file>", "serve https and wss: certificate with its intermediates, PEM; read again when it changes")
    .option("--tls-key <file>", "private key of the certificate, PEM")
    .addOption(new Option("-t, --transport <name>", "transport to use instead of the configured ones").choices(Object.keys(transports)));
}

function errorsOption(): Option {
  return new Option("--errors <style>", "how errors are worded (default: plain; compatible: exactly those of Dgraph)").choices(errorStyles);
}

function addSchemaCommands(program: Command): void {
  program
    .command("print")
    .description("print the API that is generated from a schema, as SDL")
    .argument("<file>", "schema file")
    .option(...configOption)
    .action(print);
  program
    .command("origins")
    .description("list which plugin added, changed or hid each type, field and argument of the API")
    .argument("<file>", "schema file")
    .option(...configOption)
    .option("--json", "print the same as JSON")
    .action(origins);
  program
    .command("types")
    .description("print TypeScript types: of the API for clients, or of the functions that a schema leaves to the application")
    .argument("<file>", "schema file")
    .addOption(new Option("--client", "the types, inputs and arguments of the API").conflicts("functions"))
    .option("--functions", "the functions of @lambda and @lambdaOnMutate, for lambdaPlugin({ functions })")
    .option(...configOption)
    .option("-o, --output <file>", "file to write (default: standard output)")
    .addOption(new Option("--out <file>", "the same").conflicts("output"))
    .action(types);
  program
    .command("token")
    .description("print a token for development, signed with the secret in the schema's line # Service.Authorization")
    .requiredOption("--claims <json>", 'claims as a JSON object, such as {"USER": "ada"}')
    .option("-s, --schema <file>", "schema file", "schema.graphql")
    .addOption(new Option("--expires <time>", "life of the token, such as 20m or 30d").argParser(parseLife).default("8h"))
    .option(...configOption)
    .option("--json", 'print {"header","token"}')
    .action(token);
  program
    .command("directives")
    .description("print the directives and scalars that schemas may use, as SDL with descriptions, for editors")
    .option(...configOption)
    .action(directives);
  program
    .command("validate")
    .description("check a schema; prints every error and exits with code 1 if it is invalid")
    .argument("<file>", "schema file")
    .option(...configOption)
    .addOption(errorsOption().env("QUERN_ERRORS"))
    .option("--json", 'print {"errors":[{"message","locations","hint"}]}, all of them')
    .action(validate);
  program
    .command("schema")
    .description("propose a schema for a Dgraph export without one, from its storage schema and its data; prints SDL")
    .option("--from-dgraph <dir>", "folder of the export, RDF or JSON")
    .option("--namespace <n>", "namespace to read", parseNamespace, 0)
    .option("--encryption-key-file <file>", "key of an encrypted export")
    .option(...configOption)
    .action(schema);
  program
    .command("deploy")
    .description("deploy a schema to a running server, or to a store that no server has open")
    .argument("<file>", "schema file")
    .addOption(new Option("-u, --url <url>", "address of a running server, such as http://127.0.0.1:8080").conflicts("data"))
    .addOption(new Option("-d, --data <dir>", "folder of a LevelDB store; no other process may have it open").conflicts("url"))
    .option(...storeConfigOption)
    .option(...tokenFileOption)
    .addHelpText("after", `\n${tokenHelp}`)
    .action(deploy);
}

function addComparing(program: Command): void {
  program
    .command("diff")
    .description("print what deploying a schema would change, for clients and for the data; changes nothing")
    .argument("<file>", "schema file")
    .addOption(new Option("-u, --url <url>", "running server to compare with").conflicts("data"))
    .addOption(new Option("-d, --data <dir>", "folder of the LevelDB store to compare with; no other process may have it open").conflicts("url"))
    .option(...storeConfigOption)
    .option(...tokenFileOption)
    .option("--json", "print the comparison as JSON")
    .addHelpText("after", `\n${tokenHelp}`)
    .addHelpText("after", "\nExit code 0: nothing breaks. 1: clients break, data would be hidden, or the deploy would be refused.")
    .action(diff);
}

function addStoreCommands(program: Command): void {
  program
    .command("import")
    .description(
      "load newline-delimited JSON, plain or gzip; each line is an Add<T>Input, and a reference may be the key alone. Or load a whole Dgraph export",
    )
    .argument("[file...]", "files, loaded in one import")
    .option("-t, --type <T>", "type of the objects")
    .option("--from-dgraph <dir>", "folder of a Dgraph export, RDF or JSON, instead of files")
    .addOption(new Option("-d, --data <dir>", "folder of the LevelDB store to load into; no other process may have it open").conflicts("url"))
    .addOption(new Option("-u, --url <url>", "running server to load into").conflicts("data"))
    .option(...tokenFileOption)
    .option(...storeConfigOption)
    .option("-s, --schema <file>", "schema file to deploy first if it differs from the deployed schema (not with --url)")
    .addOption(
      new Option("--on-error <what>", "whether to skip invalid lines, or to stop at the first one").choices(["skip", "stop"]).default("stop"),
    )
    .option("--namespace <n>", "with --from-dgraph: namespace to load", parseNamespace, 0)
    .option("--encryption-key-file <file>", "with --from-dgraph: key of an encrypted export")
    .option("--dry-run", "with --from-dgraph: report what would be loaded and what does not fit; write nothing")
    .option("--report <file>", "with --from-dgraph: file for the report, as JSON")
    .option("--verify <url>", "with --from-dgraph: running Dgraph to compare with: counts of all types, and all fields of 1,000 random nodes")
    .addOption(new Option("--verify-header <header>", 'header of these questions, such as "X-My-App: TOKEN"; may be repeated').argParser(parseHeader))
    .option("--update", "with --from-dgraph: bring a later export into the store that holds an earlier one, with what was deleted since")
    .option("--new-uids", "with --from-dgraph: give the nodes new uids, for a store that has data")
    .option("--files", "of an export of Quern: copy its files of @file too")
    .option("--accounts", "lines are users who sign in, with the hashes of their passwords; of an export of Quern: load its accounts too")
    .option("--scratch <dir>", "with --from-dgraph: folder in which temporary files get a folder of their own (default: beside the store)")
    .addHelpText("after", "\nAfter an interruption, run the same command again: it continues where it stopped. A finished file is not loaded twice.")
    .action(importData);
  addMoving(program);
  program
    .command("check")
    .description("verify a whole store; exits with code 0 only if it has no faults at the end")
    .option("-d, --data <dir>", "folder of a LevelDB store; no other process may have it open")
    .option(...storeConfigOption)
    .option("--repair", "rebuild indexes, columns, keys, reverse lists and counters from the records")
    .option("--files", "compare the files of @file too: missing, damaged and orphaned ones; with --repair, orphaned ones are removed")
    .option("--json", "print the report as JSON")
    .action(check);
  program
    .command("explain")
    .description("run a query and print its plan with what was read")
    .argument("<query>", "query in GraphQL or DQL")
    .option("-d, --data <dir>", "folder of a LevelDB store; no other process may have it open")
    .option(...storeConfigOption)
    .option("--variables <json>", "variables of the query, as a JSON object")
    .action(explain);
  program
    .command("query")
    .description("run a DQL query and print its answer")
    .argument("<dql>", "DQL text")
    .addOption(new Option("-d, --data <dir>", "folder of a LevelDB store; no other process may have it open").conflicts("url"))
    .addOption(new Option("-u, --url <url>", "running server").conflicts("data"))
    .option(...tokenFileOption)
    .option(...storeConfigOption)
    .option("--variables <json>", "query variables, as a JSON object")
    .option("--json", "print JSON instead of tables")
    .option("--explain", "print what is asked of the storage instead of the answer")
    .addHelpText("after", `\n${tokenHelp}`)
    .action(query);
}

/** Commands that take data out of a store, and back. */
function addMoving(program: Command): void {
  const source = (command: Command) =>
    command
      .addOption(new Option("-d, --data <dir>", "folder of a LevelDB store; no other process may have it open").conflicts("url"))
      .addOption(new Option("-u, --url <url>", "running server; it writes to a folder of its own machine").conflicts("data"))
      .option(...tokenFileOption)
      .option(...storeConfigOption);
  source(program.command("export").description("write one snapshot of a store to a new folder").argument("<folder>", "folder of the export"))
    .addOption(
      new Option("-f, --format <name>", "ndjson: one file for each type, for quern import; rdf or json: the files of a Dgraph export")
        .choices(Object.keys(formats))
        .default("ndjson"),
    )
    .option("--types <names>", "types to export, separated by commas (default: all)", (text: string) => text.split(",").map((name) => name.trim()))
    .option("--gzip", "compress the files (a running server always does)")
    .option("--files", "copy the files of @file too")
    .option("--accounts", "write what users sign in with too: sessions, hashes of passwords, factors")
    .addHelpText(
      "after",
      "\nAfter an interruption, run the same command again. It continues if the store is still at the same commit; otherwise it discards what was\nwritten and begins again, because an export is one snapshot. A storage that several servers share always begins again.",
    )
    .action(exportData);
  const backups = source(
    program
      .command("backup")
      .description("copy a store to a folder of backups; the next backup there copies only what is new")
      .argument("<folder>", "folder of the backups"),
  )
    .option("--full", "copy everything, and begin a new series")
    .option("--files", "copy the files of @file too, those that are not there yet")
    .addHelpText("after", `\nThe store is not stopped. ${tokenHelp}`)
    .action(backup);
  backups
    .command("list")
    .description("list the backups in a folder, the oldest first")
    .argument("<folder>", "folder of the backups")
    .action(listBackups);
  addBackupChoice(
    backups.command("verify").description("check the files of backups against their checksums").argument("<folder>", "folder of the backups"),
  ).action(verifyBackup);
  addBackupChoice(
    program
      .command("restore")
      .description("restore a backup to a new folder, to an empty storage, or into a running server")
      .argument("<folder>", "folder of the backups"),
  )
    .addOption(new Option("-d, --data <dir>", "new folder for the store").conflicts("url"))
    .addOption(new Option("-u, --url <url>", "running server on LevelDB; it reads a folder of its own machine").conflicts("data"))
    .option(...tokenFileOption)
    .option("-c, --config <file>", "configuration file of an empty storage, for backups of a database")
    .option("--files", "copy the files of @file back too")
    .addHelpText(
      "after",
      `\nA running server verifies the backup, refuses writes while it copies, and keeps its data of before in a folder replaced-* of its store.\n${tokenHelp}`,
    )
    .action(restore);
}

function addBackupChoice(command: Command): Command {
  return command
    .option("--id <id>", "series of the backup (default: the newest)")
    .option("--number <n>", "number of the backup (default: the last)", parseCount);
}
