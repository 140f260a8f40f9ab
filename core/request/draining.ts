// The text that clients get while an administrator keeps requests away.

export const drainingText =
  "the server is in draining mode and client requests will only be allowed after exiting the mode  by sending a GraphQL draining(enable: false) mutation to /admin";
