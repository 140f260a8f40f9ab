// Searches and changes of ascending arrays of uids.

/** The position of the first element above `value`, from `start` on. */
export function upperBound(values: readonly number[], value: number, start: number): number {
  let low = start;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position of the first element not below `value`, in a part of an ascending list. */
export function lowerBound(values: readonly number[], value: number, start = 0, end = values.length): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As `lowerBound`; fast when the answer is near `start`. */
export function gallop(values: readonly number[], value: number, start: number): number {
  let step = 1;
  let low = start;
  let high = start;
  while (high < values.length && (values[high] ?? 0) < value) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  return lowerBound(values, value, low, Math.min(high, values.length));
}

/** Where `uid` belongs; at once for the highest. */
export function insertionPoint(uids: readonly number[], uid: number): number {
  const last = uids.length - 1;
  return last < 0 || (uids[last] ?? 0) < uid ? uids.length : lowerBound(uids, uid);
}

function insert(uids: number[], position: number, uid: number): void {
  if (position === uids.length) uids.push(uid);
  else uids.splice(position, 0, uid);
}

/** Merges two ascending lists; each uid comes once. */
export function merged(a: readonly number[], b: readonly number[]): number[] {
  // An array of the exact size: one that grows keeps spare room.
  if ((a[a.length - 1] ?? -1) < (b[0] ?? 0)) return a.concat(b);
  const all = a.slice();
  for (const uid of b) {
    const position = insertionPoint(all, uid);
    if (all[position] !== uid) insert(all, position, uid);
  }
  return all;
}

/** The same in one pass over both, for lists of like lengths. */
export function mergedEvenly(a: readonly number[], b: readonly number[]): number[] {
  const all: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const one = a[i] ?? 0;
    const other = b[j] ?? 0;
    all.push(one < other ? one : other);
    if (one <= other) i++;
    if (other <= one) j++;
  }
  while (i < a.length) all.push(a[i++] ?? 0);
  while (j < b.length) all.push(b[j++] ?? 0);
  return all;
}

export function includesUid(uids: readonly number[], uid: number): boolean {
  return uids[lowerBound(uids, uid)] === uid;
}

/** `uids` with another one, in an array of the exact size. */
export function withUid(uids: readonly number[], uid: number): number[] {
  return uids.toSpliced(insertionPoint(uids, uid), 0, uid);
}

/** `uids` without one of them. */
export function withoutUid(uids: readonly number[], uid: number): number[] {
  return uids.toSpliced(lowerBound(uids, uid), 1);
}

/** A buffer that is copied at the end: an array that grows keeps spare room. */
const gathered: number[] = [];

/** `uids` without those that it lost, and with those that it gained. All ascend. It need not have what it lost. */
export function exchanged(uids: readonly number[], lost: readonly number[], gained: readonly number[]): number[] {
  let [count, gone, come] = [0, 0, 0];
  for (let i = 0; i < uids.length; i++) {
    const uid = uids[i] ?? 0;
    for (let next = gained[come]; next !== undefined && next <= uid; next = gained[++come]) if (next < uid) gathered[count++] = next;
    while ((lost[gone] ?? uid) < uid) gone++;
    if (lost[gone] !== uid) gathered[count++] = uid;
  }
  while (come < gained.length) gathered[count++] = gained[come++] ?? 0;
  return gathered.slice(0, count);
}
