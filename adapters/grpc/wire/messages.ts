// The messages of `api.Dgraph` as the library reads and writes them. 64-bit numbers are texts, because JavaScript's numbers are shorter.

export interface LoginRequest {
  readonly userid: string;
  readonly password: string;
  readonly refresh_token: string;
  readonly namespace: string;
}

export interface DqlRequest {
  /** "0": none. */
  readonly start_ts: string;
  readonly query: string;
  /** By name with `$`. */
  readonly vars: Readonly<Record<string, string>>;
  readonly read_only: boolean;
  readonly best_effort: boolean;
  readonly mutations: readonly MutationMessage[];
  readonly commit_now: boolean;
  readonly resp_format: "JSON" | "RDF";
  readonly hash: string;
}

export interface RunDqlRequest extends Pick<DqlRequest, "vars" | "read_only" | "best_effort" | "resp_format"> {
  readonly dql_query: string;
}

export interface MutationMessage {
  readonly set_json: Uint8Array;
  readonly delete_json: Uint8Array;
  readonly set_nquads: Uint8Array;
  readonly del_nquads: Uint8Array;
  readonly set: readonly NQuad[];
  readonly del: readonly NQuad[];
  readonly cond: string;
  readonly commit_now: boolean;
}

export interface NQuad {
  readonly subject: string;
  readonly predicate: string;
  readonly object_id: string;
  readonly object_value: ValueMessage | null;
  readonly lang: string;
  readonly facets: readonly { readonly key: string }[];
}

/** One of these is there; `val` names it. */
export interface ValueMessage {
  readonly val?: string;
  readonly default_val?: string;
  readonly int_val?: string;
  readonly bool_val?: boolean;
  readonly str_val?: string;
  readonly double_val?: number;
  readonly password_val?: string;
  readonly uid_val?: string;
}

export interface Operation {
  readonly schema: string;
  readonly drop_attr: string;
  readonly drop_all: boolean;
  readonly drop_op: "NONE" | "ALL" | "DATA" | "ATTR" | "TYPE";
  readonly drop_value: string;
}

export interface TxnContext {
  readonly start_ts: string | number;
  readonly aborted?: boolean;
  readonly keys?: readonly string[];
  readonly preds?: readonly string[];
  readonly hash?: string;
}

export interface ResponseMessage {
  readonly json: Uint8Array;
  readonly txn?: TxnContext;
  readonly latency?: { readonly total_ns: number };
  readonly uids?: Readonly<Record<string, string>>;
}

export interface Payload {
  readonly Data: Uint8Array;
}

export interface Version {
  readonly tag: string;
}
