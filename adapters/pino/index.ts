export { type PinoLoggerOptions, pinoLogger } from "./pino-logger.ts";
