// One deployed schema, ready to serve: everything a request needs to know that is not data.

import type { Layout } from "../../contracts/layout.ts";
import type { Model } from "../../contracts/model.ts";
import type { Api } from "../api/api.ts";
import type { SchemaSettings } from "../document/settings.ts";
import type { KeptNames } from "../model/kept-names.ts";
import type { PluginHooks } from "../plugins/plugin-hooks.ts";

export interface Deployment {
  /** The storage layout's version, from `migrate`. */
  readonly version: number;
  /** The text as deployed. */
  readonly document: string;
  readonly settings: SchemaSettings;
  readonly model: Model;
  readonly api: Api;
  readonly layout: Layout;
  /** What the plugins' `model` hooks returned, in config order; plugins that found nothing are not here. */
  readonly hooks: readonly PluginHooks[];
  /** What the next deploy must know of names, beside the text. */
  readonly kept: KeptNames;
}

/** A deployment that storage has not accepted yet. */
export type PreparedDeployment = Omit<Deployment, "version">;
