// Facts that cannot hold refuse the deploy where a plugin records them, with the plugin's name and the place in the schema.

import { describe, expect, it } from "vitest";
import { type DirectivePlugin, type Field, type ModelContext, type NodeType, QuernError } from "../../../core/plugin.ts";
import { deploy } from "../../schema/deployment/harness.ts";

const schema = `type Boat {
  id: ID!
  name: String
  tags: [String]
  length: Float
  sizes: [Float!]
  at: Point
  port: Port
}
type Port {
  code: String
  boats: [Boat]
  pilot: Pilot
}
type Pilot {
  name: String
}
interface Named {
  title: String
}
type Buoy implements Named {
  mark: String
}`;

interface Parts extends Pick<ModelContext, "record"> {
  readonly type: (name: string) => NodeType;
  /** `Boat.name` */
  readonly field: <Of extends Field = never>(name: string) => Of;
}

function recording(work: (parts: Parts) => void, name = "stranger"): DirectivePlugin {
  return {
    name,
    definitions: "",
    model({ model, record }) {
      const type = (wanted: string) => model.nodeTypes.get(wanted) ?? expect.fail(`no type ${wanted}`);
      const field = (wanted: string) => {
        const [owner = "", own = ""] = wanted.split(".");
        return (type(owner).fields.get(own) ?? expect.fail(`no field ${wanted}`)) as never;
      };
      work({ record, type, field });
      return undefined;
    },
  };
}

function refusal(...plugins: readonly DirectivePlugin[]): { readonly message: string; readonly line: number | undefined } {
  try {
    deploy(schema, plugins);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code !== "CONFIG_INVALID") throw thrown;
    return { message: thrown.message, line: thrown.locations?.[0]?.line };
  }
  return { message: "deployed", line: undefined };
}

describe("a recorder", () => {
  it.each<[string, (parts: Parts) => void, string, number | undefined]>([
    [
      "an input field with the name of a declared one",
      ({ record, type }) => record.inputField(type("Boat"), { name: "name", kind: "password", nonNull: true }),
      "record.inputField: Boat has a field name already; give the new one another name.",
      3,
    ],
    [
      "an input field of an interface with a name that a type declares",
      ({ record, type }) => record.inputField(type("Named"), { name: "mark", kind: "string", nonNull: false }),
      "record.inputField: Buoy has a field mark already; give the new one another name.",
      22,
    ],
    [
      "an input field of an unknown kind",
      ({ record, type }) => record.inputField(type("Boat"), { name: "pass", kind: "pasword" as never, nonNull: true }),
      'record.inputField: the kind "pasword" is unknown; it must be one of string, password, dateTime; did you mean "password"?',
      undefined,
    ],
    [
      "an input field of a kind that no text is",
      ({ record, type }) => record.inputField(type("Boat"), { name: "crew", kind: "int", nonNull: true }),
      'record.inputField: the kind "int" is not possible here; it must be one of string, password, dateTime.',
      undefined,
    ],
    [
      "an input field whose name is no name",
      ({ record, type }) => record.inputField(type("Boat"), { name: "pass word", kind: "password", nonNull: true }),
      'record.inputField: "pass word" is no name of GraphQL.',
      undefined,
    ],
    [
      "an output field with the name of a stored one",
      ({ record, type }) => record.outputField(type("Boat"), { name: "length", type: "Float" }),
      "record.outputField: Boat has a field length already; give the new one another name.",
      5,
    ],
    [
      "a vector of texts",
      ({ record, field }) => record.vector(field("Boat.tags")),
      "record.vector: Boat.tags is a list of String, and a vector is a list of Float.",
      4,
    ],
    [
      "a vector of one number",
      ({ record, field }) => record.vector(field("Boat.length")),
      "record.vector: Boat.length is a Float, and a vector is a list of Float.",
      5,
    ],
    ["a key of a list", ({ record, field }) => record.key(field("Boat.tags"), "type"), "record.key: Boat.tags is a list, and a key is one value.", 4],
    [
      "a key of a place",
      ({ record, field }) => record.key(field("Boat.at"), "type"),
      "record.key: Boat.at is a Point, of which no two are compared as keys.",
      7,
    ],
    [
      "a key in an unknown scope",
      ({ record, field }) => record.key(field("Boat.name"), "types" as never),
      'record.key: the scope "types" is unknown; it must be one of type, interface; did you mean "type"?',
      undefined,
    ],
    [
      "an inverse that is a value",
      ({ record, field }) => record.inverse(field("Boat.port"), field("Port.code")),
      "record.inverse: Port.code is no link, but a String.",
      11,
    ],
    [
      "an inverse that leads elsewhere",
      ({ record, field }) => record.inverse(field("Boat.port"), field("Port.pilot")),
      "record.inverse: Port.pilot leads to Pilot, which has no Boat.port.",
      13,
    ],
    [
      "a reverse of a link that leads elsewhere",
      ({ record, field }) => record.reverse(field("Port.pilot"), field("Boat.port")),
      "record.reverse: Port.pilot leads to Pilot, which has no Boat.port.",
      13,
    ],
    [
      "an unknown member of the exposure",
      ({ record, field }) => record.exposure(field("Boat.name"), { outptu: false } as never),
      'record.exposure: it changes "outptu" of Boat.name, which is unknown; did you mean "output"?',
      3,
    ],
    [
      "an unknown aggregate",
      ({ record, field }) => record.exposure(field("Boat.name"), { aggregate: "summ" as never }),
      'record.exposure: the aggregate "summ" is unknown; it must be one of none, range, sum; did you mean "sum"?',
      undefined,
    ],
    ["an ID that is none", ({ record, field }) => record.givenId(field("Boat.name")), "record.givenId: Boat.name is no field of type ID.", 3],
    [
      "a storage name of an ID",
      ({ record, field }) => record.storedField(field("Boat.id"), "x"),
      "record.storedField: Boat.id is an ID, which has no storage name.",
      2,
    ],
    [
      "an empty storage name",
      ({ record, type }) => record.storedType(type("Boat"), ""),
      "record.storedType: a storage name must be a text that is not empty.",
      undefined,
    ],
    ["a computed ID", ({ record, field }) => record.computed(field("Boat.id")), "record.computed: Boat.id is an ID, which the storage gives.", 2],
    ["a link as optional", ({ record, field }) => record.optionalOnAdd(field("Boat.port")), "record.optionalOnAdd: Boat.port holds no values.", 8],
    [
      "a collation of numbers",
      ({ record, field }) => record.collation(field("Boat.length"), "de"),
      "record.collation: Boat.length holds no texts.",
      5,
    ],
    [
      "a collation of no language",
      ({ record, field }) => record.collation(field("Boat.name"), "not a tag"),
      'record.collation: "not a tag" is no language tag of BCP 47.',
      undefined,
    ],
    [
      "a directive without a name",
      ({ record, field }) => record.directive(field("Boat.name"), "@mark", {}),
      'record.directive: "@mark" is no name of GraphQL.',
      undefined,
    ],
    [
      "an operation without a name",
      ({ record, type }) => record.enableOperation(type("Boat"), ""),
      "record.enableOperation: an operation must be a text that is not empty.",
      undefined,
    ],
    [
      "nothing for a type",
      ({ record }) => record.disableOperation(undefined as never, "get"),
      "record.disableOperation: it is given no type.",
      undefined,
    ],
    ["nothing for a field", ({ record }) => record.computed(undefined as never), "record.computed: it is given no field.", undefined],
  ])("refuses %s", (_, work, problem, line) => {
    const { message, line: found } = refusal(recording(work));
    expect(message.replace(/^\d+:\d+ /u, "")).toBe(`Plugin "stranger", hook model, ${problem}`);
    expect(found).toBe(line);
  });

  it("refuses facts that are recorded when model has returned", () => {
    const late: DirectivePlugin = {
      name: "late",
      definitions: "",
      model: ({ model, record }) => ({
        api: () => {
          const field = model.nodeTypes.get("Boat")?.fields.get("name");
          if (field) record.key(field, "type");
          return {};
        },
      }),
    };
    expect(refusal(late).message).toBe('Plugin "late", hook model, record.key: it is called when model has returned. Record all facts before.');
  });

  it("takes what can hold, also again", () => {
    const work = ({ record, type, field }: Parts) => {
      record.inputField(type("Named"), { name: "pin", kind: "string", nonNull: false });
      record.inputField(type("Buoy"), { name: "pin", kind: "password", nonNull: true });
      record.outputField(type("Named"), { name: "score", type: "Float" });
      record.outputField(type("Buoy"), { name: "score", type: "Float" });
      record.vector(field("Boat.sizes"));
      record.key(field("Boat.name"), "type");
      record.inverse(field("Boat.port"), field("Port.boats"));
      record.exposure(field("Boat.name"), { order: false, aggregate: "none" });
      record.collation(field("Port.code"), "de-CH");
      record.givenId(field("Boat.id"));
    };
    expect(refusal(recording(work))).toEqual({ message: "deployed", line: undefined });
  });

  it("takes facts about a field that an earlier plugin has made another one", () => {
    const first = recording(({ record, field }) => record.givenId(field("Boat.id")), "first");
    const second = recording(({ record, field }) => record.key(field("Boat.id"), "type"), "second");
    expect(refusal(first, second)).toEqual({ message: "deployed", line: undefined });
  });
});
