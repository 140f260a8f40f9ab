// quern start with namespaces: a kernel for each over a store of its own, under one access control.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type KernelConfig, QuernError } from "../../../core/index.ts";
import type { AclOptions } from "../../../plugins/acl/index.ts";
import type { EndpointConfig, NamespacesConfig, QuernConfig, ServerKernel } from "../../server/index.ts";
import type { StackChoice } from "./stack.ts";

export interface NamespacesChoice extends StackChoice {
  /** The server has namespaces. */
  readonly namespaces?: boolean;
}

/** The namespaces of the configuration, or of the standard stack where the command line asks for them; undefined: there is one. */
export async function chosenNamespaces(config: QuernConfig, choice: NamespacesChoice): Promise<NamespacesConfig | undefined> {
  if (config.namespaces !== undefined) return withoutAccounts(config.namespaces, choice);
  if (choice.namespaces !== true) return undefined;
  const { folder, name } = config.storage;
  if (name !== "level" || folder === undefined || choice.config !== undefined) throw notConfigured();
  return withoutAccounts(await standardNamespaces(folder, choice), choice);
}

async function standardNamespaces(folder: string, { lambdaUrl, filesAt }: NamespacesChoice): Promise<NamespacesConfig> {
  const { leveldbNamespaces, namespaceFolder } = await import("../../level/index.ts");
  const { standardPlugins } = await import("./standard-plugins.ts");
  const stores = leveldbNamespaces({ path: folder });
  const place = filesAt ?? (process.env.QUERN_FILES_AT || undefined);
  const url = lambdaUrl ?? (process.env.QUERN_LAMBDA_URL || undefined);
  const filesOf = (namespace: number) => {
    if (namespace === 0) return place ?? `${folder}.files`;
    return place === undefined ? join(namespaceFolder(folder, namespace), "files") : `${place}/namespaces/${namespace}`;
  };
  return {
    stores: {
      ...stores,
      remove: async (namespace) => {
        await stores.remove(namespace);
        if (place !== undefined && !place.startsWith("s3:")) await rm(filesOf(namespace), { recursive: true, force: true });
      },
    },
    plugins: (namespace) => standardPlugins({ files: filesOf(namespace), lambdaUrl: url?.replaceAll("$ns", String(namespace)) }),
  };
}

/** Makes the kernel of `serve`. @param acl undefined: the caller has given no secret */
export async function namespacesKernelOf(
  { stores, plugins, maxOpen, idleMs }: NamespacesConfig,
  acl: AclOptions | undefined,
): Promise<(config: KernelConfig & EndpointConfig) => ServerKernel> {
  if (acl === undefined) throw needsAcl();
  const { aclNamespaces } = await import("../../../plugins/acl/index.ts");
  const { namespacesKernel } = await import("../../namespaces/index.ts");
  const control = aclNamespaces(acl);
  return (config) =>
    namespacesKernel(config, {
      stores,
      namespaceOf: control.namespaceOf,
      configOf: (namespace, all) => ({ plugins: [...plugins(namespace), control.plugin(namespace, all)] }),
      ...(maxOpen !== undefined && { maxOpen }),
      ...(idleMs !== undefined && { idleMs }),
    });
}

/** A session of an account names no namespace. */
function withoutAccounts(namespaces: NamespacesConfig, { accounts }: NamespacesChoice): NamespacesConfig {
  if (!accounts) return namespaces;
  throw new QuernError(
    "CONFIG_INVALID",
    "A server with namespaces has no accounts: a session does not say which namespace it is of. Leave out --accounts, or --namespaces.",
  );
}

function notConfigured(): QuernError {
  return new QuernError(
    "CONFIG_INVALID",
    "--namespaces makes namespaces of the standard stack, and this server has a configuration file; add namespaces to it: namespaces: { stores: leveldbNamespaces({ path }), plugins: () => [...] }.",
  );
}

function needsAcl(): QuernError {
  return new QuernError("CONFIG_INVALID", "A server with namespaces needs access control, whose tokens name them; add --acl-secret <file>.");
}
