// The contract between the kernel and a directive plugin. A plugin has a name, the SDL of its directives, and a `model` hook. The kernel calls
// `model` at each deploy; it returns the other hooks. A plugin whose directives are not used returns no hooks and costs nothing.
//
// Rules for every hook:
// - It gets the data of its phase, returns values, and must not modify its arguments. Those that matter to others are locked; in development all plain
//   data are frozen.
// - Plugins run in the order of the configuration.
// - A `QuernError` that it throws refuses what the hook was called for. Anything else that it throws, and a result that breaks this contract, is
//   an internal error: the log names plugin, hook and place, and clients get one fixed text. A deploy is refused with `PLUGIN_FAILED`.
// - A promise that it returns is waited for as long as `plugins/README.md` says ("How long a hook may take"), and then dropped.
//
// `plugins/README.md` is the guide; `directiveConformance` of `quern/conformance` tests a plugin.

import type { DocumentNode } from "graphql";
import type { LayoutAdditions } from "./api-additions.ts";
import type { Hooks } from "./hooks.ts";
import type { KernelAccess } from "./kernel-access.ts";
import type { LiveEngine, LiveHost } from "./live-engine.ts";
import type { ModelContext, SettingLine } from "./model-context.ts";
import type { OutsideData } from "./outside-data.ts";
import type { QueryLanguage } from "./query-language.ts";
import type { ServerAccess, ServerAdditions } from "./server-additions.ts";

/** The version of this contract. It rises with a change that can break existing plugins. */
export const pluginContract = 1;

/**
 * What directives mean. `@trim` removes the white space around each text that is written to a field:
 *
 *     const trimPlugin = (): DirectivePlugin => ({
 *       name: "trim",
 *       definitions: "directive @trim on FIELD_DEFINITION",
 *       model(context) {
 *         const fields = new Set(context.uses("trim").map(({ field }) => field));
 *         if (fields.size === 0) return undefined;
 *         return {
 *           values: ({ type, values }) => ({
 *             values: new Map(
 *               [...values].flatMap(([name, value]) =>
 *                 typeof value === "string" && fields.has(type.fields.get(name)) ? [[name, value.trim()]] : [],
 *               ),
 *             ),
 *           }),
 *         };
 *       },
 *     });
 */
export interface DirectivePlugin {
  /** The contract version that the plugin was written for. A version other than `pluginContract` fails with `CONFIG_INVALID` at start. */
  readonly contract?: number;
  /** Unique among the installed plugins: `search`. */
  readonly name: string;
  /** Names of plugins that must be installed and must come before this one. Otherwise the start fails with an error that names both. */
  readonly after?: readonly string[];
  /** Names of plugins that must come before this one when they are installed. */
  readonly follows?: readonly string[];
  /**
   * SDL of its directives, and of the scalars, enums and inputs that their arguments or generated fields use. The served schema shows it.
   *
   * Two plugins may define the same directive or type with equal definitions. Each then reads the uses that concern it.
   */
  readonly definitions: string;
  /**
   * Names of directives that mark a definition as not stored: `["remote"]`. The served schema shows the definition as written; nothing is generated
   * for it, and the model does not contain it. Its values come from root fields and computed fields. A field of a stored type that has such a type
   * is computed from the start (`Field.role`).
   */
  readonly unstored?: readonly string[];
  /**
   * The definitions for one schema, instead of `definitions`: for directives that exist in some schemas only, or under names that the schema
   * chooses. In other schemas they are unknown. `definitions` has all of them, under their own names.
   *
   *     definitionsFor: ({ definitions }) => (definitions.some(usesKeys) ? keyDefinitions : "")
   *
   * @param schema the schema text as written
   */
  definitionsFor?(schema: DocumentNode): string;
  /**
   * SDL of types that a schema gets beside its own, as if its author had written them at its end: they are stored, and the generated API has them. "": none, as for a
   * schema that does not use the plugin, or has a type of the name. What is wrong in it refuses the deploy without a place.
   *
   *     typesFor: (schema) => (uses(schema, "place") ? "type Place { name: String!  at: Point! }" : "")
   */
  typesFor?(schema: DocumentNode): string;
  /** Names of directives that types inherit from an interface that they implement (`@secret`). Directives on fields are always inherited. */
  readonly inherited?: readonly string[];
  /**
   * Names of directives that also count on a field which a type repeats from its interface. Of other directives only the uses on the interface's
   * field count.
   */
  readonly kept?: readonly string[];
  /**
   * What the plugin stores whatever schema is deployed, and before the first one is: hidden types, their fields, indexes and keys. Its paths read and write
   * their nodes through `KernelAccess`. A deploy keeps them; a server without the plugin does not show them, and keeps their data. Two plugins must not name
   * the same thing, nor a schema that uses these names.
   *
   *     stores: {
   *       types: [{ name: "accounts.Session", fields: ["accounts.Session.token", "accounts.Session.ends"] }],
   *       fields: [
   *         { name: "accounts.Session.token", kind: "string", list: false },
   *         { name: "accounts.Session.ends", kind: "dateTime", list: false },
   *       ],
   *       keys: [{ name: "accounts.Session(token)", fields: ["accounts.Session.token"], types: ["accounts.Session"] }],
   *     }
   *
   * On a database that several servers share, all of them need the same plugins, as for a schema.
   */
  readonly stores?: LayoutAdditions;
  /** What it keeps outside the database. */
  readonly outside?: OutsideData;
  /** Query languages in which other plugins may ask, whatever schema is deployed. */
  readonly languages?: readonly QueryLanguage[];
  /**
   * Keywords of the configuration comments that the plugin reads: `Authorization` for `# Service.Authorization {...}`. The deploy is refused when
   * a known keyword belongs to no installed plugin.
   */
  readonly settings?: readonly string[];
  /**
   * Keywords of configuration comments that this plugin reads besides the plugin to which they belong. The deploy is still refused when no installed
   * plugin has them in `settings`.
   */
  readonly alsoReads?: readonly string[];
  /**
   * Validates its configuration comments, before the types are validated. A `QuernError` refuses the deploy with this one error. Later checks
   * can report several errors at once, in `model`.
   */
  checkSettings?(settings: (keyword: string) => readonly SettingLine[]): void;
  /**
   * True: `model` validates the arguments of its directives itself, with error texts of its own. By default the kernel validates them against
   * `definitions` and refuses the deploy before `model` runs.
   */
  readonly validatesArguments?: boolean;
  /**
   * True: its hooks depend on a state that only this thread has, such as what its background task has learned. Queries of a schema that uses it then never
   * run in read workers. Root fields, computed fields, and the hooks `admit`, `request` and `permissions` run in this thread anyway.
   */
  readonly mainThreadOnly?: boolean;
  /**
   * Files that its `open` hook reads, such as a script, as absolute paths. When one of them changes, or a file that it imports, `quern dev` calls `open` for
   * the new content and then starts the server again.
   */
  readonly watchedFiles?: readonly string[];
  /**
   * Called when a server starts, before it opens: where all its transports will listen. Not called for a kernel without a server.
   *
   *     serving: ({ host }) => void (isPublic = host !== "127.0.0.1")
   */
  serving?(where: { readonly host: string }): void;
  /**
   * Called once for each deploy, after inheritance and standard validation. It reads the uses of its directives, reports errors, records facts
   * and returns the other hooks, or undefined when its directives are not used. All reported errors refuse the deploy together.
   */
  model(context: ModelContext): Hooks | undefined;
  /**
   * Called once for each kernel, when it is created: makes what runs live queries. A schema with fields of `Subscription` needs a plugin that has it. At
   * most one installed plugin may; others fail with `PLUGIN_CLASH` at start.
   */
  liveEngine?(host: LiveHost): LiveEngine;
  /**
   * Called once for each HTTP surface, before the kernel opens: adds paths and fields of the admin API. An embedded kernel without a server does
   * not call it.
   */
  server?(kernel: KernelAccess): ServerAdditions;
  /**
   * Called once for each HTTP surface, after `server`: decides who may administrate it. At most one installed plugin may have it; others fail with
   * `PLUGIN_CLASH` at start.
   */
  access?(kernel: KernelAccess): ServerAccess;
}
