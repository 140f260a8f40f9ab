// A built server in a process of its own, which asks other services.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, vi } from "vitest";
import type { CustomOptions } from "../../../plugins/custom/index.ts";
import type { LambdaOptions } from "../../../plugins/lambda/index.ts";
import { residentMiB } from "../../bench/processes.ts";
import { ask, started, temporaryFolder } from "../../cli/quern.ts";

const config = fileURLToPath(new URL("remotes.config.mjs", import.meta.url));

export interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
}

export interface RemotesServer {
  readonly url: string;
  query(document: string): Promise<Answer>;
  /** Its memory now, and at its highest, as the system counts it. */
  readonly memory: () => { readonly nowMiB: number; readonly peakMiB: number };
}

export interface RemotesOptions {
  readonly custom?: CustomOptions;
  readonly lambda?: LambdaOptions;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function remotesServer(schema: string, { custom = {}, lambda = {}, environment = {} }: RemotesOptions = {}): Promise<RemotesServer> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeFileSync(join(folder.path, "schema.graphql"), schema);
  const variables = { ...environment, CUSTOM: JSON.stringify(custom), LAMBDA: JSON.stringify(lambda) };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { child, url, ended } = await started(folder.path, "--config", config, "--schema", "schema.graphql", "--admin-open");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
  return {
    url,
    query: async (document) => (await ask(url, document)) as Answer,
    memory: () => ({ nowMiB: residentMiB(child, "VmRSS") ?? 0, peakMiB: residentMiB(child, "VmHWM") ?? 0 }),
  };
}
