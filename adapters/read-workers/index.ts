// Threads that run long queries for a kernel.

export { type ReadWorkersOptions, readWorkers } from "./read-workers.ts";
export { workerPlacement } from "./worker-placement.ts";
