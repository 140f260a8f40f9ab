// Bodies that pass through: of requests as they arrive, of answers as they are taken.

import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { HttpRequest, HttpResponse, KernelEndpoint } from "../../../core/transport.ts";
import { ask, type Check, maxBodyBytes, watched } from "./kit.ts";
import { until } from "./socket-checks.ts";

export const passingChecks: readonly Check[] = [
  {
    id: "body.as-it-arrives",
    level: "SHOULD",
    title: "a body that the endpoint wants as it arrives comes in pieces, whatever its length, before it has ended",
    why: "Uploads would need as much memory as they have bytes, or be refused.",
    run: async (bench) => {
      let seen = 0;
      const counting = async ({ incoming }: HttpRequest): Promise<HttpResponse> => {
        for await (const { byteLength } of incoming ?? []) seen += byteLength;
        return textAnswer(`took ${seen}`);
      };
      const { url } = await bench.listen(answering(bench.kernel, counting));
      const sent = request(new URL("/graphql", url), { method: "POST", agent: false });
      const responded = once(sent, "response");
      sent.write(Buffer.alloc(maxBodyBytes));
      await until(() => seen === maxBodyBytes);
      sent.end(Buffer.alloc(maxBodyBytes));
      const [response] = await responded;
      strictEqual(await textOf(response), `took ${2 * maxBodyBytes}`);
    },
  },
  {
    id: "body.left",
    level: "SHOULD",
    title: "who sends a body that the endpoint does not read to its end gets the answer",
    why: "A client whose upload is refused would see a broken connection, and send all of it again.",
    run: async (bench) => {
      const first = async ({ incoming }: HttpRequest): Promise<HttpResponse> => {
        for await (const { byteLength } of incoming ?? []) if (byteLength > 0) return textAnswer("enough");
        return textAnswer("nothing");
      };
      const { url } = await bench.listen(answering(bench.kernel, first));
      const reply = await ask(url, { body: Buffer.alloc(1024 * 1024) });
      strictEqual(String(reply.body), "enough");
    },
  },
  {
    id: "answer.source",
    level: "MUST",
    title: "an answer that is read as it is taken comes whole, with its own length, and without its bytes for HEAD",
    why: "Files would be empty.",
    run: async (bench) => {
      let reads = 0;
      async function* pieces() {
        reads += 1;
        for (let i = 0; i < 20; i++) yield Buffer.alloc(maxBodyBytes, i);
      }
      const length = 20 * maxBodyBytes;
      const answer = () => ({ status: 200, headers: { "content-type": "image/png", "content-length": String(length) }, body: "", source: pieces() });
      const { url } = await bench.listen(answering(bench.kernel, answer));
      const reply = await ask(url, { method: "GET", headers: { "accept-encoding": "gzip" } });
      deepStrictEqual([reply.status, reply.headers["content-length"], reply.body.length], [200, String(length), length]);
      ok(reply.body.subarray(-maxBodyBytes).every((each) => each === 19));
      strictEqual(reads, 1);
      const head = await ask(url, { method: "HEAD" });
      deepStrictEqual([head.headers["content-length"], head.body.length], [String(length), 0]);
      strictEqual(reads, 1);
    },
  },
  {
    id: "answer.source-gone",
    level: "MUST",
    title: "an answer that is read as it is taken waits for its client, and is let go when the client goes",
    why: "Slow clients would fill the memory, and files would stay open for good.",
    run: async (bench) => {
      let [given, isLeft] = [0, false];
      async function* endless() {
        try {
          for (;;) {
            given += 1;
            yield Buffer.alloc(maxBodyBytes);
          }
        } finally {
          isLeft = true;
        }
      }
      const { url } = await bench.listen(answering(bench.kernel, () => ({ status: 200, headers: {}, body: "", source: endless() })));
      const sent = request(new URL("/graphql", url), { agent: false }).end();
      const [response]: readonly IncomingMessage[] = await once(sent, "response");
      response?.pause();
      let [before, stillFor] = [-1, 0];
      // Both ends of a connection hold a few megabytes.
      await until(() => {
        stillFor = before === given ? stillFor + 1 : 0;
        before = given;
        return given > 0 && (stillFor > 20 || given >= 1_000);
      });
      ok(given < 1_000, `${given} pieces were read for a client that takes none`);
      sent.destroy();
      await until(() => isLeft);
    },
  },
];

function answering(endpoint: KernelEndpoint, http: (request: HttpRequest) => Promise<HttpResponse> | HttpResponse): KernelEndpoint {
  return { ...watched(endpoint, () => undefined), http, streams: () => true };
}

function textAnswer(body: string): HttpResponse {
  return { status: 200, headers: { "content-type": "text/plain" }, body };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return String(Buffer.concat(pieces));
}
