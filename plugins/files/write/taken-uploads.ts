// Objects of a mutation that take uploads: each ticket once, and only what the field may hold.

import { type Change, type ChangesContext, type Create, type Link, QuernError, type Remove, type Uid } from "../../../core/plugin.ts";
import { keyField, uploadType } from "../records/layout.ts";
import { ensureSecret } from "../records/secret.ts";
import { ticketHash, type WaitingUpload, waitingUploads } from "../records/uploads.ts";
import { takesType } from "../schema/media-types.ts";
import { type FileField, type FileSchema, storedOf } from "../schema/read-files.ts";

/** The changes, with what is known of the uploads in the place of their tickets. The uploads are gone in the same commit: a ticket is used once. */
export async function withUploads(context: ChangesContext, schema: FileSchema): Promise<readonly Change[] | undefined> {
  const upload = storedOf(schema.type, "upload");
  const files = context.changes
    .filter((change) => change.kind === "create" || change.kind === "set")
    .filter(({ type }) => type === schema.type.stored);
  if (files.length === 0) return undefined;
  const tickets = new Map(files.map((file) => [file.uid, ticketOf(file.kind === "create" ? file.fields[upload] : undefined)]));
  const found = await waitingUploads(context.transaction, [...tickets.values()], Date.now());
  const used = new Set<string>();
  const removed: Remove[] = [];
  const changes = context.changes.map((change): Change => {
    const ticket = "uid" in change && change.type === schema.type.stored ? tickets.get(change.uid) : undefined;
    if (ticket === undefined || change.kind !== "create") return change;
    const waiting = found.get(ticketHash(ticket));
    const where = () => whereIs(ticket, context.mutation.arguments);
    if (waiting === undefined || used.has(ticket)) throw unknownUpload(where());
    assertFits(waiting, fieldOf(change.uid, context.changes, schema), where);
    used.add(ticket);
    removed.push({ kind: "remove", uid: waiting.uid, type: uploadType });
    return { ...change, fields: fileFields(waiting, schema) };
  });
  await ensureSecret(context.transaction);
  return [...changes, ...removed];
}

/** @throws `VALUE_MISSING` for a file that names no upload */
function ticketOf(given: unknown): string {
  if (typeof given === "string" && given !== "") return given;
  throw new QuernError("VALUE_MISSING", "A file is what somebody has uploaded: give its ticket as upload.", {
    hint: "POST the bytes to /files, and send the ticket that it answers. To replace a file, give its object a new one.",
  });
}

function unknownUpload(where: Where): QuernError {
  return new QuernError("NOT_FOUND", "There is no such upload: its ticket was used before, has expired, or was never given.", {
    ...where,
    hint: "Send the bytes to /files again, and use the new ticket.",
  });
}

function fieldOf(uid: Uid, changes: readonly Change[], { fields }: FileSchema): FileField | undefined {
  const isTo = (change: Change): change is Link => change.kind === "link" && change.to === uid;
  const link = changes.find(isTo);
  return fields.find(({ field }) => field.stored === link?.end && field.owner.stored === link.fromType);
}

/** The field of the arguments that would get a file: `["input", 0, "image"]`. Absent: they do not name it, as in another language than GraphQL. */
type Where = Pick<QuernError, "input">;
type InputPath = NonNullable<Where["input"]>;

function whereIs(ticket: string, args: unknown): Where {
  const input = placeOf(ticket, args, []);
  return input === undefined ? {} : { input };
}

function placeOf(ticket: string, value: unknown, path: InputPath): InputPath | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("upload" in value && value.upload === ticket) return path;
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [step, member] of members) {
    const found = placeOf(ticket, member, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @throws `VALUE_INVALID` or `OUT_OF_RANGE` */
function assertFits({ type, bytes }: WaitingUpload, at: FileField | undefined, where: () => Where): void {
  if (at === undefined) return;
  const { field, maxBytes, types } = at;
  const place = `Type ${field.owner.name}; Field ${field.name}`;
  if (maxBytes !== undefined && bytes > maxBytes) {
    const rule = { name: "file", maxBytes };
    throw new QuernError("OUT_OF_RANGE", `${place}: the file has ${bytes} bytes, and may have ${maxBytes}.`, { rule, ...where() });
  }
  if (types === undefined || takesType(types, type)) return;
  throw new QuernError("VALUE_INVALID", `${place}: the file is ${type}, and may be ${types.join(", ")}.`, {
    rule: { name: "file", types },
    ...where(),
  });
}

function fileFields({ key, name, type, bytes, width, height, sha256 }: WaitingUpload, { type: file }: FileSchema): Create["fields"] {
  const known = { name, type, bytes: BigInt(bytes), width, height, sha256 };
  const values = Object.entries(known).flatMap(([field, value]) => (value === undefined ? [] : [[storedOf(file, field), value] as const]));
  return Object.fromEntries([...values, [keyField(file), key]]);
}
