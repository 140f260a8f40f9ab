// What the servers of an address say they are, and why one of them is none that can be used.

import type { Document, MongoClient } from "mongodb";
import { QuernError } from "../../core/index.ts";

/** Keeps the last word of each server, also of those that the driver takes for none of the set, for when it finds no primary. */
export class ServerHellos {
  readonly #client: MongoClient;
  readonly #answers = new Map<string, Document>();

  /** Listens to a client that is not connected yet. */
  constructor(client: MongoClient) {
    this.#client = client;
    client.on("serverHeartbeatSucceeded", ({ connectionId, reply }) => void this.#answers.set(connectionId, reply));
  }

  /** Undefined where nobody answered. */
  explain(): QuernError | undefined {
    const { replicaSet } = this.#client.options;
    for (const [where, hello] of this.#answers) {
      const problem = problemOf(where, hello) ?? nameProblem(where, hello, replicaSet || hello.setName) ?? membersProblem(where, hello);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

/** Why a server with this answer to `hello` cannot be used; undefined where it can. */
export function problemOf(where: string, hello: Document): QuernError | undefined {
  if (hello.msg === "isdbgrid") return undefined;
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

function nameProblem(where: string, { setName }: Document, wanted: string): QuernError | undefined {
  if (setName === wanted) return undefined;
  return refused(
    `the replica set of MongoDB at ${where} is called ${setName}, the address says ${wanted}`,
    `Write replicaSet=${setName} in the address.`,
  );
}

/** A driver talks to members by the names that the set has for them. */
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
