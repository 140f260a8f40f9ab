// What a plugin adds to the HTTP server beside the generated API: paths, and fields of the admin API.

import type { MaybePromise } from "../../ground/values/value.ts";
import type { Erase } from "../storage/storage.ts";
import type { HttpRequest, HttpResponse } from "../transport.ts";

/**
 * A path that says how many commits this server has seen:
 *
 *     server: (kernel) => {
 *       let commits = 0;
 *       kernel.changes(() => void commits++);
 *       const answer = () => ({ status: 200, headers: { "content-type": "text/plain" }, body: `${commits}\n` });
 *       return { routes: [{ path: "/commits", methods: ["GET"], access: "administrators", answer }] };
 *     }
 */
export interface ServerAdditions {
  /** Paths that the plugin answers. */
  readonly routes?: readonly PluginRoute[];
  /** Bodies that `/graphql` takes beside JSON and documents. */
  readonly bodies?: readonly GraphQLBody[];
  /** Fields of the GraphQL API of administrators, at `/admin`. */
  readonly admin?: AdminAdditions;
  /** Called each time the kernel opens, when the store is open and the deployed schema is served. An error is logged. */
  readonly opened?: () => MaybePromise<void>;
  /**
   * Called when an administrator has changed something, or when that failed, before the answer is sent; not for reads, nor for what the server refused. An
   * error is logged, and the answer stays as it is.
   */
  readonly administered?: (deed: AdminDeed) => MaybePromise<void>;
  /** Called when this server has erased data, or another one, if the store reports it. Metadata may be gone with them. */
  readonly erased?: () => void;
}

/** What an administrator has done. It holds no token, no secret and no value of data. */
export interface AdminDeed {
  /** As `AdminAction.name`. */
  readonly action: string;
  /** `key deployer`, `user groot`, `admin token`; `nobody` where none is needed. */
  readonly who: string;
  /** The client's address. Undefined: unknown. */
  readonly from?: string | undefined;
  /** A sentence without its subject: `deployed a schema with 12 types`. */
  readonly what: string;
  readonly outcome: "done" | "failed";
}

/**
 * Decides who may administrate the server, beside the admin token. The server asks it after the checks of its own: a caller needs an admin token
 * only where one is configured, and an address on the list `admin.allow`.
 *
 *     access: () => ({
 *       administer({ name }, { headers }) {
 *         if (headers["x-role"] !== "operator") throw new QuernError("REQUEST_REFUSED", `operators alone may use ${name}`);
 *       },
 *     })
 */
export interface ServerAccess {
  /** Throws a `QuernError` to refuse an action. Its message is the reason in the answer: `resolving <field> failed because <message>`. */
  readonly administer: (action: AdminAction, request: Omit<HttpRequest, "body">) => MaybePromise<void>;
  /** The name of an administrator, for the records of what administrators did. Undefined: unknown. */
  readonly nameOf?: (request: Pick<HttpRequest, "headers">) => MaybePromise<string | undefined>;
  /** Throws a `QuernError` to refuse a request that names a persisted document by its hash. */
  readonly persisted?: (request: Pick<HttpRequest, "headers">) => MaybePromise<void>;
}

/**
 * A media type in which clients send requests to `/graphql`, such as `multipart/form-data`:
 *
 *     { mediaType: "application/yaml", read: async ({ incoming }) => ({ body: Buffer.from(JSON.stringify(parse(await text(incoming)))) }) }
 */
export interface GraphQLBody {
  /** In lower case, without parameters. The server's own types are taken. */
  readonly mediaType: string;
  /** Whether the served schema has a use for it; otherwise the server refuses the type as one that nobody knows. Default: it has. */
  readonly isUsed?: () => boolean;
  /** Reads `incoming`, bounds what it holds of it, and throws a QuernError to refuse the request. */
  readonly read: (request: RouteRequest) => MaybePromise<ReadGraphQLBody>;
}

/** What a body stands for. */
export interface ReadGraphQLBody {
  /** In JSON: `{"query": "...", "variables": {}}`. */
  readonly body: Uint8Array;
  /** Called once the request has its answer, for what was kept for it alone. It never throws. */
  readonly answered?: () => void;
}

/** What an administrator wants to do. */
export interface AdminAction {
  /**
   * The field of the admin API: `health`. A path below `/admin` counts as the field that does the same (`/admin/schema` as
   * `updateGQLSchema`), any other one by itself: `/alter`, `/state`, `/metrics`, the paths of plugins for administrators. Fields of plugins are asked about too.
   */
  readonly name: string;
  /** What `/alter` deletes. */
  readonly erases?: Erase;
}

/**
 * A path of the HTTP server, or many. One that names and removes the sessions of a service, and one that hands everything below a path to a library whose
 * handler takes a `Request` and gives a `Response`:
 *
 *     {
 *       path: "/sessions/:name",
 *       methods: ["GET", "DELETE"],
 *       access: "administrators",
 *       answer: ({ method, params }) => (method === "GET" ? show(params.name) : remove(params.name)),
 *     }
 *     {
 *       path: "/api/auth/*",
 *       methods: ["*"],
 *       access: "everybody",
 *       body: "bytes",
 *       cors: "own",
 *       answer: async ({ method, url, headers, body }) => {
 *         const init = { method, headers: present(headers), ...(body.byteLength > 0 && { body }) };
 *         const response = await auth.handler(new Request(new URL(url, origin), init));
 *         const cookies = response.headers.getSetCookie();
 *         return {
 *           status: response.status,
 *           headers: { ...Object.fromEntries(response.headers), ...(cookies.length > 0 && { "set-cookie": cookies }) },
 *           body: new Uint8Array(await response.arrayBuffer()),
 *         };
 *       },
 *     }
 *
 * Of several paths that fit a request, the server's own comes first, then one without parameters, then the one that is literal the longest. Two plugins that
 * claim the same path, and a path that the server answers itself, fail with `PLUGIN_CLASH` at start; one that is not well formed fails with `CONFIG_INVALID`.
 * `/login` may be claimed.
 */
export interface PluginRoute {
  /**
   * Segments of text, with parameters, and perhaps `*` at the end: `/query`, `/users/:name`, `/api/auth/*`. A parameter is one segment that is not empty. `*`
   * is everything below, at least one segment. A path with a segment `.` or `..` fits no parameter and no `*`, whether its dots are escaped or not.
   */
  readonly path: string;
  /**
   * In upper case: `["GET", "POST"]`; `["*"]`: all. The server refuses the others with status 405, and answers preflight requests, unless `cors` is `own`.
   */
  readonly methods: readonly string[];
  /** `administrators`: the server checks token and address, as at the admin paths. `everybody`: the plugin checks the caller. */
  readonly access: "administrators" | "everybody";
  /**
   * `text` (default): a body that is not UTF-8 is refused, and a byte-order mark is left out. `bytes`: it is any bytes. Both are unpacked and bounded. `stream`: it
   * comes as it arrives (`RouteRequest.incoming`), as sent and of any length; the plugin counts its bytes.
   */
  readonly body?: "text" | "bytes" | "stream";
  /**
   * `open` (default): pages of any origin may ask and read, without cookies. `own`: the plugin gets preflight requests too (`OPTIONS`, if it is among
   * `methods`), and sends the headers of CORS itself. Pages of its own origin need none.
   */
  readonly cors?: "open" | "own";
  /**
   * Answers a request, whose body is decompressed and within `limits.maxBodyBytes` and `limits.maxInflatedBytes`. The server adds CORS headers, unless `cors`
   * is `own`, and compresses the answer. A `QuernError` becomes `{"errors": [{"message": ..., "extensions": {"code": "Error"}}]}`; anything else is logged,
   * and its text is not shown.
   */
  readonly answer: (request: RouteRequest) => MaybePromise<HttpResponse>;
}

/** A request to a path of a plugin. */
export interface RouteRequest extends HttpRequest {
  /**
   * The parameters of the path by name, without escapes: `{ name: "Ada L" }` for `/users/Ada%20L`. `*` is what follows the prefix, as sent:
   * `sign-in/email` for `/api/auth/sign-in/email`. Empty for a path without parameters.
   */
  readonly params: Readonly<Record<string, string>>;
  /**
   * The body as it arrives, for a path whose `body` is `stream`; `body` is empty then. It is read once, and throws when the client breaks off.
   *
   *     for await (const piece of incoming) await file.write(piece);
   */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** For whom the request counts, as far as its connection shows (`address 192.0.2.7`), or its API key. Proxies that the server trusts count. */
  readonly caller: string | undefined;
  /**
   * The client's IP address as far as the server knows it: the peer's, or what a trusted proxy (`trustProxy`) says. A header that anybody may send does not
   * count. Undefined: unknown, as on a Unix socket.
   */
  readonly clientAddress?: string | undefined;
}

/**
 * Fields of the admin API:
 *
 *     { definitions: "extend type Mutation { forget(name: String!): Boolean }", mutations: { forget: ({ name }) => forget(String(name)) } }
 *
 * A name that the server or another plugin has fails with `PLUGIN_CLASH` at start. Fields about users and groups, which the server refuses by
 * itself, may be claimed; they have their definitions.
 */
export interface AdminAdditions {
  /** SDL: extensions of `Query` and `Mutation`, and the types that they use. */
  readonly definitions?: string;
  /** By field name. */
  readonly queries?: Readonly<Record<string, AdminResolver>>;
  /** By field name. They run one after the other; after a failure the rest do not run. */
  readonly mutations?: Readonly<Record<string, AdminResolver>>;
}

/**
 * Returns the value of a field of the admin API; `graphql` completes it. The error is `resolving <field> failed because <message>` for a
 * `QuernError`; one with a `path` is shown unchanged, with the path of the field. `details: { absent: true }` leaves the field out of `data`, and
 * `data` out of an answer that has nothing else. Anything else is logged, and its text is not shown.
 */
export type AdminResolver = (
  args: Readonly<Record<string, unknown>>,
  request: Omit<HttpRequest, "body">,
  call: AdminFieldCall,
) => MaybePromise<unknown>;

/** One call of a field of the admin API. */
export interface AdminFieldCall {
  /** Who asks, in the words of `AdminDeed`. */
  readonly doer: () => MaybePromise<Pick<AdminDeed, "who" | "from">>;
  /**
   * What plugins hear of the mutation (`AdminDeed.what`) instead of `called forget`:
   *
   *     forget: async ({ name }, _request, { describe }) => describe(`forgot ${await forget(String(name))} sessions`),
   */
  readonly describe: (what: string) => void;
}
