// For work that nothing ends.

/** Never aborts: for work without a budget that ends it. */
export const endless: AbortSignal = new AbortController().signal;
