// `@withSubscription`: the queries of a type, or a query of the client's own, are live too.

export { subscriptionPlugin } from "./subscription-plugin.ts";
