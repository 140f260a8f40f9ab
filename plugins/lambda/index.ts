export type { AuthHeader } from "./auth-header.ts";
export type { LambdaEvent } from "./events/mutation-event.ts";
export type { FunctionCall, LambdaFunction, LambdaFunctions, QuernClient } from "./handlers/functions.ts";
export type { GraphQLCall, GraphQLOptions } from "./handlers/handler.ts";
export { lambdaPlugin } from "./lambda-plugin.ts";
export type { LambdaOptions } from "./options.ts";
export { functionTypes } from "./types/function-types.ts";
