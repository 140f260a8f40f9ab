// What administrators have done, kept in the store.

export { type AuditOptions, auditPlugin } from "./audit-plugin.ts";
