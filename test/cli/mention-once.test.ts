import { describe, expect, it } from "vitest";
import { importShape } from "../../adapters/cli/import/import-shape.ts";
import { mentionOnce } from "../../adapters/cli/import/mention-once.ts";
import { prepareDeployment } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";

const { api } = prepareDeployment(
  `type Mill { name: String! @id  owner: Owner  stones: [Stone]  near: [Mill] }
   type Owner { mail: String! @id  name: String  home: Place }
   type Place { code: String! @id  name: String }
   type Stone { id: ID!  mass: Int }`,
  [identityPlugin()],
);
const { input } = importShape(api.schema, "Mill");

describe("a nested object that several lines of a batch contain", () => {
  it("keeps its contents in the first line, and only its key in later lines", () => {
    const lines = [
      { name: "a", owner: { mail: "m", name: "Ada" } },
      { name: "b", owner: { mail: "m", name: "Ada L." } },
      { name: "c", owner: { mail: "M", name: "Another" } },
    ];
    expect(mentionOnce(lines, input)).toEqual([lines[0], { name: "b", owner: { mail: "m" } }, lines[2]]);
  });

  it("keeps its contents when earlier lines contain only its key", () => {
    const lines = [
      { name: "a", owner: { mail: "m" } },
      { name: "b", owner: { mail: "m", name: "Ada" } },
    ];
    expect(mentionOnce(lines, input)).toEqual(lines);
  });

  it("is distinguished from an object of another type with the same key", () => {
    const lines = [
      { name: "a", owner: { mail: "x", home: { code: "x", name: "Kent" } } },
      { name: "b", owner: { mail: "y", home: { code: "x", name: "Kent again" } } },
    ];
    expect(mentionOnce(lines, input)).toEqual([lines[0], { name: "b", owner: { mail: "y", home: { code: "x" } } }]);
  });

  it("is kept in every line if it has no key", () => {
    const lines = [
      { name: "a", stones: [{ mass: 1 }, { mass: 1 }] },
      { name: "b", stones: [{ mass: 1 }] },
    ];
    expect(mentionOnce(lines, input)).toEqual(lines);
  });

  it("is not copied when nothing in it repeats", () => {
    const line = { name: "a", near: [{ name: "b" }, { name: "c" }], owner: { mail: "m", name: "Ada" } };
    expect(mentionOnce([line], input)[0]).toBe(line);
  });
});
