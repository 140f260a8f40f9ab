// `POST /files`: the bytes of one file, as they are.

import { type HttpResponse, type KernelAccess, type PluginRoute, QuernError, type RouteRequest } from "../../../core/plugin.ts";
import { jsonAnswer, refusal } from "../ground/answers.ts";
import { mediaTypeOf } from "../schema/media-types.ts";
import { fileName } from "./file-name.ts";
import type { Received, Receiver } from "./receive.ts";

export function uploadRoute(kernel: KernelAccess, receiver: Receiver): PluginRoute {
  return {
    path: "/files",
    methods: ["POST"],
    access: "everybody",
    body: "stream",
    answer: async (request) => {
      try {
        return ticketAnswer(await receiveRaw(request, await callerOf(kernel, request), receiver));
      } catch (thrown) {
        return refusal(thrown);
      }
    },
  };
}

/** Who is refused by the API uploads nothing either. */
async function callerOf(kernel: KernelAccess, { headers, caller = "" }: Pick<RouteRequest, "headers" | "caller">): Promise<string> {
  const { name } = await kernel.identify(headers);
  return name === undefined ? caller : `user ${name}`;
}

async function receiveRaw({ url, headers, incoming }: RouteRequest, caller: string, receiver: Receiver): Promise<Received> {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new QuernError("VALUE_INVALID", `The body is packed by ${encoding}. Send the bytes of the file as they are.`);
  const name = fileName(new URL(url, "http://localhost").searchParams.get("name"));
  return await receiver.receive({ bytes: incoming, type: mediaTypeOf(headers["content-type"]), name, caller });
}

function ticketAnswer({ ticket, ends, name, type, bytes, width, height, sha256 }: Received): HttpResponse {
  const facts = { name, type, bytes, width, height, sha256 };
  return jsonAnswer({ upload: ticket, expires: new Date(ends).toISOString(), ...facts }, 201);
}
