import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";
import { line, token } from "./token.ts";

const mine = (type: string) => `{ rule: ${JSON.stringify(`query($USER: String!) { query${type}(filter: {owner: {eq: $USER}}) { name } }`)} }`;
const schema = `
interface Thing @auth(updateAfter: ${mine("Thing")}) { name: String! @id  owner: String @search(by: [hash])  weight: Int }
type Boat implements Thing @auth(update: ${mine("Boat")}) { berth: Berth @hasInverse(field: boats) }
type Berth @auth(updateAfter: { rule: "query { queryBerth { boats { name } } }" }) { no: Int! @id  boats: [Boat] }
${line}
`;
const ann = token({ USER: "ann" });

async function harbour() {
  const api = await deploy(schema, { updateAfter: true });
  await api.ask('mutation { addBerth(input: [{no: 1, boats: [{name: "gull", owner: "ann", weight: 1}]}, {no: 2}]) { numUids } }');
  return api;
}

describe("a rule updateAfter", () => {
  it("accepts a change that satisfies it, and rolls back one that does not", async () => {
    const { ask } = await harbour();
    const update = (set: string) => ask(`mutation { updateBoat(input: {filter: {}, set: {${set}}}) { numUids } }`, ann);
    expect(await update("weight: 2")).toEqual({ data: { updateBoat: { numUids: 1 } } });
    expect(await update('weight: 3, owner: "bob"')).toEqual({ data: { updateBoat: null } });
    expect(await ask("{ queryBoat { owner weight } }")).toEqual({ data: { queryBoat: [{ owner: "ann", weight: 2 }] } });
  });

  it("sees links as they are after the update", async () => {
    const { ask } = await harbour();
    const remove = 'mutation { updateBerth(input: {filter: {no: {in: [1]}}, remove: {boats: [{name: "gull"}]}}) { numUids } }';
    expect(await ask(remove, ann)).toEqual({ data: { updateBerth: null } });
    const fill = 'mutation { updateBerth(input: {filter: {no: {in: [2]}}, set: {boats: [{name: "tern"}]}}) { numUids } }';
    expect(await ask(fill, ann)).toEqual({ data: { updateBerth: { numUids: 1 } } });
  });

  it("applies to objects that an upsert changes, not to new ones", async () => {
    const { ask } = await harbour();
    const upsert = (owner: string, name: string) =>
      ask(`mutation { addBoat(upsert: true, input: [{name: "${name}", owner: "${owner}"}]) { numUids } }`, ann);
    expect(await upsert("bob", "gull")).toEqual({ data: { addBoat: null } });
    expect(await upsert("bob", "new")).toEqual({ data: { addBoat: { numUids: 1 } } });
    expect(await upsert("ann", "gull")).toEqual({ data: { addBoat: { numUids: 0 } } });
  });

  it("is unknown without the option", async () => {
    await expect(deploy(schema)).rejects.toThrow("updateAfter is not supported as an argument for auth directive.");
  });
});
