// Records the `hello` replies of the servers of an address, and explains why one of them cannot be used.

import type { Document, MongoClient } from "mongodb";
import { QuernError } from "../../../core/storage.ts";

export interface Accepted {
  /** Whether the routers of a sharded cluster are. */
  readonly takesRouters: boolean;
  /** The database is laid out for them. */
  readonly sharded: boolean;
}

/** The last reply of each server, including servers that the driver ignores. Used when the driver finds no primary. */
export class ServerHellos {
  readonly #client: MongoClient;
  readonly #accepted: Accepted;
  readonly #answers = new Map<string, Document>();

  /** @param client not connected yet */
  constructor(client: MongoClient, accepted: Accepted) {
    this.#client = client;
    this.#accepted = accepted;
    client.on("serverHeartbeatSucceeded", ({ connectionId, reply }) => void this.#answers.set(connectionId, reply));
  }

  /** Undefined when no server replied. */
  explain(): QuernError | undefined {
    const { replicaSet } = this.#client.options;
    for (const [where, hello] of this.#answers) {
      const problem =
        problemOf(where, hello, this.#accepted) ?? nameProblem(where, hello, replicaSet || hello.setName) ?? membersProblem(where, hello);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

/** Whether this is the `hello` reply of a `mongos`, the router of a sharded cluster. */
export function isRouter(hello: Document): boolean {
  return hello.msg === "isdbgrid";
}

/** Whether this is the `hello` reply of a member that may become the primary. */
export function isSecondary(hello: Document): boolean {
  return hello.setName !== undefined && hello.isWritablePrimary !== true && hello.ismaster !== true;
}

/** The wire version of MongoDB 6.0. */
const version6 = 17;

/** Why a server with this `hello` reply cannot be used; undefined when it can. */
export function problemOf(where: string, hello: Document, { takesRouters, sharded }: Accepted): QuernError | undefined {
  if (isRouter(hello) && !takesRouters) return routerProblem(where, { sharded });
  if (hello.maxWireVersion < version6)
    return refused(`MongoDB at ${where} is older than 6.0`, "Quern needs MongoDB 6.0 or later. Upgrade the replica set one major version at a time.");
  if (isRouter(hello)) return undefined;
  if (hello.isreplicaset === true) return refused(`MongoDB at ${where} waits to become a replica set`, "Run rs.initiate() once in mongosh.");
  if (hello.setName === undefined)
    return refused(
      `MongoDB at ${where} is a standalone server; transactions and change streams need a replica set`,
      "Start mongod with --replSet rs0 and run rs.initiate() once in mongosh; a set of one node is enough.",
    );
  if (hello.isWritablePrimary === true || hello.ismaster === true) return undefined;
  return refused(
    `MongoDB at ${where} answers, and no primary of its replica set does`,
    "A majority of the members must run: see rs.status() in mongosh. The address should name all members, without directConnection.",
  );
}

function routerProblem(where: string, { sharded }: Pick<Accepted, "sharded">): QuernError {
  const known = sharded ? "the layout `sharded: true` is designed for it and has not run on one" : "nothing of Quern was tried on one";
  return refused(
    `MongoDB at ${where} is the router (mongos) of a sharded cluster, and ${known}`,
    'Give the address of a replica set. To use the cluster all the same, without support: mongodbStorage({ uri, sharded: true, router: "unsupported" }).',
  );
}

function nameProblem(where: string, { setName, msg }: Document, wanted: string): QuernError | undefined {
  if (isRouter({ msg })) return refused(`MongoDB at ${where} is a router (mongos), and no replica set`, "Leave replicaSet out of the address.");
  if (setName === wanted) return undefined;
  return refused(
    `the replica set of MongoDB at ${where} is called ${setName}, the address says ${wanted}`,
    `Write replicaSet=${setName} in the address.`,
  );
}

/** A driver connects to members by the names in the configuration of the set. */
function membersProblem(where: string, { hosts }: Document): QuernError | undefined {
  if (!Array.isArray(hosts) || hosts.includes(where)) return undefined;
  return refused(
    `the replica set of MongoDB at ${where} has the members ${hosts.join(", ")}, and these do not answer`,
    "Make these names reachable from this machine, or name the members in rs.conf() as it reaches them.",
  );
}

function refused(message: string, hint: string): QuernError {
  return new QuernError("STORE_UNAVAILABLE", message, { hint });
}
