// quern dev: serves a schema file and deploys it again each time it is saved. A changed configuration replaces the server.

import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Unreachable } from "../../../core/index.ts";
import { type Kernel, QuernError } from "../../../core/index.ts";
import { apiChanges, renamedThings } from "../../../core/server.ts";
import type { QuernConfig } from "../../server/index.ts";
import { apiSummary, ownApiLines, renamedText, unreachableLines } from "../ground/changes-text.ts";
import { clientAddress } from "../ground/client-address.ts";
import { explainFailure, type SchemaText, withSource } from "../ground/failure.ts";
import { showSteps } from "../ground/progress.ts";
import { codeOf, readSchema } from "../ground/read-file.ts";
import { readModulesAnew } from "../stack/fresh-modules.ts";
import { importedFiles } from "../stack/imported-files.ts";
import { configFile, configNames } from "../stack/load-config.ts";
import { ReloadableServer } from "../stack/reloadable-server.ts";
import { configuredServer, type ServerOptions, stop, stopSignal } from "../stack/server-process.ts";
import { FileWatcher, fileState, isSame } from "../stack/watch-files.ts";

const defaultFile = "schema.graphql";

export async function dev(file: string = defaultFile, options: ServerOptions): Promise<void> {
  const stopRequested = stopSignal();
  const schema = await firstSchema(file);
  const server = await ReloadableServer.start({
    replaceLayout: options.takeOver ?? false,
    load: async () => {
      readModulesAnew();
      return forDevelopment(await configuredServer(options));
    },
    schemaName: file,
    report: (text) => console.error(`${time()} ${text}`),
    replaced: async () => {
      await watch();
      await deploys.again(file);
    },
  });
  const deploys = new DeployQueue(() => server.kernel);
  await deploys.next(schema);
  const watcher = new FileWatcher((path) => {
    if (path === file) void deploys.read(file);
    else void server.reload();
  });
  const watched = async () => [...new Set([...(await configFiles(options)), ...(await filesOf(server))])];
  const watch = async () => await watcher.watch([file, ...(await watched())]);
  await watch();
  greet(server, file, await watched());
  // The file may have been saved while the server started.
  await deploys.read(file);
  await Promise.race([stopRequested, server.closed]);
  watcher.stop();
  await stop(server);
}

/** The configuration and what it imports. Without one, the files that would be one: such a file may come. */
async function configFiles({ config }: ServerOptions): Promise<readonly string[]> {
  const found = configFile(config, process.cwd());
  return found === undefined ? configNames : await importedFiles(found);
}

/** What plugins read, and what that imports. */
async function filesOf({ files }: Pick<ReloadableServer, "files">): Promise<readonly string[]> {
  const all = await Promise.all(files.map((each) => importedFiles(relative("", each))));
  return all.flat();
}

async function firstSchema(file: string): Promise<SchemaText> {
  try {
    return await readSchema(file);
  } catch (error) {
    if (!(error instanceof QuernError) || codeOf(error.cause) !== "ENOENT") throw error;
    throw new QuernError("CONFIG_INVALID", error.message, { cause: error.cause, hint: "Create one with: quern init" });
  }
}

/**
 * The schema file replaces the configured schema. Errors carry hints, this machine administrates without a token, and the command prints
 * what the log would say about deploys.
 */
function forDevelopment({ schema: _, ...config }: QuernConfig): QuernConfig {
  return { ...config, debug: config.debug ?? true, admin: { open: "loopback", ...config.admin }, log: { level: "error", ...config.log } };
}

/** Paths of this number are named; more are counted. */
const maxNamed = 3;

function greet({ urls }: Pick<ReloadableServer, "urls">, file: string, configs: readonly string[]): void {
  for (const url of urls) console.log(clientAddress(url));
  const present = configs.filter((path) => existsSync(path));
  const others = present.length <= maxNamed ? present : [...present.slice(0, 1), `${present.length - 1} files that it imports`];
  const watched = [file, ...others];
  const named = watched.length === 1 ? file : `${watched.slice(0, -1).join(", ")} and ${watched.at(-1)}`;
  if (present.length > 0)
    console.log(
      "Not watched: installed packages, files that the configuration reads by itself, environment variables. Restart quern dev to use their changes.",
    );
  console.log(`Console: ${urls[0]}/console\nOpen the first in a browser for GraphiQL. Watching ${named}; press Ctrl-C to stop.`);
}

/** Deploys one text at a time; of the texts that arrive meanwhile, only the last. */
class DeployQueue {
  readonly #kernel: () => Kernel;
  #attempted: string | undefined;
  #waiting: SchemaText | undefined;
  #running: Promise<void> | undefined;

  constructor(kernel: () => Kernel) {
    this.#kernel = kernel;
  }

  async read(file: string): Promise<void> {
    try {
      await this.next(await readWhole(file));
    } catch (error) {
      console.error(explainFailure(error));
    }
  }

  /** Deploys the file to another server, which may read it differently. */
  async again(file: string): Promise<void> {
    await this.#running;
    if (this.#kernel().deployment?.document === this.#attempted) return;
    this.#attempted = undefined;
    await this.read(file);
  }

  async next(schema: SchemaText): Promise<void> {
    this.#waiting = schema;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let schema = this.#waiting; schema !== undefined; schema = this.#waiting) {
      this.#waiting = undefined;
      if (schema.text !== this.#attempted) await deployAndReport(this.#kernel(), schema);
      this.#attempted = schema.text;
    }
  }
}

/** Reads again if the file changed during the read, so that a partly written schema is not deployed. */
async function readWhole(file: string): Promise<SchemaText> {
  const before = await fileState(file);
  const schema = await readSchema(file);
  return isSame(before, await fileState(file)) ? schema : await readWhole(file);
}

/** Deploys and prints the outcome. A refused schema leaves the API unchanged. */
async function deployAndReport(kernel: Kernel, schema: SchemaText): Promise<void> {
  const before = kernel.deployment;
  const unreachable: Unreachable[] = [];
  const warnings: string[] = [];
  const options = { onUnreachable: (each: Unreachable) => void unreachable.push(each), onWarning: (message: string) => void warnings.push(message) };
  const steps = showSteps();
  const begin = performance.now();
  try {
    await withSource(schema, () => kernel.deploy(schema.text, { ...steps, ...options })).finally(steps.stop);
  } catch (error) {
    console.error(`\n${explainFailure(error)}\n\n${time()} ${schema.name} is refused; ${before ? "the API is unchanged" : "there is no API yet"}.`);
    return;
  }
  const took = `${Math.round(performance.now() - begin)} ms`;
  const after = kernel.deployment;
  if (before === undefined || after === undefined || before === after) {
    console.log(`${time()} ${schema.name} is deployed (${took})${before === undefined ? "" : "; nothing changed"}.`);
    return;
  }
  const changes = apiChanges(before.api.schema, after.api.schema);
  console.log(`${time()} ${schema.name} is deployed (${took}). ${apiSummary(changes)}${changes.length > 0 ? ":" : "."}`);
  for (const line of ownApiLines(changes, [before.document, after.document])) console.log(`  ${line}`);
  for (const each of renamedThings(before, after)) console.log(`  ${renamedText(each)}`);
  for (const line of [...unreachableLines(unreachable), ...warnings]) console.error(line);
}

function time(): string {
  return new Date().toLocaleTimeString("en-GB");
}
