// Answers while an administrator keeps requests away.

/** The text that clients get meanwhile. */
export const drainingText =
  "the server is in draining mode and client requests will only be allowed after exiting the mode  by sending a GraphQL draining(enable: false) mutation to /admin";
