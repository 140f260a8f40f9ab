export { type TracingOptions, tracingPlugin } from "./tracing-plugin.ts";
