// The audit of administrators under access control: users by their names, and nothing of those who are nobody.

import { expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { auditPlugin } from "../../../plugins/audit/index.ts";
import { aclServer, prepared, secret } from "./server.ts";

it("names the user who did something, and keeps neither logins nor what nobody tried", async () => {
  const server = await aclServer({}, { plugins: [...standardPlugins(), aclPlugin({ secret }), auditPlugin()] });
  onTestFinished(() => server.remove());
  const { groot = "" } = await prepared(server, "type Note { text: String }", { reader: { "Note.text": 4 } });
  await server.admin('mutation { login(userId: "reader", password: "wrong") { response { accessJWT } } }');
  await server.admin('mutation { addGroup(input: [{ name: "forged" }]) { group { name } } }');
  await server.admin("mutation { draining(enable: false) { response { code } } }", "forged-token");
  const { data } = await server.admin("{ audit { who action outcome } }", groot);
  expect(data.audit).toEqual([
    { who: "user groot", action: "addUser", outcome: "done" },
    { who: "user groot", action: "addGroup", outcome: "done" },
    { who: "user groot", action: "updateGQLSchema", outcome: "done" },
  ]);
  const denied = await server.admin("{ audit { who } }", await server.token("reader"));
  expect(denied.errors?.[0]?.message).toContain("Only guardians are allowed access");
});
