export { type YogaHandlerOptions, yogaHandler } from "./yoga-handler.ts";
export { type YogaOptions, yogaTransport } from "./yoga-transport.ts";
