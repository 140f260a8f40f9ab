// Declares the commands that edit users, groups and rules.

import type { Command } from "commander";
import {
  addGroup,
  addUser,
  deleteGroup,
  deleteRule,
  deleteUser,
  joinGroups,
  leaveGroups,
  listGroups,
  listRules,
  listUsers,
  setPassword,
  setRule,
} from "./commands-on-demand.ts";
import { tokenFileOption } from "./shared-options.ts";

const loginHelp =
  "Log in as a guardian: set QUERN_USER (default: groot) and QUERN_PASSWORD, or QUERN_ACCESS_TOKEN, or name --as and --password-file. New passwords come from QUERN_NEW_PASSWORD or --new-password-file.";

/** Of a server with access control. */
export function addAccessCommands(program: Command): void {
  const user = program.command("user").description("list and edit the users of a server with access control");
  addLogin(user.command("list").description("list users with their groups")).action(listUsers);
  addNewPassword(user.command("add").description("add a user").argument("<name>").argument("[group...]", "groups of the user")).action(addUser);
  addNewPassword(user.command("password").description("set the password of a user").argument("<name>")).action(setPassword);
  addLogin(user.command("join").description("add a user to groups").argument("<name>").argument("<group...>")).action(joinGroups);
  addLogin(user.command("leave").description("remove a user from groups").argument("<name>").argument("<group...>")).action(leaveGroups);
  addLogin(user.command("delete").description("delete a user").argument("<name>")).action(deleteUser);
  const group = program.command("group").description("list and edit the groups of a server with access control");
  addLogin(group.command("list").description("list groups with their users")).action(listGroups);
  addLogin(group.command("add").description("add a group").argument("<name>")).action(addGroup);
  addLogin(group.command("delete").description("delete a group").argument("<name>")).action(deleteGroup);
  const rule = program.command("rule").description("list and edit the rules of a group");
  addLogin(rule.command("list").description("list the rules of a group").argument("<group>")).action(listRules);
  addLogin(
    rule
      .command("set")
      .description("set the rights of a group on a predicate")
      .argument("<group>")
      .argument("<predicate>", "such as Author.name, a type, or service.all")
      .argument("<rights>", "r (read), w (write), m (modify) together, such as rw, or a number from 0 to 7"),
  ).action(setRule);
  addLogin(rule.command("delete").description("remove a rule").argument("<group>").argument("<predicate>")).action(deleteRule);
}

function addLogin(command: Command): Command {
  return command
    .option("-u, --url <url>", "address of the server", "http://127.0.0.1:8080")
    .option("--as <user>", "user to log in as")
    .option("--password-file <file>", "file that contains the password of that user")
    .option(...tokenFileOption)
    .addHelpText("after", `\n${loginHelp}`);
}

function addNewPassword(command: Command): Command {
  return addLogin(command).option("--new-password-file <file>", "file that contains the new password");
}
