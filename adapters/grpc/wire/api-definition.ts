// The service `api.Dgraph` and its messages. Names, kinds and numbers are the wire that Dgraph's clients speak; what the server has no use for is left out,
// and protobuf skips it. It is data, not a `.proto` file, so that it is bundled with the program.

import { type AnyDefinition, fromJSON, type MessageTypeDefinition, type ServiceDefinition } from "@grpc/proto-loader";

const text = (id: number) => ({ type: "string", id });
const bytes = (id: number) => ({ type: "bytes", id });
const flag = (id: number) => ({ type: "bool", id });
const whole = (id: number) => ({ type: "uint64", id });
const texts = (id: number) => ({ rule: "repeated", type: "string", id });
const textMap = (id: number) => ({ keyType: "string", type: "string", id });

const values = {
  default_val: text(1),
  bytes_val: bytes(2),
  int_val: { type: "int64", id: 3 },
  bool_val: flag(4),
  str_val: text(5),
  double_val: { type: "double", id: 6 },
  geo_val: bytes(7),
  date_val: bytes(8),
  datetime_val: bytes(9),
  password_val: text(10),
  uid_val: whole(11),
  bigfloat_val: bytes(12),
  vfloat32_val: bytes(13),
};

const requests = {
  LoginRequest: { fields: { userid: text(1), password: text(2), refresh_token: text(3), namespace: whole(4) } },
  Request: {
    fields: {
      start_ts: whole(1),
      query: text(4),
      vars: textMap(5),
      read_only: flag(6),
      best_effort: flag(7),
      mutations: { rule: "repeated", type: "Mutation", id: 12 },
      commit_now: flag(13),
      resp_format: { type: "RespFormat", id: 14 },
      hash: text(15),
    },
  },
  RespFormat: { values: { JSON: 0, RDF: 1 } },
  Mutation: {
    fields: {
      set_json: bytes(1),
      delete_json: bytes(2),
      set_nquads: bytes(3),
      del_nquads: bytes(4),
      set: { rule: "repeated", type: "NQuad", id: 5 },
      del: { rule: "repeated", type: "NQuad", id: 6 },
      cond: text(9),
      commit_now: flag(14),
    },
  },
  NQuad: {
    fields: {
      subject: text(1),
      predicate: text(2),
      object_id: text(3),
      object_value: { type: "Value", id: 4 },
      lang: text(6),
      facets: { rule: "repeated", type: "Facet", id: 7 },
    },
  },
  Value: {
    oneofs: { val: { oneof: Object.keys(values) } },
    fields: values,
  },
  Facet: { fields: { key: text(1) } },
  Operation: {
    fields: { schema: text(1), drop_attr: text(2), drop_all: flag(3), drop_op: { type: "DropOp", id: 4 }, drop_value: text(5) },
  },
  DropOp: { values: { NONE: 0, ALL: 1, DATA: 2, ATTR: 3, TYPE: 4 } },
  RunDQLRequest: {
    fields: { dql_query: text(1), vars: textMap(2), read_only: flag(3), best_effort: flag(4), resp_format: { type: "RespFormat", id: 5 } },
  },
  Check: { fields: {} },
};

const answers = {
  Response: {
    fields: {
      json: bytes(1),
      txn: { type: "TxnContext", id: 2 },
      latency: { type: "Latency", id: 3 },
      uids: textMap(12),
    },
  },
  TxnContext: {
    fields: { start_ts: whole(1), commit_ts: whole(2), aborted: flag(3), keys: texts(4), preds: texts(5), hash: text(6) },
  },
  Latency: { fields: { total_ns: whole(5) } },
  Jwt: { fields: { access_jwt: text(1), refresh_jwt: text(2) } },
  Payload: { fields: { Data: bytes(1) } },
  Version: { fields: { tag: text(1) } },
};

const method = (requestType: string, responseType: string) => ({ requestType, responseType, comment: "" });

const methods = {
  Login: method("LoginRequest", "Response"),
  Query: method("Request", "Response"),
  Alter: method("Operation", "Payload"),
  CommitOrAbort: method("TxnContext", "TxnContext"),
  CheckVersion: method("Check", "Version"),
  RunDQL: method("RunDQLRequest", "Response"),
};

export interface ApiDefinition {
  readonly service: ServiceDefinition;
  /** The bytes of a pair of tokens, as they lie in `Response.json` of a login. */
  readonly encodeJwt: (jwt: { readonly access_jwt: string; readonly refresh_jwt: string }) => Buffer;
}

export function apiDefinition(): ApiDefinition {
  const messages = { ...requests, ...answers, Dgraph: { methods } };
  const loaded = fromJSON({ nested: { api: { nested: messages } } }, { longs: String, enums: String, defaults: true, oneofs: true });
  const { "api.Dgraph": service, "api.Jwt": jwt } = loaded;
  if (!isService(service) || !isMessage(jwt)) throw new Error("The definition of api.Dgraph is incomplete.");
  return { service, encodeJwt: (pair) => jwt.serialize(pair) };
}

function isService(definition: AnyDefinition | undefined): definition is ServiceDefinition {
  return definition !== undefined && "Query" in definition;
}

function isMessage(definition: AnyDefinition | undefined): definition is MessageTypeDefinition<object, object> {
  return definition !== undefined && "serialize" in definition;
}
