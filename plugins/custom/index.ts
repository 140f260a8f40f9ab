export { customPlugin } from "./custom-plugin.ts";
export type { CustomOptions } from "./options.ts";
