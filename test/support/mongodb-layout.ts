/** The layout of this run: `QUERN_TEST_MONGODB_SHARDED=1` chooses the one for sharded clusters. */
export const layoutOfRun = { sharded: process.env.QUERN_TEST_MONGODB_SHARDED === "1" } as const;
