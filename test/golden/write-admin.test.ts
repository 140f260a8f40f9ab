// The recorded administration once more, over the sockets of both transports.

import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { HttpRequest, HttpResponse, Listening } from "../../core/transport.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { recordedStack } from "./recorded-stack.ts";

const path = goldenPath("answers", "write-admin.json");
const transports = Object.entries({ ws: wsTransport, yoga: yogaTransport });

describe.runIf(path !== undefined).each(transports)("the recorded administration on %s", (_name, transport) => {
  const file = path === undefined ? { name: "", setup: [], cases: [] } : readGolden<AnswerFile>(path);
  let stack: TemporaryKernel;
  let server: Listening;
  let played: Play;

  beforeAll(async () => {
    stack = await compatibleKernel({ plugins: recordedStack() });
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    played = new Play({ http: (each) => overSocket(server.url, each) });
    for (const step of file.setup) expect(await played.run(step)).toEqual([]);
  });
  afterAll(async () => {
    await server?.close(1_000);
    await stack?.remove();
  });

  it.each(file.cases.map((step, i) => [i + 1, step.name, step] as const))("%i %s", async (_i, name, step) => {
    const differences = await played.run(step);
    if (step.skip === undefined && !exceptionOf(`write-admin/${name}`)) expect(differences).toEqual([]);
  });
});

function overSocket(url: string, { method, url: target, headers, body }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const present = Object.entries(headers).filter(([, value]) => value !== undefined);
    const sized = { ...Object.fromEntries(present), "content-length": body.byteLength };
    const sent = request(new URL(url), { method, path: target, headers: sized, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: {}, body: Buffer.concat(chunks) }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
