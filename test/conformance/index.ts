// The conformance kits for authors of storages, directives and transports. Each takes the test runner it is to use.

export { type DirectiveConformanceOptions, directiveConformance, type Refused, type Step } from "./directive/index.ts";
export {
  type CrashPlace,
  crashProgram,
  type FaultyStorage,
  type Place,
  type Runner,
  type StorageConformanceOptions,
  storageConformance,
} from "./storage/index.ts";
export { type Exemption, type TransportConformanceOptions, transportConformance } from "./transport/index.ts";
