// A record of a log is a batch: the number of its first write (8 bytes), the count of its writes (4), and these.

const headerBytes = 12;

/** The number of the last write in a batch; 0 for what is no batch. */
export function lastWriteOf(record: Uint8Array): number {
  if (record.length < headerBytes) return 0;
  const view = new DataView(record.buffer, record.byteOffset, headerBytes);
  return Number(view.getBigUint64(0, true)) + view.getUint32(8, true) - 1;
}
