export { type WsOptions, wsTransport } from "./ws-transport.ts";
