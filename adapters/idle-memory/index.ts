// A toolkit for who owns a process or a thread: gives memory back while it waits.

export { collectWhenIdle, type IdleMemoryOptions } from "./collect-when-idle.ts";
