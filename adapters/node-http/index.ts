// The toolkit of transports on Node: a listening `node:http` server, its limits, WebSockets and closing.

export { type HttpServerOptions, listenHttp } from "./http-server.ts";
export { type WebSockets, type WebSocketsOptions, webSockets } from "./web-sockets.ts";
