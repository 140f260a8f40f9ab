export { accountsPlugin } from "./accounts-plugin.ts";
export type { Mail, MailKind } from "./mail/mail.ts";
export { type SmtpMailerOptions, smtpMailer } from "./mail/smtp-mailer.ts";
export type { AccountsOptions } from "./options.ts";
export { type AccountsDestination, loadAccounts, loadAccountsInto } from "./transfer/load-accounts.ts";
export { writeAccounts } from "./transfer/write-accounts.ts";
