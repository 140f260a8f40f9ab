// Toolkit for transports on Node: a listening `node:http` server with limits, WebSockets and graceful closing.

export { addressError, urlOf } from "./address.ts";
export { type HttpServerOptions, listenHttp } from "./http-server.ts";
export { type Start, Starts } from "./starts.ts";
export { readTlsFiles, type TlsFiles, type TlsOptions, type TlsWatch, watchTlsFiles } from "./tls.ts";
export { type WebSockets, type WebSocketsOptions, webSockets } from "./web-sockets.ts";
