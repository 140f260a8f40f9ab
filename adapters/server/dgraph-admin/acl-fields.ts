// Fields about users and groups. There is no access control: lists are empty, and a login is refused.

import { QuernError } from "../../../core/index.ts";
import { type AdminField, type AdminFields, failed } from "./field.ts";

export const loginFailed = "invalid username or password";

const needsAcl: AdminField = () => Promise.reject(failed("Enable ACL to use this mutation"));

export const aclQueries: AdminFields = {
  getUser: () => null,
  getGroup: () => null,
  queryUser: () => [],
  queryGroup: () => [],
  getCurrentUser: () => Promise.reject(nobody),
};

const nobody = new QuernError("REQUEST_REFUSED", "couldn't rewrite query getCurrentUser because no accessJwt available", {
  path: ["getCurrentUser"],
});

export const aclMutations: AdminFields = {
  login: () => Promise.reject(failed(loginFailed)),
  addUser: needsAcl,
  updateUser: needsAcl,
  deleteUser: needsAcl,
  addGroup: needsAcl,
  updateGroup: needsAcl,
  deleteGroup: needsAcl,
  addNamespace: needsAcl,
  deleteNamespace: needsAcl,
  resetPassword: needsAcl,
};
