// Recorded cases with remote services, played through each transport: on a store and a service of its own, all at the same time.

import { type IncomingMessage, request } from "node:http";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { DirectivePlugin, HttpRequest, HttpResponse } from "../../core/plugin.ts";
import type { Listening } from "../../core/transport.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import type { Answering } from "./answers.ts";
import { type RemoteFile, RemotePlay } from "./remote-play.ts";
import { RemoteService } from "./remote-service.ts";

const transports = { ws: wsTransport, yoga: yogaTransport };

interface Played {
  readonly transport: string;
  readonly service: RemoteService;
  readonly stack: TemporaryKernel;
  readonly listening: Listening;
  readonly play: RemotePlay;
}

export class RemoteStacks {
  readonly #played: readonly Played[];

  private constructor(played: readonly Played[]) {
    this.#played = played;
  }

  static async open(file: RemoteFile, pluginsFor: (service: RemoteService) => readonly DirectivePlugin[]): Promise<RemoteStacks> {
    const opened = Object.entries(transports).map(async ([transport, make]): Promise<Played> => {
      const service = await RemoteService.listen();
      const stack = await compatibleKernel({ plugins: pluginsFor(service) });
      const listening = await make().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
      return { transport, service, stack, listening, play: new RemotePlay(file, service, overHttp(listening.url)) };
    });
    return new RemoteStacks(await Promise.all(opened));
  }

  setUp(): Promise<readonly string[]> {
    return this.#each((play) => play.setUp());
  }

  /** @param schema as it was recorded */
  deploy(schema: string): Promise<readonly string[]> {
    return this.#each((play) => play.deploy(schema));
  }

  /** @param index of the case in the file */
  run(index: number): Promise<readonly string[]> {
    return this.#each((play) => play.run(index));
  }

  /** What went wrong, with the name of the transport. */
  async #each(work: (play: RemotePlay) => Promise<readonly string[]>): Promise<readonly string[]> {
    const found = this.#played.map(async ({ transport, play }) => (await work(play)).map((each) => `${transport}: ${each}`));
    return (await Promise.all(found)).flat();
  }

  async close(): Promise<void> {
    for (const { listening, stack, service } of this.#played) {
      await listening.close(0);
      await stack.remove();
      await service.close();
    }
  }
}

/** Sends the requests of a play to a listening transport. */
function overHttp(url: string): Answering {
  return {
    http: ({ method, url: path, headers, body }: HttpRequest) =>
      new Promise<HttpResponse>((resolve, reject) => {
        const length = { "content-length": String(body?.byteLength ?? 0) };
        const sent = request(url, { method, path, headers: { ...headers, ...length }, agent: false }, (response) => resolve(responseOf(response)));
        sent.on("error", reject);
        sent.end(body);
      }),
  };
}

async function responseOf(response: IncomingMessage): Promise<HttpResponse> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(Buffer.from(part));
  return { status: response.statusCode ?? 0, headers: {}, body: Buffer.concat(parts) };
}
