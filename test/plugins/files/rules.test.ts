// Who may read a field gets an address; nobody else does, by no way.

import { describe, expect, it } from "vitest";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { served, transports } from "./served.ts";

const secret = "a secret for specs of files";
const schema = `
type Photo @auth(query: { rule: "query($USER: String!) { queryPhoto(filter: { owner: { eq: $USER } }) { id } }" }) {
  id: ID!
  owner: String @search(by: [hash])
  image: File @file
}
# Service.Authorization {"Header":"authorization","Namespace":"https://files.example/claims","VerificationKey":"${secret}","Algo":"HS256"}
`;

async function tokenOf(user: string): Promise<Readonly<Record<string, string>>> {
  const { SignJWT } = await import("jose");
  const claims = { "https://files.example/claims": { USER: user } };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h").sign(new TextEncoder().encode(secret));
  return { authorization: `Bearer ${token}` };
}

const add = "mutation ($owner: String, $upload: Upload!) { addPhoto(input: [{ owner: $owner, image: { upload: $upload } }]) { numUids } }";
const read = "{ queryPhoto { owner image { url } } }";

/** Shows the file of a photo to callers with the header x-plus alone. */
const plusPlugin: DirectivePlugin = {
  name: "plus",
  definitions: "directive @plus on FIELD_DEFINITION",
  model: (context) => {
    const fields = context.uses("plus").flatMap(({ field }) => (field?.role === "link" || field?.role === "value" ? [field] : []));
    if (fields.length === 0) return undefined;
    return {
      request: ({ headers }) => ({ plus: headers["x-plus"] === "yes" }),
      masks: fields.map((field) => ({ field, shows: "null", visible: ({ facts }) => (facts.plus === true ? undefined : "deny") })),
    };
  },
};

describe.each(Object.keys(transports))("over %s", (transport) => {
  it("gives the address of a file to who may see its object", async () => {
    const { ask, ticket, get } = await served({ transport, schema });
    const ada = await tokenOf("ada");
    await ask(add, { variables: { owner: "ada", upload: await ticket("hers", { headers: ada }) }, headers: ada });
    const { data } = await ask(read, { headers: ada });
    expect(await (await get(data.queryPhoto[0].image.url)).text()).toBe("hers");
    expect((await ask(read, { headers: await tokenOf("bob") })).data).toEqual({ queryPhoto: [] });
    expect((await ask(read)).data).toEqual({ queryPhoto: [] });
  });

  it("gives none of a field that is masked", async () => {
    const { ask, ticket } = await served({ transport, schema: "type Photo { id: ID!  image: File @file @plus }", plugins: [plusPlugin] });
    await ask("mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }]) { numUids } }", {
      variables: { upload: await ticket("masked") },
    });
    expect((await ask("{ queryPhoto { image { url } } }")).data).toEqual({ queryPhoto: [{ image: null }] });
    const { data } = await ask("{ queryPhoto { image { url } } }", { headers: { "x-plus": "yes" } });
    expect(data.queryPhoto[0].image.url).toMatch(/^\/files\//);
  });

  it("refuses an upload of a caller whom the API refuses", async () => {
    const { upload } = await served({ transport, schema: schema.replace('"Algo":"HS256"', '"Algo":"HS256","ClosedByDefault":true') });
    expect((await upload("nobody's")).status).toBe(401);
    expect((await upload("forged", { headers: { authorization: "Bearer nonsense" } })).status).toBe(401);
    expect((await upload("hers", { headers: await tokenOf("ada") })).status).toBe(201);
  });

  it("takes an upload of an administrator, whom no rule of the API knows, and of nobody else at that path", async () => {
    const closed = schema.replace('"Algo":"HS256"', '"Algo":"HS256","ClosedByDefault":true');
    const { url, kernel } = await served({ transport, schema: closed, admin: { token: "desk" } });
    const send = (headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/files/admin?name=a.txt`, { method: "POST", headers: { "content-type": "text/plain", ...headers }, body: "theirs" });
    expect(await (await send({})).json()).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
    expect(await (await send(await tokenOf("ada"))).json()).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
    const { upload, ...facts } = await (await send({ "x-service-authtoken": "desk" })).json();
    expect(facts).toMatchObject({ name: "a.txt", type: "text/plain", bytes: 6 });
    const variables = { owner: "ada", upload };
    expect(JSON.parse((await kernel.execute({ query: add, variables, as: "system" })).body)).toMatchObject({ data: { addPhoto: { numUids: 2 } } });
  });
});

describe("an address", () => {
  it("is good for one file, and nobody makes another of it", async () => {
    const { ask, ticket, get } = await served();
    const added = "mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }]) { photo { image { url } } } }";
    const [first, second] = await Promise.all(
      ["first", "second"].map(async (text) => (await ask(added, { variables: { upload: await ticket(text) } })).data.addPhoto.photo[0].image.url),
    );
    const [uid, expires, signature] = first.slice("/files/".length).split(".");
    const [other] = second.slice("/files/".length).split(".");
    const later = (Number.parseInt(expires, 36) + 1000).toString(36);
    const flipped = `${signature.slice(0, -1)}${signature.endsWith("A") ? "B" : "A"}`;
    const forged = [
      `${other}.${expires}.${signature}`,
      `${uid}.${later}.${signature}`,
      `${uid}.${expires}.${flipped}`,
      `${uid}.${expires}.w10.${signature}`,
    ];
    expect((await get(first)).status).toBe(200);
    for (const token of [...forged, `${uid}.${expires}`, "..", "%2e%2e%2fetc%2fpasswd"]) expect((await get(`/files/${token}`)).status).toBe(404);
  });

  it("ends after a while", async () => {
    const { ask, ticket, get } = await served({ urlsLastMs: 1 });
    const { data } = await ask("mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }]) { photo { image { url } } } }", {
      variables: { upload: await ticket("brief") },
    });
    await expect.poll(async () => (await get(data.addPhoto.photo[0].image.url)).status).toBe(404);
  });

  it("is the same for some time, so that browsers keep what they have", async () => {
    const { ask, ticket } = await served({ urlsLastMs: 3_600_000_000 });
    await ask("mutation ($upload: Upload!) { addPhoto(input: [{ image: { upload: $upload } }]) { numUids } }", {
      variables: { upload: await ticket("kept") },
    });
    const first = await ask("{ queryPhoto { image { url } } }");
    expect((await ask("{ queryPhoto { image { url } } }")).data).toEqual(first.data);
  });
});
