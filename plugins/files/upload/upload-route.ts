// `POST /files`: the bytes of one file, as they are or in a form. `POST /files/admin`: the same for administrators, whom no hook of the API knows.

import { type HttpResponse, type KernelAccess, type MaybePromise, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { type FormFile, readForm } from "../form/read-form.ts";
import { jsonAnswer, refusal } from "../ground/answers.ts";
import { mediaTypeOf } from "../schema/media-types.ts";
import { callerOf } from "./caller-of.ts";
import { fileName } from "./file-name.ts";
import type { Received, Receiver } from "./receive.ts";

export function uploadRoutes(kernel: KernelAccess, receiver: Receiver): readonly PluginRoute[] {
  return [
    { ...uploadRoute(receiver, (request) => callerOf(kernel, request)), path: "/files", access: "everybody" },
    { ...uploadRoute(receiver, () => "administrators"), path: "/files/admin", access: "administrators" },
  ];
}

function uploadRoute(receiver: Receiver, callerIn: (request: RouteRequest) => MaybePromise<string>): Omit<PluginRoute, "path" | "access"> {
  return {
    methods: ["POST"],
    body: "stream",
    answer: async (request) => {
      try {
        const caller = await callerIn(request);
        const isForm = mediaTypeOf(request.headers["content-type"]) === "multipart/form-data";
        return ticketAnswer(await (isForm ? receiveForm(request, caller, receiver) : receiveRaw(request, caller, receiver)));
      } catch (thrown) {
        return refusal(thrown);
      }
    },
  };
}

async function receiveRaw({ url, headers, incoming }: RouteRequest, caller: string, receiver: Receiver): Promise<Received> {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new QuernError("VALUE_INVALID", `The body is packed by ${encoding}. Send the bytes of the file as they are.`);
  const name = fileName(new URL(url, "http://localhost").searchParams.get("name"));
  return await receiver.receive({ bytes: incoming, type: mediaTypeOf(headers["content-type"]), name, caller });
}

/** The only file of a form, as `<input type="file">` sends it. */
async function receiveForm({ headers, incoming }: RouteRequest, caller: string, receiver: Receiver): Promise<Received> {
  const received: Received[] = [];
  const file = async ({ bytes, name, type }: FormFile): Promise<void> => {
    received.push(await receiver.receive({ bytes, type: mediaTypeOf(type), name: fileName(name), caller }));
  };
  const bounds = { maxFieldBytes: 1024, maxFields: 16, maxFiles: 1 };
  await readForm({ type: headers["content-type"] ?? "", incoming }, { field: () => undefined, file }, bounds).catch(async (thrown: unknown) => {
    await receiver.discard(received.map(({ ticket }) => ticket));
    throw thrown;
  });
  const [only] = received;
  if (only === undefined) throw new QuernError("REQUEST_INVALID", "The form has no file.");
  return only;
}

function ticketAnswer({ ticket, ends, name, type, bytes, width, height, sha256 }: Received): HttpResponse {
  const facts = { name, type, bytes, width, height, sha256 };
  return jsonAnswer({ upload: ticket, expires: new Date(ends).toISOString(), ...facts }, 201);
}
