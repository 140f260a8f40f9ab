// What hooks get, where it computes members only when they are asked for.

/**
 * Counts as plain data: in development it is frozen as deep. It is no object literal with getters, because V8 keeps the getters of such an object in old
 * memory, and with them all that a request holds, until the whole heap is collected.
 */
export abstract class HookArgument {}
