export { type AuthOptions, authPlugin, claimsFact } from "./auth-plugin.ts";
export { type DevelopmentToken, developmentToken, readClaims } from "./development-token.ts";
export type { KeySetOptions } from "./key-set-client.ts";
