import { describe, expect, it } from "vitest";
import { liveOn } from "../../support/live-clients.ts";
import { deploy } from "./harness.ts";
import { line, token } from "./token.ts";

const graph = (query: string) => `{ rule: ${JSON.stringify(query)} }`;
const own = graph("query($USER: String!) { queryClerk(filter: {name: {eq: $USER}}) { name } }");
const schema = `
interface Person { name: String! @id  nick: String @auth(query: { rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }) @search(by: [hash]) }
type Clerk implements Person {
  salary: Int @search @auth(query: { or: [{ rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }, ${own}] })
  notes: [String] @auth(query: ${own}, denied: ERROR)
  badge: String @id @auth(query: ${own})
  desk: Desk @hasInverse(field: clerks)
  friends: [Clerk] @auth(query: ${own})
}
type Desk { no: Int! @id  clerks: [Clerk]  lamp: String! @auth(query: { rule: "{$ROLE: {eq: \\"CHIEF\\"}}" }, denied: ERROR) }
union Any = Clerk | Desk
type Shelf { label: String! @id  things: [Any] }
${line}
`;
const hr = '{ rule: "{$ROLE: {eq: \\"HR\\"}}" }';
const ann = token({ USER: "ann" });
const chief = token({ ROLE: "CHIEF" });

async function office() {
  const api = await deploy(schema, { fieldRules: true });
  const added = await api.ask(`mutation {
    addClerk(input: [
      { name: "ann", nick: "a", salary: 30, notes: ["late"], badge: "A1", desk: { no: 1, lamp: "red" }, friends: [{ name: "bob" }] }
      { name: "bob", nick: "b", salary: 20, notes: ["early"], badge: "B1", desk: { no: 1 }, friends: [{ name: "ann" }] }
      { name: "cid", salary: 40, badge: "C1", desk: { no: 1 } }
      { name: "dot", nick: "d" }
    ]) { numUids }
    addShelf(input: [{ label: "s", things: [{ clerkRef: { name: "ann" } }, { clerkRef: { name: "bob" } }] }]) { numUids }
  }`);
  expect(added.errors).toBeUndefined();
  return api;
}

describe("a rule on a field", () => {
  it("shows the field of the objects for which it holds, and null for the others", async () => {
    const { ask } = await office();
    expect(await ask("{ queryClerk { name nick salary badge } }", ann)).toEqual({
      data: {
        queryClerk: [
          { name: "ann", nick: null, salary: 30, badge: "A1" },
          { name: "bob", nick: null, salary: null, badge: null },
          { name: "cid", nick: null, salary: null, badge: null },
          { name: "dot", nick: null, salary: null, badge: null },
        ],
      },
    });
    expect(await ask("{ queryClerk(first: 2) { nick salary badge } }", chief)).toEqual({
      data: {
        queryClerk: [
          { nick: "a", salary: 30, badge: null },
          { nick: "b", salary: 20, badge: null },
        ],
      },
    });
  });

  it("adds an error to the null with denied: ERROR", async () => {
    const { ask } = await office();
    expect(await ask('{ queryClerk(filter: {name: {in: ["ann", "bob"]}}) { notes } }', ann)).toEqual({
      data: { queryClerk: [{ notes: ["late"] }, { notes: null }] },
      errors: [{ message: "Not authorized to see field 'notes'.", locations: [{ line: 1, column: 54 }], path: ["queryClerk", 1, "notes"] }],
    });
    const { data, errors } = await ask("{ queryDesk { no lamp } }", ann);
    expect(data).toEqual({ queryDesk: [null] });
    expect(errors).toHaveLength(1);
  });

  it("hides links and their counts as it hides values", async () => {
    const { ask } = await office();
    expect(
      await ask('{ queryClerk(filter: {name: {in: ["ann", "bob"]}}) { name friends { name } friendsAggregate { count nameMax } } }', ann),
    ).toEqual({
      data: {
        queryClerk: [
          { name: "ann", friends: [{ name: "bob" }], friendsAggregate: { count: 1, nameMax: "bob" } },
          { name: "bob", friends: [], friendsAggregate: { count: 0, nameMax: null } },
        ],
      },
    });
    expect(await ask("{ queryClerk(filter: {has: friends}) { name } }", ann)).toEqual({ data: { queryClerk: [{ name: "ann" }] } });
    expect(await ask("{ queryClerk @cascade { name friends { name } } }", ann)).toEqual({
      data: { queryClerk: [{ name: "ann", friends: [{ name: "bob" }] }] },
    });
  });

  it("applies at every depth, through interfaces and unions, and in payloads", async () => {
    const { ask } = await office();
    expect(await ask("{ queryPerson { name nick ... on Clerk { salary } } }", ann)).toEqual({
      data: {
        queryPerson: [
          { name: "ann", nick: null, salary: 30 },
          { name: "bob", nick: null, salary: null },
          { name: "cid", nick: null, salary: null },
          { name: "dot", nick: null, salary: null },
        ],
      },
    });
    expect(await ask("{ queryShelf { things { ... on Clerk { name salary } } } }", ann)).toEqual({
      data: {
        queryShelf: [
          {
            things: [
              { name: "ann", salary: 30 },
              { name: "bob", salary: null },
            ],
          },
        ],
      },
    });
    const update =
      'mutation { updateClerk(input: {filter: {name: {in: ["ann", "bob"]}}, set: {salary: 7}}) { clerk { name salary desk { clerks { salary } } } } }';
    const desk = { clerks: [{ salary: 7 }, { salary: null }, { salary: null }] };
    expect(await ask(update, ann)).toEqual({
      data: {
        updateClerk: {
          clerk: [
            { name: "ann", salary: 7, desk },
            { name: "bob", salary: null, desk },
          ],
        },
      },
    });
  });

  it("hides the field from filters: it has no value", async () => {
    const { ask } = await office();
    const found = async (filter: string, who = ann) => {
      const { data } = await ask(`{ queryClerk(filter: ${filter}) { name } aggregateClerk(filter: ${filter}) { count } }`, who);
      const { queryClerk, aggregateClerk } = data as { queryClerk: { name: string }[]; aggregateClerk: { count: number } };
      expect(aggregateClerk.count).toBe(queryClerk.length);
      return queryClerk.map(({ name }) => name).join(" ");
    };
    expect(await found("{ salary: { ge: 20 } }")).toBe("ann");
    expect(await found("{ not: { salary: { ge: 20 } } }")).toBe("bob cid dot");
    expect(await found("{ has: salary }")).toBe("ann");
    expect(await found("{ salary: { eq: null } }")).toBe("bob cid dot");
    expect(await found("{ or: [{ salary: { eq: 40 } }, { salary: { eq: 30 } }] }")).toBe("ann");
    expect(await found('{ nick: { eq: "a" } }')).toBe("");
    expect(await found('{ nick: { eq: "a" } }', chief)).toBe("ann");
    expect(await found('{ badge: { in: ["A1", "B1"] } }')).toBe("ann");
    const update = "mutation { updateClerk(input: {filter: {salary: {eq: 40}}, set: {nick: null}}) { numUids } }";
    expect(await ask(update, ann)).toEqual({ data: { updateClerk: { numUids: 0 } } });
    expect(await ask("mutation { deleteClerk(filter: {salary: {eq: 40}}) { numUids } }", ann)).toMatchObject({
      data: { deleteClerk: { numUids: 0 } },
    });
  });

  it("hides the field from orders: hidden values come last, as missing ones do", async () => {
    const { ask } = await office();
    const order = async (args: string, who: string) =>
      ((await ask(`{ queryClerk(${args}) { name } }`, who)).data as { queryClerk: { name: string }[] }).queryClerk.map(({ name }) => name).join(" ");
    expect(await order("order: {asc: salary}", chief)).toBe("bob ann cid dot");
    expect(await order("order: {asc: salary}", ann)).toBe("ann bob cid dot");
    expect(await order("order: {desc: salary, then: {desc: name}}", ann)).toBe("ann dot cid bob");
    expect(await order("order: {desc: salary, then: {desc: name}}, first: 2, offset: 1", ann)).toBe("dot cid");
    expect(await order("order: {desc: nick, then: {desc: salary}}", ann)).toBe("ann bob cid dot");
    const desks = await ask("{ queryDesk { clerks(order: {desc: salary}, first: 2) { name } } }", ann);
    expect(desks.data).toEqual({ queryDesk: [{ clerks: [{ name: "ann" }, { name: "bob" }] }] });
    const chiefs = await ask("{ queryDesk { clerks(order: {desc: salary}, first: 2) { name } } }", chief);
    expect(chiefs.data).toEqual({ queryDesk: [{ clerks: [{ name: "cid" }, { name: "ann" }] }] });
  });

  it("hides the field from pages of an order by hidden fields only", async () => {
    const { ask } = await deploy(
      `type P { name: String! @id  pay: Int @search @auth(query: ${hr})  level: Int @auth(query: ${hr})  open: Boolean @search
         note: String @search(by: [exact]) @auth(query: ${graph("query { queryP(filter: {open: true}) { name } }")})  team: T @hasInverse(field: members) }
       type T { name: String! @id  members: [P] }
       ${line}`,
      { fieldRules: true },
    );
    await ask(`mutation { addP(input: [
      { name: "a", pay: 10, level: 3, note: "m", team: { name: "t" } }
      { name: "b", pay: 30, level: 1, note: "z", team: { name: "t" } }
      { name: "c", pay: 20, level: 2, note: "b", open: true, team: { name: "t" } }
      { name: "d" }
    ]) { numUids } }`);
    const names = async (list: string, who?: string) => {
      const { data, errors } = await ask(`{ list: ${list} { name } }`, who);
      expect(errors).toBeUndefined();
      return (data as { list: { name: string }[] }).list.map(({ name }) => name).join(" ");
    };
    const boss = token({ ROLE: "HR" });
    expect(await names("queryP(order: {desc: pay}, first: 1)", boss)).toBe("b");
    expect(await names("queryP(order: {desc: pay}, first: 1)")).toBe("a");
    expect(await names("queryP(order: {asc: pay}, first: 1, offset: 1)")).toBe("b");
    expect(await names("queryP(order: {asc: level, then: {desc: pay}}, first: 2)")).toBe("a b");
    expect(await names("queryP(order: {desc: pay, then: {asc: level}}, offset: 3)")).toBe("d");
    // Of text, with a rule for each object: only what is open takes part.
    expect(await names("queryP(order: {desc: note}, first: 2)")).toBe("c a");
    expect(await names("queryP(order: {asc: note, then: {desc: pay}}, first: 1, offset: 1)")).toBe("a");
    const members = async (args: string, who?: string) => {
      const { data } = await ask(`{ queryT { members(${args}) { name } } }`, who);
      return (data as { queryT: { members: { name: string }[] }[] }).queryT[0]?.members.map(({ name }) => name).join(" ");
    };
    expect(await members("order: {desc: pay}, first: 1", boss)).toBe("b");
    expect(await members("order: {desc: pay}, first: 1")).toBe("a");
    expect(await members("order: {desc: note}, first: 2")).toBe("c a");
    const payload = await ask("mutation { updateP(input: {filter: {has: name}, set: {open: true}}) { p(order: {desc: pay}, first: 1) { name } } }");
    expect(payload.data).toEqual({ updateP: { p: [{ name: "a" }] } });
  });

  it("reveals nothing by the count of touched nodes", async () => {
    const { stack } = await office();
    const asked = async (atLeast: number) => {
      const headers = { "x-harbour": ann, "content-type": "application/graphql" };
      const body = new TextEncoder().encode(`{ queryClerk(filter: {salary: {ge: ${atLeast}}}) { name } }`);
      const answer = await stack.kernel.http({ method: "POST", url: "/graphql", headers, body });
      return { body: String(answer.body), touched: answer.headers["graphql-toucheduids"] };
    };
    expect(await asked(39)).toEqual({ body: '{"data":{"queryClerk":[]}}', touched: "0" });
    expect(await asked(41)).toEqual(await asked(39));
  });

  it("hides fields derived from it: the same text by another language tag", async () => {
    const { ask } = await deploy(
      `type Word { name: String! @id  text: String @dgraph(pred: "Word.text") @auth(query: ${hr})  de: String @dgraph(pred: "Word.text@de")
         any: String @dgraph(pred: "Word.text@.")  germanFirst: String @dgraph(pred: "Word.text@de:.") }
       ${line}`,
      { fieldRules: true },
    );
    await ask('mutation { addWord(input: [{ name: "a", text: "one" }, { name: "b", text: "two", de: "zwei" }]) { numUids } }');
    const query =
      "{ queryWord(order: {desc: any}) { name text de any germanFirst } aggregateWord { anyMax germanFirstMax } queryCount: aggregateWord(filter: {has: any}) { count } }";
    expect((await ask(query, token({ ROLE: "HR" }))).data).toEqual({
      queryWord: [
        { name: "b", text: "two", de: "zwei", any: "two", germanFirst: "zwei" },
        { name: "a", text: "one", de: null, any: "one", germanFirst: "one" },
      ],
      aggregateWord: { anyMax: "two", germanFirstMax: "zwei" },
      queryCount: { count: 2 },
    });
    expect((await ask(query)).data).toEqual({
      queryWord: [
        { name: "a", text: null, de: null, any: null, germanFirst: null },
        { name: "b", text: null, de: "zwei", any: null, germanFirst: null },
      ],
      aggregateWord: { anyMax: null, germanFirstMax: null },
      queryCount: { count: 0 },
    });
  });

  it("sends a subscriber nothing when a hidden value changes", async () => {
    const { ask, stack } = await deploy(
      `type P @withSubscription { name: String! @id  pay: Int @search @auth(query: ${hr}) }
       ${line}`,
      {
        fieldRules: true,
      },
    );
    await ask('mutation { addP(input: [{name: "a", pay: 1}, {name: "b", pay: 2}]) { numUids } }');
    const api = liveOn(stack.kernel);
    const questions = [
      "queryP(order: {desc: pay}, first: 1) { name pay }",
      "queryP(filter: {pay: {ge: 3}}) { name }",
      "queryP(filter: {has: pay}) { name }",
      "aggregateP { count payMin payMax paySum }",
      "queryP @cascade { name pay }",
    ];
    const watched = async (headers: Readonly<Record<string, string>>) =>
      Promise.all(questions.map((each) => api.watch(`subscription { ${each} }`, { headers })));
    const [strangers, bosses] = [await watched({}), await watched({ "x-harbour": token({ ROLE: "HR" }) })];
    await api.change('mutation { updateP(input: {filter: {name: {eq: "a"}}, set: {pay: 3}}) { numUids } }');
    await api.change('mutation { updateP(input: {filter: {name: {eq: "b"}}, remove: {pay: null}}) { numUids } }');
    expect(strangers.map(({ data }) => data.length)).toEqual(questions.map(() => 1));
    // What is hidden is not counted either.
    expect(strangers.map(({ results }) => results[0]?.extensions.touched_uids)).toEqual([1, undefined, undefined, 1, undefined]);
    // The changes are there to be seen.
    expect(bosses.map(({ data }) => data.length > 1)).toEqual(questions.map(() => true));
  });

  it("hides the field from aggregates", async () => {
    const { ask } = await office();
    const measures = "{ count salaryMin salaryMax salarySum salaryAvg nickMin }";
    const query = `{ aggregateClerk ${measures} queryDesk { clerksAggregate ${measures} } }`;
    const seen = { salaryMin: 30, salaryMax: 30, salarySum: 30, salaryAvg: 30, nickMin: null };
    expect(await ask(query, ann)).toEqual({
      data: { aggregateClerk: { count: 4, ...seen }, queryDesk: [{ clerksAggregate: { count: 3, ...seen } }] },
    });
    expect((await ask("{ aggregateClerk { salaryMax nickMin } }", chief)).data).toEqual({ aggregateClerk: { salaryMax: 40, nickMin: "a" } });
    expect((await ask("{ aggregateClerk { salaryMax nickMin } }")).data).toEqual({ aggregateClerk: { salaryMax: null, nickMin: null } });
  });

  it("hides the field from @cascade", async () => {
    const { ask } = await office();
    const cascade = '{ queryClerk @cascade(fields: ["salary"]) { name salary } }';
    expect(await ask(cascade, ann)).toEqual({ data: { queryClerk: [{ name: "ann", salary: 30 }] } });
  });

  it("makes a hidden key unusable for identifying its object", async () => {
    const { ask } = await office();
    expect(await ask('{ getClerk(badge: "A1") { name } }', ann)).toEqual({ data: { getClerk: { name: "ann" } } });
    expect(await ask('{ getClerk(badge: "B1") { name } }', ann)).toEqual({ data: { getClerk: null } });
    const link = (badge: string) => ask(`mutation { addDesk(input: [{no: 7, lamp: "on", clerks: [{badge: "${badge}"}]}]) { numUids } }`, ann);
    const hidden = await link("B1");
    expect(hidden.data).toEqual({ addDesk: null });
    // The object is as good as absent: the answer is that of a key that nobody has.
    expect(hidden).toEqual(await link("B9"));
    const upsert = 'mutation { addClerk(upsert: true, input: [{badge: "B1", name: "bob", salary: 1}]) { clerk { name } } }';
    expect(await ask(upsert, ann)).toEqual({ data: { addClerk: null } });
    expect(await link("A1")).toEqual({ data: { addDesk: { numUids: 1 } } });
  });

  it("does not hide the field from the rules of types", async () => {
    const rich = graph("query { queryClerk(filter: {salary: {ge: 30}}) { salary } }");
    const closed = schema.replace("type Clerk implements Person", `type Clerk implements Person @auth(query: ${rich})`);
    const { ask, stack } = await office();
    await stack.kernel.deploy(closed);
    expect(await ask("{ queryClerk { name salary } }")).toEqual({
      data: {
        queryClerk: [
          { name: "ann", salary: null },
          { name: "cid", salary: null },
        ],
      },
    });
  });
});

describe("a schema with rules on fields", () => {
  const refusal = (field: string, more = "") =>
    expect(deploy(`type T { id: ID!  a: String  ${field} } ${more} ${line}`, { fieldRules: true })).rejects;
  const rule = '{ rule: "{$R: {eq: 1}}" }';

  it("is refused without the option", async () => {
    await expect(deploy(schema)).rejects.toThrow("Directive auth is not applicable on FIELD_DEFINITION.");
  });

  it("is refused when a rule would hide nothing or too much", async () => {
    await refusal(`b: String! @auth(query: ${rule})`).toThrow("Type T; Field b: @auth: String! cannot be null where it is hidden");
    await refusal(`b: String @auth(update: ${rule})`).toThrow('update is a rule on objects; on a field there are "query" and "denied".');
    await refusal("b: String @auth(denied: ERROR)").toThrow('a field needs a rule "query".');
    await refusal(`b: String @auth(query: ${rule}) @auth(query: ${rule})`).toThrow('The directive "@auth" can only be used once at this location.');
    await refusal('b: String @auth(query: { rule: "query { queryU { id } }" })', "type U { id: ID! a: String }").toThrow(
      "Type T; Field b: @auth: expected only queryT rules,but found queryU",
    );
    await refusal("b: String", `type U { id: ID! @auth(query: ${rule})  a: String }`).toThrow("an ID cannot be hidden");
    await refusal("b: String", `type U @auth(denied: ERROR) { id: ID!  a: String }`).toThrow("Type U: @auth: denied says what a field shows");
  });

  it("combines a type's own rule with that of the interface when the type repeats the field", async () => {
    const { ask } = await deploy(
      `interface I { name: String! @id  a: Int @auth(query: { rule: "{$A: {eq: 1}}" }) }
       type T implements I { a: Int @auth(query: { rule: "{$B: {eq: 1}}" }) }
       type U implements I { b: Int }
       ${line}`,
      { fieldRules: true },
    );
    await ask('mutation { addT(input: [{name: "t", a: 1}]) { numUids } addU(input: [{name: "u", a: 2}]) { numUids } }');
    const seen = async (claims: Readonly<Record<string, unknown>>) => (await ask("{ queryI { a } }", token(claims))).data;
    expect(await seen({ A: 1 })).toEqual({ queryI: [{ a: null }, { a: 2 }] });
    expect(await seen({ B: 1 })).toEqual({ queryI: [{ a: null }, { a: null }] });
    expect(await seen({ A: 1, B: 1 })).toEqual({ queryI: [{ a: 1 }, { a: 2 }] });
  });
});
