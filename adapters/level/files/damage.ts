// What is wrong with a file of the store.

export interface Damage {
  /** Name in the folder of the store. */
  readonly file: string;
  /** What was found there, as the end of a sentence that begins with the file. */
  readonly found: string;
}

/** As one phrase: `000012.ldb: the block at byte 4096 does not match its checksum`. */
export function damageText({ file, found }: Damage): string {
  return `${file} ${found}`;
}
