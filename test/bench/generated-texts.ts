// Short texts of words as common as words are: the k-th most common is k times as rare as the first. The same texts in every run.

export interface GeneratedText {
  readonly text: string;
  readonly size: number;
  readonly place: Place;
}

export interface Place {
  readonly longitude: number;
  readonly latitude: number;
}

const vocabulary = 50_000;

/** Every text has the word `every`, ten of all, spread evenly, have `needle`, every second has `even` or `odd`. */
export function generatedTexts(count: number): readonly GeneratedText[] {
  const random = randomNumbers(42);
  const rare = Math.max(1, Math.floor(count / 10));
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: 4 + Math.floor(random() * 5) }, () => wordOf(Math.floor(vocabulary ** random())));
    const text = [...words, "every", index % 2 === 0 ? "even" : "odd", ...(index % rare === 7 ? ["needle"] : [])].join(" ");
    const place = { longitude: random() * 360 - 180, latitude: (Math.asin(random() * 2 - 1) * 180) / Math.PI };
    return { text, size: Math.floor(random() * 1_000_000), place };
  });
}

const syllables = ["ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "mu", "ne", "pa", "ro", "si", "tu", "ve", "wa"];

/** `cobadi` and the like, another for each number. */
export function wordOf(number: number): string {
  let rest = number * 7_919 + 4_096;
  let word = "";
  for (; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16];
  return word;
}

/** Mulberry32: quick, good enough, and the same everywhere. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A star of five points as GraphQL takes a polygon, so many degrees from its middle to its points. */
export function areaAround({ longitude, latitude }: Place, degrees: number) {
  const wide = degrees / Math.max(0.05, Math.cos((latitude * Math.PI) / 180));
  const points = Array.from({ length: 11 }, (_, index) => {
    const turn = ((index % 10) * Math.PI) / 5;
    const far = index % 2 === 0 ? 1 : 0.5;
    return { longitude: longitude + far * wide * Math.cos(turn), latitude: Math.max(-90, Math.min(90, latitude + far * degrees * Math.sin(turn))) };
  });
  return { coordinates: [{ points }] };
}
