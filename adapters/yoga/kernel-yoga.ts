// A Yoga server whose requests the kernel answers before Yoga's own checks. Yoga's plugins see each request and each answer.

import { createYoga, type Plugin } from "graphql-yoga";
import type { HttpResponse, MaybePromise } from "../../core/transport.ts";
import { readableBody, readablePieces, readableSource } from "../fetch/index.ts";

export interface KernelYogaOptions<Context> {
  /** `context` is Yoga's server context: `req` and `res` on Node, what the environment hands over elsewhere. */
  readonly answer: (request: Request, context: Context) => MaybePromise<HttpResponse>;
  readonly plugins: readonly Plugin[];
  /** Called with each response and the kernel's answer it was made from. */
  readonly made?: (response: Response, from: HttpResponse) => void;
}

/** Matches no URL, which disables Yoga's health check: the kernel has its own `/health`. */
const noPath = "\n";

export function kernelYoga<Context extends Record<string, unknown>>({ answer, plugins, made }: KernelYogaOptions<Context>) {
  const kernel: Plugin<object, Context> = {
    async onRequest({ request, serverContext, fetchAPI, endResponse }) {
      const from = await answer(request, serverContext);
      const response = new fetchAPI.Response(bodyOf(from), { status: from.status, headers: headerLines(from) });
      made?.(response, from);
      endResponse(response);
    },
  };
  return createYoga<Context>({
    plugins: [...plugins, kernel],
    healthCheckEndpoint: noPath,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: "error",
  });
}

/** Each line by itself: of a header with several, such as `Set-Cookie`, none may be joined to another. */
function headerLines({ headers }: HttpResponse): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]));
}

/** Copies bytes, because the Fetch types require an unshared `ArrayBuffer`. */
function bodyOf(response: HttpResponse): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const { pieces, source, stream } = response;
  if (source !== undefined) return readableSource(source);
  if (stream !== undefined) return readableBody(stream);
  if (pieces !== undefined) return readablePieces(pieces);
  const { body } = response;
  return typeof body === "string" ? body : Uint8Array.from(body);
}
