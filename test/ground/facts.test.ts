// Facts are found once in each owner, and end with it.

import { describe, expect, it } from "vitest";
import { Fact, Facts } from "../../core/ground/facts.ts";

const owner = (name: string) => ({ name, facts: new Facts() });

describe("a fact", () => {
  it("is found once in each owner, at its first use", () => {
    const asked: string[] = [];
    const length = new Fact(({ name }: ReturnType<typeof owner>) => {
      asked.push(name);
      return name.length;
    });
    const [mill, kiln] = [owner("mill"), owner("kilns")];
    expect(asked).toEqual([]);
    expect([length.of(mill), length.of(kiln), length.of(mill)]).toEqual([4, 5, 4]);
    expect(asked).toEqual(["mill", "kilns"]);
  });

  it("is found once when it is undefined", () => {
    let finds = 0;
    const nothing = new Fact(() => void finds++);
    const mill = owner("mill");
    expect([nothing.of(mill), nothing.of(mill)]).toEqual([undefined, undefined]);
    expect(finds).toBe(1);
  });

  it("does not mix with another of the same owner, which it may use", () => {
    const length = new Fact(({ name }: ReturnType<typeof owner>) => name.length);
    const isLong = new Fact((each: ReturnType<typeof owner>) => length.of(each) > 4);
    const kilns = owner("kilns");
    expect([isLong.of(kilns), length.of(kilns)]).toEqual([true, 5]);
  });

  it("is found anew after it has thrown", () => {
    let finds = 0;
    const broken = new Fact(() => {
      if (++finds === 1) throw new TypeError("not yet");
      return finds;
    });
    const mill = owner("mill");
    expect(() => broken.of(mill)).toThrow("not yet");
    expect(broken.of(mill)).toBe(2);
  });
});
