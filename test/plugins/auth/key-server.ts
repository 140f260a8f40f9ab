// A real server of key sets, whose answers a test may change.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { onTestFinished } from "vitest";

export type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export class KeyServer {
  keys: unknown[] = [];
  status = 200;
  headers: Record<string, string> = {};
  /** The whole body, instead of the keys. */
  body: string | undefined;
  isDown = false;
  fetched = 0;
  url = "";
  /** Answers wait for it. */
  held: Promise<void> = Promise.resolve();
  readonly #server = createServer(async (_, response) => {
    this.fetched++;
    if (this.isDown) return void response.destroy();
    await this.held;
    response.writeHead(this.status, { "content-type": "application/json", ...this.headers });
    response.end(this.body ?? JSON.stringify({ keys: this.keys }));
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys.json`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** For as long as the test runs that asks for it. */
export async function keyServer(...keys: unknown[]): Promise<KeyServer> {
  const server = new KeyServer();
  server.keys = keys;
  onTestFinished(() => server.stop());
  await server.start();
  return server;
}

export const keyPair = (alg = "ES256"): Promise<KeyPair> => generateKeyPair(alg, { extractable: true });

export async function jwk({ publicKey }: KeyPair, kid: string): Promise<Record<string, unknown>> {
  return { ...(await exportJWK(publicKey)), kid };
}

/** Of a pilot, for the API of the harbour. */
export function pilotToken({ privateKey }: Pick<KeyPair, "privateKey">, kid: string | undefined, alg = "ES256"): Promise<string> {
  return new SignJWT({ ROLE: "PILOT" })
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .setAudience("harbour")
    .sign(privateKey);
}
