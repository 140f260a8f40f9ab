// Declares the commands about users who sign in.

import type { Command } from "commander";
import { actAsAccount, addAccount, listAccounts, listSessions, setAccount, signOutAccount } from "./commands-on-demand.ts";
import { tokenFileOption } from "./shared-options.ts";

/** Of a server with `accountsPlugin`. */
export function addAccountCommands(program: Command): void {
  const account = program.command("account").description("list and edit the users who sign in at a server with accounts");
  addServer(account.command("list").description("list users with how they sign in and their sessions")).action(listAccounts);
  addFields(addServer(account.command("add").description("add a user, such as the first administrator").argument("<email>")))
    .option("--page <url>", "where the link of the mail leads that a user without a password gets", "/")
    .action(addAccount);
  addFields(addServer(account.command("set").description("set fields, the password or the state of a user").argument("<email>")))
    .option("--disable", "end the sessions of the user, and let it sign in no more")
    .option("--enable", "let the user sign in again")
    .action(setAccount);
  addServer(account.command("sessions").description("list the sessions of a user").argument("<email>")).action(listSessions);
  addServer(account.command("act-as").description("act as a user: print the token of a session of a quarter of an hour").argument("<email>"))
    .option("--minutes <n>", "how long the session lasts, 1 to 60", Number, 15)
    .action(actAsAccount);
  addServer(account.command("sign-out").description("end all sessions of a user, or one").argument("<email>"))
    .option("--session <id>", "ID of the one session that ends")
    .action(signOutAccount);
}

function addServer(command: Command): Command {
  return command
    .option("-u, --url <url>", "address of the server", "http://127.0.0.1:8080")
    .option("--as <user>", "user of access control to log in as")
    .option("--password-file <file>", "file that contains the password of that user")
    .option(...tokenFileOption);
}

function addFields(command: Command): Command {
  return command
    .option("--set <field=value...>", "values of fields, such as role=ADMIN")
    .option("--new-password-file <file>", "file that contains the password of the user")
    .addHelpText("after", "\nThe password of the user comes from QUERN_NEW_PASSWORD or --new-password-file.");
}
