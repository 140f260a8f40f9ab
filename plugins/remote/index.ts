// Requests of plugins to other services. A toolkit: plugins import it, and `quern/plugin` passes it on to authors outside this package.

export { isAddressPattern } from "./address-list.ts";
export { AddressPolicy, type PolicyOptions } from "./address-policy.ts";
export { HttpClient, type HttpClientOptions, type SendOptions } from "./http-client.ts";
export { RemoteFailure, reasonOf } from "./remote-failure.ts";
export type { RemoteReply, RemoteRequest } from "./remote-request.ts";
