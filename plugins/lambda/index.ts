export type { AuthHeader } from "./auth-header.ts";
export type { LambdaEvent } from "./events/mutation-event.ts";
export type { FunctionCall, LambdaFunction, LambdaFunctions } from "./handlers/functions.ts";
export type { GraphQLCall, GraphQLOptions, QuernClient } from "./handlers/handler.ts";
export { lambdaPlugin } from "./lambda-plugin.ts";
export type { LambdaOptions } from "./options.ts";
export { functionTypes } from "./types/function-types.ts";
