import { generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, it, vi } from "vitest";
import type { SettingLine } from "../../../core/plugin.ts";
import { developmentToken, readClaims } from "../../../plugins/auth/index.ts";
import { deploy } from "./harness.ts";
import { line as authorization, namespace } from "./token.ts";

const settings = (members: Readonly<Record<string, unknown>>) => `# Service.Authorization ${JSON.stringify(members)}`;
const secretLine = { Header: "X-Harbour", Namespace: namespace, VerificationKey: "s".repeat(40), Algo: "HS384" };

function lines(...texts: readonly string[]): readonly SettingLine[] {
  return texts.map((line, index) => ({ prefix: "Service", text: line.slice("# Service.".length), line, location: { line: index + 1, column: 1 } }));
}

describe("a development token", () => {
  it("is accepted by the server whose schema it was made from, for its claims alone", async () => {
    const api = await deploy(
      `type Berth @auth(query: { rule: "query($USER: String!) { queryBerth(filter: { owner: { eq: $USER } }) { number } }" }) { number: Int! @id  owner: String @search(by: [hash]) }\n${authorization}`,
    );
    await api.ask('mutation { addBerth(input: [{ number: 1, owner: "Ådå" }, { number: 2, owner: "Ada" }]) { numUids } }');
    const { header, token } = await developmentToken(lines(authorization), { USER: "Ådå" }, "1h");
    expect(await api.ask("{ queryBerth { number } }", { [header.toLowerCase()]: token })).toEqual({ data: { queryBerth: [{ number: 1 }] } });
    vi.setSystemTime(Date.now() + 3_601_000);
    try {
      const late = await api.ask("{ queryBerth { number } }", { [header.toLowerCase()]: token });
      expect(late.errors?.[0]?.message).toContain("token is expired");
    } finally {
      vi.useRealTimers();
    }
  });

  it("has registered claims at its root, the application's in the namespace, and the schema's first audience", async () => {
    const { token } = await developmentToken(
      lines(settings({ ...secretLine, Audience: ["harbour", "quay"] })),
      { sub: "u1", exp: 4e9, ROLE: ["A"] },
      "1h",
    );
    expect(decodeJwt(token)).toEqual({ sub: "u1", exp: 4e9, aud: "harbour", iat: expect.any(Number), [namespace]: { ROLE: ["A"] } });
    const other = await developmentToken(lines(settings({ ...secretLine, Audience: ["harbour", "quay"] })), { aud: "quay" }, "1h");
    expect(decodeJwt(other.token).aud).toBe("quay");
  });

  it("is refused where no secret can sign, with the next step and without the key", async () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const cases = [
      [lines(), /has no line # Service\.Authorization/],
      [lines(settings({ ...secretLine, VerificationKey: pem, Algo: "RS256" })), /public half of an RS256 key, which cannot sign.*HS256/],
      [lines(settings({ Header: "H", Namespace: "n", JWKUrl: "https://id.example/keys", Audience: ["a"] })), /keys at https:\/\/id\.example\/keys/],
    ] as const;
    for (const [given, message] of cases)
      await expect(developmentToken(given, {}, "1h")).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(message) });
  });

  it("takes claims from a JSON object only", () => {
    expect(readClaims('{"a":null}')).toEqual({ a: null });
    for (const text of ["", "[]", "null", "1", "{a:1}", '"a"']) expect(readClaims(text)).toBeUndefined();
  });
});
