export type { Namespaces, NamespacesOptions } from "./namespaces.ts";
export { namespacesKernel } from "./namespaces-kernel.ts";
