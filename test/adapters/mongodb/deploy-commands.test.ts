// What a small change of a large schema costs: commands by the number of types.

import { expect, it } from "vitest";
import { watchedSite } from "./watched-commands.ts";

const types = (count: number, more = "") =>
  Array.from({ length: count }, (_, i) => {
    const added = i === 0 ? more : "";
    return `type Type${i} { name: String! @id  size: Int @search  note: String @search(by: [term])  next: Type${(i + 1) % count} ${added} }`;
  }).join("\n");

/** How often each command was sent. */
async function commandsOfOneMoreField(count: number): Promise<Readonly<Record<string, number>>> {
  const site = await watchedSite(types(count));
  const sent = await site.commands(() => site.kernel.deploy(types(count, "extra: Int @search")));
  const counts: Record<string, number> = {};
  for (const command of sent) {
    const [name = ""] = command.split(" ");
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

it("a field more in one type looks once at the indexes of each other type, and sends nothing else for them", async () => {
  const few = await commandsOfOneMoreField(3);
  const many = await commandsOfOneMoreField(9);
  expect(many).toEqual({ ...few, listIndexes: (few.listIndexes ?? 0) + 6 });
});
