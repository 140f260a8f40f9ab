// Accepts WebSockets and selects their dialect.

import { CloseCode, DEPRECATED_GRAPHQL_WS_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL } from "graphql-ws";
import { drainingText } from "../../../core/server.ts";
import type { HttpRequest, HttpResponse, Socket, SocketAcceptance, SocketListener } from "../../../core/transport.ts";
import { isReadOnlyPage } from "../access/foreign-page.ts";
import { notOpen } from "../http/refusal.ts";
import { adminErrors, plainAnswer } from "../http/respond.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { Connection } from "./connection.ts";
import type { Dialect } from "./dialect.ts";
import { LegacyDialect } from "./legacy.ts";
import { ModernDialect } from "./modern.ts";

type Speaks = (connection: Connection) => Dialect;
const legacy: Speaks = (connection) => new LegacyDialect(connection);
const modern: Speaks = (connection) => new ModernDialect(connection);

/** The subprotocol `graphql-ws` is the older dialect; the package `graphql-ws` came later and uses `graphql-transport-ws`. */
const dialects: ReadonlyMap<string, Speaks> = new Map([
  [DEPRECATED_GRAPHQL_WS_PROTOCOL, legacy],
  ["subscription-transport-ws", legacy],
  ["subscriptions-transport-ws", legacy],
  [GRAPHQL_TRANSPORT_WS_PROTOCOL, modern],
]);

/** Decides about an upgrade request to `/graphql`. */
export function acceptSocket(server: ServerParts, request: Omit<HttpRequest, "body">): HttpResponse | SocketAcceptance {
  const refusal = refusalOf(server, request);
  if (refusal !== undefined) return refusal;
  const { maxMessageBytes } = server.kernel.limits;
  const offered = offeredProtocols(request);
  const protocol = offered.find((each) => dialects.has(each));
  if (protocol === undefined && offered.length > 0) return { protocol, maxMessageBytes, open: closeUnspoken };
  const dialect = dialects.get(protocol ?? "") ?? legacy;
  const opening = {
    headers: request.headers,
    remoteAddress: request.remoteAddress,
    isReadOnly: isReadOnlyPage(request, server.kernel.deployment?.settings),
  };
  return { protocol, maxMessageBytes, open: (socket) => new Connection(server, socket, opening, dialect) };
}

function refusalOf({ kernel, clients }: ServerParts, { headers }: Omit<HttpRequest, "body">): HttpResponse | undefined {
  const { deployment, draining, ready, trouble } = kernel;
  const origins = deployment?.settings.allowedOrigins ?? [];
  // Browsers alone send `Origin`, and pages cannot change it.
  if (headers.origin !== undefined && origins.length > 0 && !origins.includes(headers.origin)) {
    return plainAnswer(adminErrors("ErrorForbidden", "Pages of this origin may not connect."), 403);
  }
  if (draining) return plainAnswer(adminErrors("Error", drainingText), 503);
  if (!ready || trouble?.kind === "lost") return plainAnswer(adminErrors("Error", notOpen(trouble)), 503);
  return clients.full ? plainAnswer(adminErrors("Error", clients.fullText), 503) : undefined;
}

/** The offered subprotocols, in the client's order of preference. */
function offeredProtocols({ headers }: Pick<HttpRequest, "headers">): readonly string[] {
  return (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Opens the connection and closes it: WebSocket clients can read a close code, but not an HTTP status. */
function closeUnspoken(socket: Socket): SocketListener {
  socket.close(CloseCode.SubprotocolNotAcceptable, "Subprotocol not acceptable");
  const nothing = () => {};
  return { message: nothing, pong: nothing, drained: nothing, leaving: nothing, closed: nothing };
}
