// Every command of the program. The module of a command is imported when the command runs: a process loads one of them, and --help none.

export const addGroup = onDemand(async () => (await import("./commands/access.ts")).addGroup);
export const actAsAccount = onDemand(async () => (await import("./commands/account.ts")).actAsAccount);
export const addAccount = onDemand(async () => (await import("./commands/account.ts")).addAccount);
export const listAccounts = onDemand(async () => (await import("./commands/account.ts")).listAccounts);
export const listSessions = onDemand(async () => (await import("./commands/account.ts")).listSessions);
export const setAccount = onDemand(async () => (await import("./commands/account.ts")).setAccount);
export const signOutAccount = onDemand(async () => (await import("./commands/account.ts")).signOutAccount);
export const addUser = onDemand(async () => (await import("./commands/access.ts")).addUser);
export const deleteGroup = onDemand(async () => (await import("./commands/access.ts")).deleteGroup);
export const deleteRule = onDemand(async () => (await import("./commands/access.ts")).deleteRule);
export const deleteUser = onDemand(async () => (await import("./commands/access.ts")).deleteUser);
export const joinGroups = onDemand(async () => (await import("./commands/access.ts")).joinGroups);
export const leaveGroups = onDemand(async () => (await import("./commands/access.ts")).leaveGroups);
export const listGroups = onDemand(async () => (await import("./commands/access.ts")).listGroups);
export const listRules = onDemand(async () => (await import("./commands/access.ts")).listRules);
export const listUsers = onDemand(async () => (await import("./commands/access.ts")).listUsers);
export const setPassword = onDemand(async () => (await import("./commands/access.ts")).setPassword);
export const setRule = onDemand(async () => (await import("./commands/access.ts")).setRule);
export const backup = onDemand(async () => (await import("./commands/backup.ts")).backup);
export const listBackups = onDemand(async () => (await import("./commands/backup.ts")).listBackups);
export const restore = onDemand(async () => (await import("./commands/backup.ts")).restore);
export const verifyBackup = onDemand(async () => (await import("./commands/backup.ts")).verifyBackup);
export const check = onDemand(async () => (await import("./commands/check.ts")).check);
export const deploy = onDemand(async () => (await import("./commands/deploy.ts")).deploy);
export const dev = onDemand(async () => (await import("./commands/dev.ts")).dev);
export const diff = onDemand(async () => (await import("./commands/diff.ts")).diff);
export const directives = onDemand(async () => (await import("./commands/directives.ts")).directives);
export const explain = onDemand(async () => (await import("./commands/explain.ts")).explain);
export const exportData = onDemand(async () => (await import("./commands/export.ts")).exportData);
export const importData = onDemand(async () => (await import("./commands/import.ts")).importData);
export const init = onDemand(async () => (await import("./commands/init.ts")).init);
export const origins = onDemand(async () => (await import("./commands/origins.ts")).origins);
export const print = onDemand(async () => (await import("./commands/print.ts")).print);
export const query = onDemand(async () => (await import("./commands/query.ts")).query);
export const schema = onDemand(async () => (await import("./commands/schema.ts")).schema);
export const start = onDemand(async () => (await import("./commands/start.ts")).start);
export const token = onDemand(async () => (await import("./commands/token.ts")).token);
export const types = onDemand(async () => (await import("./commands/types.ts")).types);
export const validate = onDemand(async () => (await import("./commands/validate.ts")).validate);

function onDemand<Args extends readonly unknown[]>(load: () => Promise<(...args: Args) => Promise<void>>): (...args: Args) => Promise<void> {
  return async (...args) => await (await load())(...args);
}
