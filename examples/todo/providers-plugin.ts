// Lists for the page by which providers users sign in: GET /todo/providers answers ["github", "oidc"].

import type { DirectivePlugin } from "quern/plugin";

export function providersPlugin(names: readonly string[]): DirectivePlugin {
  const answer = () => ({ status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(names) });
  return {
    name: "providers",
    definitions: "",
    model: () => undefined,
    server: () => ({ routes: [{ path: "/todo/providers", methods: ["GET"], access: "everybody", answer }] }),
  };
}
