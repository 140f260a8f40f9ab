export { type AuthOptions, authPlugin, claimsFact } from "./auth-plugin.ts";
