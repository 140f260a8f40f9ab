// `@withSubscription`: makes the queries of a type, or a query that the client declares, live.

export { subscriptionPlugin } from "./subscription-plugin.ts";
