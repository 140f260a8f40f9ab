// quern user, quern group, quern rule: edit the users, groups and rules of a server with access control.

import { QuernError } from "../../../core/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { askAdmin, type GuardianChoice, loggedIn, memberOf } from "../client/guardian.ts";
import { serverAt } from "../client/server-url.ts";
import { readSecretFile } from "../ground/read-secret.ts";

export interface AccessOptions extends TokenOptions, GuardianChoice {
  readonly url: string;
}

export interface NewPasswordOptions extends AccessOptions {
  /** Path of a file with the new password. Default: `QUERN_NEW_PASSWORD`. */
  readonly newPasswordFile?: string;
}

async function ask(options: AccessOptions, query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return await askAdmin(await loggedIn(await serverAt(options), options), query, variables);
}

// ---- users ------------------------------------------------------------------------------------------------------------------

export async function listUsers(options: AccessOptions): Promise<void> {
  const data = await ask(options, "{ queryUser(order: { asc: name }) { name groups { name } } }");
  for (const user of controlled(listIn(data, "queryUser"), "users")) console.log([memberOf(user, "name"), namesIn(user, "groups")].join("\t"));
}

export async function addUser(name: string, groups: readonly string[], options: NewPasswordOptions): Promise<void> {
  const input = [{ name, password: await newPassword(options), groups: groups.map((each) => ({ name: each })) }];
  await ask(options, "mutation A($input: [AddUserInput!]!) { addUser(input: $input) { user { name } } }", { input });
  console.log(`The user ${name} is added.`);
}

export async function setPassword(name: string, options: NewPasswordOptions): Promise<void> {
  await updateUser(name, { set: { password: await newPassword(options) } }, options);
  console.log(`The user ${name} has a new password.`);
}

export async function joinGroups(name: string, groups: readonly string[], options: AccessOptions): Promise<void> {
  await updateUser(name, { set: { groups: groups.map((each) => ({ name: each })) } }, options);
  console.log(`The user ${name} is in ${groups.join(", ")}, from the next login on.`);
}

export async function leaveGroups(name: string, groups: readonly string[], options: AccessOptions): Promise<void> {
  await updateUser(name, { remove: { groups: groups.map((each) => ({ name: each })) } }, options);
  console.log(`The user ${name} is no longer in ${groups.join(", ")}, from the next login on.`);
}

export async function deleteUser(name: string, options: AccessOptions): Promise<void> {
  const data = await ask(options, "mutation D($name: String!) { deleteUser(filter: { name: { eq: $name } }) { numUids } }", { name });
  if (memberOf(memberOf(data, "deleteUser"), "numUids") !== 1) throw notFound("user", name);
  console.log(`The user ${name} is deleted.`);
}

async function updateUser(name: string, patch: object, options: AccessOptions): Promise<void> {
  const input = { filter: { name: { eq: name } }, ...patch };
  const data = await ask(options, "mutation U($input: UpdateUserInput!) { updateUser(input: $input) { user { name } } }", { input });
  if (listIn(memberOf(data, "updateUser"), "user").length === 0) throw notFound("user", name);
}

async function newPassword({ newPasswordFile }: NewPasswordOptions): Promise<string> {
  const password = newPasswordFile === undefined ? process.env.QUERN_NEW_PASSWORD : await readSecretFile("password", newPasswordFile);
  if (password) return password;
  throw new QuernError(
    "CONFIG_INVALID",
    "Give the new password in the environment variable QUERN_NEW_PASSWORD, or in a file: --new-password-file <file>.",
  );
}

// ---- groups and rules ---------------------------------------------------------------------------------------------------------

export async function listGroups(options: AccessOptions): Promise<void> {
  const data = await ask(options, "{ queryGroup(order: { asc: name }) { name users { name } } }");
  for (const group of controlled(listIn(data, "queryGroup"), "groups")) console.log([memberOf(group, "name"), namesIn(group, "users")].join("\t"));
}

export async function addGroup(name: string, options: AccessOptions): Promise<void> {
  await ask(options, "mutation A($input: [AddGroupInput!]!) { addGroup(input: $input) { group { name } } }", { input: [{ name }] });
  console.log(`The group ${name} is added.`);
}

export async function deleteGroup(name: string, options: AccessOptions): Promise<void> {
  const data = await ask(options, "mutation D($name: String!) { deleteGroup(filter: { name: { eq: $name } }) { numUids } }", { name });
  if (memberOf(memberOf(data, "deleteGroup"), "numUids") !== 1) throw notFound("group", name);
  console.log(`The group ${name} is deleted.`);
}

export async function listRules(group: string, options: AccessOptions): Promise<void> {
  const data = await ask(options, "query G($name: String!) { getGroup(name: $name) { rules { predicate permission } } }", { name: group });
  const found = memberOf(data, "getGroup");
  if (found === null) throw notFound("group", group);
  for (const rule of listIn(found, "rules")) console.log(`${rightsText(Number(memberOf(rule, "permission")))}\t${memberOf(rule, "predicate")}`);
}

export async function setRule(group: string, predicate: string, rights: string, options: AccessOptions): Promise<void> {
  await updateGroup(group, { set: { rules: [{ predicate, permission: permissionOf(rights) }] } }, options);
  console.log(`The group ${group} has the rights ${rightsText(permissionOf(rights))} on ${predicate}.`);
}

export async function deleteRule(group: string, predicate: string, options: AccessOptions): Promise<void> {
  await updateGroup(group, { remove: { rules: [predicate] } }, options);
  console.log(`The group ${group} has no rule about ${predicate}.`);
}

async function updateGroup(name: string, patch: object, options: AccessOptions): Promise<void> {
  const input = { filter: { name: { eq: name } }, ...patch };
  const data = await ask(options, "mutation U($input: UpdateGroupInput!) { updateGroup(input: $input) { group { name } } }", { input });
  if (listIn(memberOf(data, "updateGroup"), "group").length === 0) throw notFound("group", name);
}

const letters = [
  ["r", 4],
  ["w", 2],
  ["m", 1],
] as const;

/** `rw`, or the sum of the rights as a number. */
function permissionOf(rights: string): number {
  if (/^[0-7]$/.test(rights)) return Number(rights);
  if (/^[rwm-]+$/.test(rights)) return letters.reduce((sum, [letter, bit]) => (rights.includes(letter) ? sum | bit : sum), 0);
  throw new QuernError(
    "CONFIG_INVALID",
    `${rights} is no permission; write r (read), w (write) and m (modify) together, such as rw, or a number from 0 to 7.`,
  );
}

function rightsText(permission: number): string {
  return letters.map(([letter, bit]) => ((permission & bit) === 0 ? "-" : letter)).join("");
}

/** A server with access control has a user and a group from its first start on. */
function controlled(list: readonly unknown[], what: string): readonly unknown[] {
  if (list.length > 0) return list;
  throw new QuernError("REQUEST_REFUSED", `The server has no ${what}: access control is off. Start it with --acl-secret <file> to turn it on.`);
}

function notFound(what: string, name: string): QuernError {
  return new QuernError("REQUEST_REFUSED", `There is no ${what} ${name}.`);
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function namesIn(value: unknown, name: string): string {
  return listIn(value, name)
    .map((each) => String(memberOf(each, "name")))
    .join(", ");
}
