export type { AuthHeader } from "./handlers/auth-header.ts";
export type { FunctionCall, LambdaFunction, LambdaFunctions } from "./handlers/functions.ts";
export type { GraphQLCall, GraphQLOptions, QuernClient } from "./handlers/handler.ts";
export type { LambdaEvent } from "./handlers/lambda-event.ts";
export type { LambdaOptions } from "./handlers/options.ts";
export { lambdaPlugin } from "./lambda-plugin.ts";
export { functionTypes } from "./types/function-types.ts";
