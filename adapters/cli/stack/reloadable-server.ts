// The server of quern dev: it is replaced when the configuration changes, and stays as it is while the new configuration has an error.

import { type Kernel, prepareDeployment } from "../../../core/index.ts";
import { type QuernConfig, type ServeOptions, type Server, serve } from "../../server/index.ts";
import { explainFailure, withSource } from "../ground/failure.ts";

export interface Reloading extends Pick<ServeOptions, "replaceLayout"> {
  /** Reads the configuration as it is now. */
  readonly load: () => Promise<QuernConfig>;
  /** The file of the deployed schema, for messages. */
  readonly schemaName: string;
  /** Prints a line about a reload. */
  readonly report: (line: string) => void;
  /** Called after each replacement. */
  readonly replaced: () => Promise<void>;
}

/** Running requests get this long before the old server closes. */
const graceMs = 1_000;

export class ReloadableServer {
  readonly #reloading: Reloading;
  #config: QuernConfig;
  #server: Server;
  #running: Promise<void> | undefined;
  #isDue = false;
  #isReplacing = false;
  #end: () => void = () => {};
  /** Resolves when the server has been closed by an administrator, or could not be started again. */
  readonly closed = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  private constructor(reloading: Reloading, config: QuernConfig, server: Server) {
    this.#reloading = reloading;
    this.#config = config;
    this.#server = server;
    this.#follow(server);
  }

  static async start(reloading: Reloading): Promise<ReloadableServer> {
    const config = await reloading.load();
    return new ReloadableServer(reloading, config, await serve(config, reloading));
  }

  get kernel(): Kernel {
    return this.#server.kernel;
  }

  get urls(): readonly string[] {
    return this.#server.urls;
  }

  /** What the plugins read while they serve. */
  get files(): readonly string[] {
    return (this.#config.plugins ?? []).flatMap(({ watchedFiles = [] }) => watchedFiles);
  }

  /** Loads the configuration again. One reload at a time; of the changes that come meanwhile, one more follows. */
  async reload(): Promise<void> {
    this.#isDue = true;
    this.#running ??= this.#reloadAll().finally(() => (this.#running = undefined));
    await this.#running;
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#server.close();
  }

  async #reloadAll(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      await this.#reloadOnce();
    }
  }

  async #reloadOnce(): Promise<void> {
    const { load, report, replaced } = this.#reloading;
    const begun = performance.now();
    let config: QuernConfig;
    try {
      config = await load();
      await this.#assertDeployable(config);
    } catch (error) {
      report(`${explainFailure(error)}\nThe new configuration is not used; the server runs with the former one.`);
      return;
    }
    if (await this.#replace(config)) report(`The new configuration is used (${Math.round(performance.now() - begun)} ms).`);
    await replaced();
  }

  /** The deployed schema must be valid with the new plugins, and what they read be usable, before the old server goes. */
  async #assertDeployable({ plugins = [], errors }: QuernConfig): Promise<void> {
    const text = this.kernel.deployment?.document;
    if (text === undefined) return;
    const { hooks } = await withSource({ name: this.#reloading.schemaName, text }, async () => prepareDeployment(text, plugins, undefined, errors));
    const reading = new Set(plugins.filter(({ watchedFiles = [] }) => watchedFiles.length > 0).map(({ name }) => name));
    for (const { plugin, hooks: own } of hooks) {
      if (!reading.has(plugin)) continue;
      try {
        await own.open?.("validate");
      } finally {
        await own.close?.();
      }
    }
  }

  /** The store and the port are free only when the old server has closed. */
  async #replace(config: QuernConfig): Promise<boolean> {
    const { report } = this.#reloading;
    const [url = ""] = this.urls;
    const port = Number(new URL(url).port);
    this.#isReplacing = true;
    try {
      await this.#server.close(graceMs);
      try {
        const isPortKept = config.port === this.#config.port;
        this.#serve(config, await serve(isPortKept ? { ...config, port } : config, this.#reloading));
        return true;
      } catch (error) {
        this.#serve(this.#config, await serve({ ...this.#config, port }, this.#reloading));
        report(`${explainFailure(error)}\nThe new configuration is not used; the former one runs again.`);
        return false;
      }
    } catch (error) {
      report(explainFailure(error));
      this.#end();
      return false;
    } finally {
      this.#isReplacing = false;
    }
  }

  #serve(config: QuernConfig, server: Server): void {
    this.#config = config;
    this.#server = server;
    this.#follow(server);
  }

  #follow(server: Server): void {
    void server.closed.then(() => {
      if (!this.#isReplacing) this.#end();
    });
  }
}
