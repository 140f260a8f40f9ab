// A transport with GraphQL Yoga in front of the kernel.

import type { Plugin } from "graphql-yoga";
import type { Transport } from "../../core/transport.ts";
import { type HttpServerOptions, listenHttp } from "../node-http/index.ts";
import { YogaEndpoint } from "./yoga-endpoint.ts";

/** How the server listens, and Yoga's plugins. */
export interface YogaOptions extends HttpServerOptions {
  /**
   * Plugins of Yoga. Their hooks around HTTP run here, in this order: `onRequest` before the kernel sees a request, `onResponse` after it
   * has answered. Hooks around an operation (`onParse`, `onValidate`, `onExecute`) run where operations run: list such plugins under `envelop`
   * of the configuration. Default: none.
   */
  readonly plugins?: readonly Plugin[];
}

/** The server of the `ws` transport, with Yoga's plugins around each request. */
export function yogaTransport({ plugins = [], ...server }: YogaOptions = {}): Transport {
  return {
    name: "yoga",
    async listen(endpoint, where) {
      const through = new YogaEndpoint(endpoint, plugins);
      const listening = await listenHttp(through, where, server);
      return {
        url: listening.url,
        async close(graceMs) {
          await listening.close(graceMs);
          await through.dispose();
        },
      };
    },
  };
}
