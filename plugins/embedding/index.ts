export { embeddingPlugin } from "./embedding-plugin.ts";
