export { type AclNamespaces, type AclOptions, aclNamespaces, aclPlugin } from "./acl-plugin.ts";
export type { Ask, Namespaces } from "./namespaces.ts";
