// Started by the crash tests to be killed: writes batches through the kernel and says on standard output what it is about to do (`+` add,
// `~` change, `-` delete) and what was acknowledged (`ok`). A batch is three boats, or many large ones, that must be visible all or not at all.

const [core, level, stack, data, mode = "write", first = "0"] = process.argv.slice(2);
const { createKernel } = await import(core);
const { leveldbStorage } = await import(level);
const { standardPlugins } = await import(stack);

const kernel = createKernel({ storage: leveldbStorage({ path: data }), plugins: standardPlugins(), log: { level: "silent" } });
await kernel.open();

/** Index, key, order and inverse come and go. */
const schemas = [
  "type Boat { batch: Int @search  part: Int  mark: Int  text: String  near: [Boat] }",
  `type Boat { batch: Int @search  part: Int @search  mark: Int @search  text: String @search(by: [term, hash])  near: [Boat] @hasInverse(field: near)
    name: String @id }`,
];
if (kernel.deployment === undefined) await kernel.deploy(schemas[0]);
console.log("ready");

let batch = Number(first);
const large = mode === "compact";
const size = large ? 20 : 3;

async function say(intent, query, variables) {
  console.log(intent);
  const { data: answer, errors } = JSON.parse((await kernel.execute({ query, variables })).body);
  // A deploy may have come between: the write was refused as a whole.
  if (errors && !/another schema was deployed/.test(errors[0].message)) throw new Error(JSON.stringify(errors));
  console.log(`${errors ? "no" : "ok"} ${intent}`);
  return answer;
}

async function writeOne() {
  const own = batch++;
  const text = large ? "wood ".repeat(20_000) : `wood ${own % 7} tar`;
  const input = Array.from({ length: size }, (_, part) => ({
    batch: own,
    part,
    mark: 0,
    text,
    near: part === 0 ? [{ batch: own, part: size, mark: 0, text }] : [],
  }));
  await say(`+ ${own}`, "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }", { input });
  const older = own - 8;
  if (older < Number(first)) return;
  const filter = { batch: { eq: older } };
  if (older % 3 === 0) await say(`- ${older}`, "mutation ($filter: BoatFilter!) { deleteBoat(filter: $filter) { numUids } }", { filter });
  else
    await say(`~ ${older}`, "mutation ($input: UpdateBoatInput!) { updateBoat(input: $input) { numUids } }", {
      input: { filter, set: { mark: own } },
    });
}

async function deployForever() {
  for (let i = 1; ; i++) {
    await kernel.deploy(schemas[i % 2]);
    console.log(`deployed ${i % 2}`);
  }
}

async function writeForever() {
  for (;;) await writeOne();
}

await Promise.all([
  writeForever(),
  writeForever(),
  ...(large ? [] : [writeForever(), writeForever()]),
  ...(mode === "deploy" ? [deployForever()] : []),
]);
