// What callers of the kernel choose when they open, deploy and validate.

import type { MigrateOptions } from "../../contracts/storage/migration.ts";
import type { Unreachable } from "./unreachable.ts";

/** Options of `Kernel.deploy`. `deferIndexes: false` with the deployed schema builds the indexes that were deferred; live queries then read again. */
export interface DeployOptions extends MigrateOptions {
  /** Receives the data that the new schema hides, after the switch. The log reports them too. */
  readonly onUnreachable?: (unreachable: Unreachable) => void;
  /** Receives what plugins find wrong with the schema, or with the data under it, after the switch. The log reports them too. */
  readonly onWarning?: (message: string) => void;
}

/** Options of `Kernel.open`. */
export interface OpenOptions {
  /**
   * Opens even if plugins of the deployed schema are missing, or lay it out in another way. Nothing is served until a schema is deployed.
   * Default: false.
   */
  readonly replacing?: boolean;
  /**
   * Whether the layout of this server's plugins may replace the deployed one, in a database that several servers share. The others then refuse
   * writes until they run the same version with the same plugins. Default: false. A store that one server has alone takes its layout anyway.
   */
  readonly replaceLayout?: boolean;
  /** Whether background tasks of plugins run. Default: true. Commands that only look at a store, or change it and leave, set it to false. */
  readonly background?: boolean;
  /**
   * For a load: true lets the storage leave indexes of types without nodes unbuilt (`MigrateOptions.deferIndexes`) until `deploy` is called with
   * `deferIndexes: false`, or the kernel is opened without it. Default: false.
   */
  readonly deferIndexes?: boolean;
}

/** Options of `Kernel.validate`. */
export interface ValidateOptions {
  /** Validates the text alone: fetches nothing and ignores the deployed schema. Default: false. */
  readonly alone?: boolean;
}
