export { accountsPlugin } from "./accounts-plugin.ts";
export type { AccountsOptions, Mail, MailKind } from "./options.ts";
