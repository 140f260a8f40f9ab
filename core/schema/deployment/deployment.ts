// A deployed schema: everything that a request needs except data.

import type { Layout } from "../../contracts/layout.ts";
import type { Model } from "../../contracts/model.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { SettingLine } from "../../contracts/plugin/model-context.ts";
import type { FactOwner } from "../../ground/facts.ts";
import type { Api } from "../api/api.ts";
import type { SchemaSettings } from "../document/settings.ts";
import type { KeptNames } from "../model/kept-names.ts";
import type { PluginHooks } from "../plugins/plugin-hooks.ts";

/** A schema that storage has accepted. Immutable; what is found in it is kept in its `facts`. */
export interface Deployment extends FactOwner {
  /** The storage layout's version, from `migrate`. */
  readonly version: number;
  /** The deployed schema text. */
  readonly document: string;
  readonly settings: SchemaSettings;
  /** The configuration comments that plugins read, by keyword. */
  readonly lines: ReadonlyMap<string, readonly SettingLine[]>;
  readonly model: Model;
  readonly api: Api;
  readonly layout: Layout;
  /** The filters that plugins give to fields. */
  readonly filters: readonly FieldFilter[];
  /** The hooks that the plugins' `model` hooks returned, in config order; plugins without hooks are absent. */
  readonly hooks: readonly PluginHooks[];
  /** Stored names that the text does not determine, for the next deploy. */
  readonly kept: KeptNames;
}

/** A deployment that storage has not accepted yet, so it has no version. */
export type PreparedDeployment = Omit<Deployment, "version">;

/** A layout that storage has accepted. */
export type StoredLayout = Pick<Deployment, "version" | "layout">;
