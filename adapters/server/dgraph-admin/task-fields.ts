// Fields about exports, backups and their tasks. This server has none; invalid arguments are reported first.

import { type AdminFields, argumentAt, failed } from "./field.ts";

const uint64 = /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i;

export const taskQueries: AdminFields = {
  task(args) {
    const id = argumentAt(args, "input", "id");
    if (id === "") throw failed("task ID is missing");
    if (typeof id !== "string" || !uint64.test(id)) throw failed(`invalid task ID: ${id}: strconv.ParseUint: parsing "${id}": invalid syntax`);
    return { kind: "Unknown", status: "Unknown" };
  },
  listBackups: () => Promise.reject(noBackups),
};

export const taskMutations: AdminFields = {
  export(args) {
    const format = argumentAt(args, "input", "format") ?? "rdf";
    if (format !== "rdf" && format !== "json") throw failed(`invalid export format: ${format}`);
    throw failed("this server writes no exports. Read the data by queries, or copy the store while the server is stopped");
  },
  backup(args) {
    if (argumentAt(args, "input", "destination") === "") throw failed("you must specify a 'destination' value");
    throw noBackups;
  },
  restore: () => Promise.reject(noBackups),
  restoreTenant: () => Promise.reject(noBackups),
};

const noBackups = failed("this server makes no backups. Copy the store while the server is stopped");
