// quern start: serves until it is told to stop.

import { type QuernConfig, type Server, serve } from "../../../core/index.ts";
import { about, type SchemaText } from "../failure.ts";
import { namedTransport, type TransportName } from "../named-transport.ts";
import { showSteps } from "../progress.ts";
import { readSchema } from "../read-file.ts";
import { chosenStack, type StackChoice } from "../stack.ts";

export interface StartOptions extends StackChoice {
  readonly host?: string;
  readonly port?: number;
  /** A file. */
  readonly schema?: string;
  /** Takes the place of the configured transports. */
  readonly transport?: TransportName;
}

export async function start(options: StartOptions): Promise<void> {
  const told = signalled();
  const schema = options.schema === undefined ? undefined : await readSchema(options.schema);
  const steps = showSteps();
  const config = await configured(options, schema);
  const server = await about(schema, () => serve(config, steps)).finally(steps.stop);
  for (const url of server.urls) console.log(`${url}/graphql`);
  if (server.kernel.deployment === undefined) {
    console.error(`No schema is deployed yet. Deploy one with: quern deploy schema.graphql --url ${server.urls[0]}`);
  }
  await Promise.race([told, server.closed]);
  await stop(server);
}

async function configured(options: StartOptions, schema: SchemaText | undefined): Promise<QuernConfig> {
  const { host, port, transport } = options;
  return {
    ...(await chosenStack(options)),
    ...(transport === undefined ? {} : { transports: [await namedTransport(transport)] }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(schema === undefined ? {} : { schema: schema.text }),
  };
}

/** Resolves at the first Ctrl-C or SIGTERM, also one that comes while the server still starts. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
}

/** A second Ctrl-C while requests finish ends the process at once: its handler is gone by then. */
async function stop(server: Server): Promise<void> {
  console.error("Finishing running requests; press Ctrl-C again to end at once.");
  await server.close();
}
