// Transport over gRPC: clients of Dgraph's own protocol, such as dgo, pydgraph and dgraph-js.

export { type GrpcTransportOptions, grpcTransport } from "./grpc-transport.ts";
