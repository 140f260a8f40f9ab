// Bodies that are short as texts and large as values, just below the limits on their length and on their values.

const bodyBytes = 10 * 2 ** 20 - 1_024;
const mediumBytes = 60 * 1024;

const query = "query ($x: [PackageFilter]) { aggregatePackage(filter: { or: $x }) { count } }";
/** Fails, because the depth does not fit: after the body was read. */
const nested = "query ($x: [[PackageFilter]]) { aggregatePackage(filter: { or: $x }) { count } }";
const plain = "query ($name: String!) { getPackage(name: $name) { name } }";

/** As many of `part` as fit. */
function filled(bytes: number, part: (i: number) => string): string {
  const parts: string[] = [];
  for (let length = 0, i = 0; length < bytes; i++) {
    const each = part(i);
    parts.push(each);
    length += each.length + 1;
  }
  return parts.slice(0, -1).join(",");
}

/** Values in a body, and elements in a list. */
const maxValues = 490_000;
const maxList = 90_000;

/** Lists of lists with as many values as fit. */
function lists(part: (i: number) => string, valuesOfPart: number): string {
  const count = Math.floor(maxValues / valuesOfPart);
  const parts: string[] = [];
  for (let i = 0; i < count; i += maxList) parts.push(`[${Array.from({ length: Math.min(maxList, count - i) }, (_, k) => part(i + k)).join(",")}]`);
  return body(nested, `"x":[${parts.join(",")}]`);
}

const body = (document: string, variables: string) => `{"query":${JSON.stringify(document)},"variables":{${variables}}}`;
const listOf = (bytes: number, part: (i: number) => string) => body(query, `"x":[${filled(bytes, part)}]`);
const unused = (value: string) => body(plain, `"name":"dpkg","unused":${value}`);

/** Each case: how many bodies at once, and the body. */
export const hostileBodies: Readonly<Record<string, readonly [count: number, body: () => string]>> = {
  "a body of one list": [1, () => listOf(bodyBytes, () => "{}")],
  "a body of empty objects": [1, () => lists(() => "{}", 2)],
  "30 bodies of empty objects": [30, () => lists(() => "{}", 2)],
  "30 bodies of numbers": [30, () => lists((i) => `${i}.5`, 1)],
  "30 bodies of keys that differ": [30, () => lists((i) => `{"a${i}":1}`, 2)],
  "2,000 bodies of 60 KiB of empty objects": [2_000, () => listOf(mediumBytes, () => "{}")],
  "a body of 900,000 keys": [
    1,
    () =>
      body(
        plain,
        filled(bodyBytes, (i) => `"a${i}":1`),
      ),
  ],
  "30 unused strings of 10 MiB": [30, () => unused(`"${"x".repeat(bodyBytes - 200)}"`)],
  "30 unused strings of escapes": [30, () => unused(`"${'\\"'.repeat(bodyBytes / 2 - 200)}"`)],
  "30 numbers of 10,000,000 digits": [30, () => unused("7".repeat(bodyBytes - 200))],
  "30 documents of 10 MiB": [30, () => body(`${plain} #${"x".repeat(bodyBytes - 200)}`, '"name":"dpkg"')],
};
