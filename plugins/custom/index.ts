export { customPlugin } from "./custom-plugin.ts";
export type { CustomOptions } from "./fields/options.ts";
