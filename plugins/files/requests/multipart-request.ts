// The GraphQL multipart request specification: one form with the operation and its files, as Apollo's and other clients send it.

import {
  type GraphQLBody,
  isObject,
  type KernelAccess,
  parseJson,
  QuernError,
  type ReadGraphQLBody,
  type RouteRequest,
  writeJson,
} from "../../../core/plugin.ts";
import { type FormFile, type FormReader, readForm } from "../form/read-form.ts";
import { mediaTypeOf } from "../schema/media-types.ts";
import { callerOf } from "../upload/caller-of.ts";
import { fileName } from "../upload/file-name.ts";
import type { Receiver } from "../upload/receive.ts";

/** Files of one request. */
const maxFiles = 100;

export function multipartRequests(kernel: KernelAccess, receiver: Receiver): GraphQLBody {
  return { mediaType: "multipart/form-data", isUsed: () => receiver.takesFiles, read: (request) => readRequest(request, kernel, receiver) };
}

async function readRequest(request: RouteRequest, kernel: KernelAccess, receiver: Receiver): Promise<ReadGraphQLBody> {
  const { headers, incoming } = request;
  const caller = await callerOf(kernel, request);
  const parts = new RequestParts();
  const tickets: string[] = [];
  // The client never learns the tickets: what its request has not taken, nothing takes.
  const answered = () => void receiver.discard(tickets);
  const file = async ({ field, bytes, name, type }: FormFile): Promise<void> => {
    const place = parts.placeOf(field);
    const { ticket } = await receiver.receive({ bytes, type: mediaTypeOf(type), name: fileName(name), caller });
    tickets.push(ticket);
    place(ticket);
  };
  const bounds = { maxFieldBytes: kernel.limits.maxBodyBytes, maxFields: 2, maxFiles };
  const reader: FormReader = { field: (name, value) => parts.field(name, value), file };
  try {
    await readForm({ type: headers["content-type"] ?? "", incoming }, reader, bounds);
    return { body: Buffer.from(writeJson(parts.operations())), answered };
  } catch (thrown) {
    answered();
    throw thrown;
  }
}

/** The fields that come before the files, and the tickets in the place of these. */
class RequestParts {
  #operations: Record<string, unknown> | undefined;
  #map: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #missing = new Set<string>();

  field(name: string, value: string): void {
    if (name === "operations") this.#operations = objectIn(value, "operations");
    else if (name === "map" && this.#operations !== undefined) this.#readMap(value);
    else throw invalid(`it has a field ${JSON.stringify(name)} where ${this.#operations === undefined ? "operations" : "map"} comes`);
  }

  /** What puts a ticket everywhere where the operation has the file of this field. */
  placeOf(field: string): (ticket: string) => void {
    const operations = this.#operations;
    const paths = this.#map?.get(field);
    if (operations === undefined || this.#map === undefined) throw invalid("operations and map come before the files");
    if (paths === undefined) throw invalid(`map says nothing of the file ${JSON.stringify(field)}`);
    this.#missing.delete(field);
    return (ticket) => {
      for (const path of paths) put(operations, path, ticket);
    };
  }

  /** @throws `REQUEST_INVALID` when something of the form is missing */
  operations(): Readonly<Record<string, unknown>> {
    const [missing] = this.#missing;
    if (this.#operations === undefined) throw invalid("it has no field operations");
    if (missing !== undefined) throw invalid(`map names the file ${JSON.stringify(missing)}, which is not there`);
    return this.#operations;
  }

  #readMap(value: string): void {
    const map = new Map<string, readonly string[]>();
    for (const [field, paths] of Object.entries(objectIn(value, "map"))) {
      if (!Array.isArray(paths) || paths.length === 0 || !paths.every((each): each is string => typeof each === "string"))
        throw invalid(`map must give a list of paths for ${JSON.stringify(field)}`);
      // One ticket is taken once: a file in two places is two uploads.
      if (paths.length > 1)
        throw invalid(`map has several places for the file ${JSON.stringify(field)}; a file belongs to one object: send it for each`);
      map.set(field, paths);
      this.#missing.add(field);
    }
    this.#map = map;
  }
}

function put(operations: Record<string, unknown>, path: string, ticket: string): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at: unknown = operations;
  for (const name of names) at = own(at, name);
  if (names[0] !== "variables" || !isContainer(at) || own(at, last) !== null)
    throw invalid(`${JSON.stringify(path)} of map is no variable that is null`);
  at[last] = ticket;
}

/** Undefined: it has no such member of its own. */
function own(value: unknown, name: string): unknown {
  return isContainer(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function objectIn(text: string, name: string): Record<string, unknown> {
  const value = parsed(text, name);
  if (isObject(value)) return { ...value };
  throw invalid(`${name} is no object${Array.isArray(value) ? "; send one operation at a time" : ""}`);
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw invalid(`${name} is not JSON`);
  }
}

function invalid(what: string): QuernError {
  return new QuernError("REQUEST_INVALID", `Not a valid multipart request: ${what}.`, {
    hint: "See https://github.com/jaydenseric/graphql-multipart-request-spec",
  });
}
