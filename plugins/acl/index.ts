export { type AclOptions, aclPlugin } from "./acl-plugin.ts";
