// Entry quern/transport: what a transport is written with.
// The contract is `Transport`. `adapters/transports.md` is the guide; `transportConformance` of `quern/conformance` tests a transport.
/// <reference types="node" preserve="true" />

export * from "./contracts/transport.ts";
export * from "./ground/index.ts";
