// Entry quern/plugin: the kernel's entry for plugins, and the toolkit with which they ask other services.
/// <reference types="node" preserve="true" />

export * from "../core/plugin.ts";
export * from "./remote/index.ts";
