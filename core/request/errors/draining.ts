// Answers while an administrator keeps requests away.

import { QuernError } from "../../ground/errors.ts";

const text = "The server is draining: it takes no new requests. Try again in a moment, or ask another server.";

/** What Dgraph says meanwhile. */
export const drainingText =
  "the server is in draining mode and client requests will only be allowed after exiting the mode  by sending a GraphQL draining(enable: false) mutation to /admin";

/** What clients get meanwhile. */
export const draining = new QuernError("DRAINING", text, { compatible: drainingText });
