// `@file`: objects with files. Their bytes are in a store of their own; what is known of them is in the database.

import type { DirectivePlugin, Hooks, ModelContext } from "../../core/plugin.ts";
import { type FilesOptions, type FilesSettings, filesSettings } from "./ground/options.ts";
import { fileRoutes } from "./read/file-route.ts";
import { urlField } from "./read/url-field.ts";
import { filesLayout } from "./records/layout.ts";
import { multipartRequests } from "./requests/multipart-request.ts";
import { allDefinitions, definitionsFor, typesFor } from "./schema/definitions.ts";
import { readFiles } from "./schema/read-files.ts";
import { cleanupTask } from "./tasks/cleanup-task.ts";
import { copyRoutes } from "./upkeep/copy-routes.ts";
import { outsideFiles } from "./upkeep/outside-files.ts";
import { Receiver } from "./upload/receive.ts";
import { ResumableUploads } from "./upload/resumable.ts";
import { tusRoutes } from "./upload/tus-route.ts";
import { uploadRoutes } from "./upload/upload-route.ts";
import { fileChanges } from "./write/file-changes.ts";

/**
 * `@file`: a field that holds a file.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function filesPlugin(options: FilesOptions = {}): DirectivePlugin {
  const settings = filesSettings(options);
  return {
    name: "files",
    // What these delete, or write through links, may have files.
    follows: ["storage-names", "was", "constraints", "nested"],
    definitions: allDefinitions,
    definitionsFor,
    typesFor,
    outside: outsideFiles(settings.store),
    serving: () => settings.store.assertUsable?.(),
    model: (context) => hooksOf(context, settings),
    server: (kernel) => {
      const receiver = new Receiver(kernel, settings);
      const resumable = new ResumableUploads(kernel, settings, receiver);
      const routes = [
        ...uploadRoutes(kernel, receiver),
        ...tusRoutes(kernel, resumable),
        ...fileRoutes(kernel, settings),
        ...copyRoutes(kernel, settings.store),
      ];
      return { routes, bodies: [multipartRequests(kernel, receiver)] };
    },
  };
}

function hooksOf(context: ModelContext, settings: FilesSettings): Hooks | undefined {
  const schema = readFiles(context);
  if (schema === undefined) return undefined;
  return {
    layout: () => filesLayout(schema.type),
    api: () => ({ computed: urlField(schema, settings) }),
    changes: (asked) => fileChanges(asked, schema),
    background: [cleanupTask(settings)],
  };
}
