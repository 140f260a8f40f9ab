// quern start: serves until it is told to stop.

import { serve } from "../../../core/index.ts";
import { about } from "../failure.ts";
import { showSteps } from "../progress.ts";
import { readSchema } from "../read-file.ts";
import { configuredServer, type ServerOptions, signalled, stop } from "../server-process.ts";

export interface StartOptions extends ServerOptions {
  /** A file. */
  readonly schema?: string;
}

export async function start(options: StartOptions): Promise<void> {
  const told = signalled();
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  const steps = showSteps();
  const config = { ...(await configuredServer(options)), ...(schema === undefined ? {} : { schema: schema.text }) };
  const server = await about(schema, () => serve(config, steps)).finally(steps.stop);
  for (const url of server.urls) console.log(`${url}/graphql`);
  if (server.kernel.deployment === undefined) {
    console.error(`No schema is deployed yet. Deploy one with: quern deploy schema.graphql --url ${server.urls[0]}`);
  }
  await Promise.race([told, server.closed]);
  await stop(server);
}
