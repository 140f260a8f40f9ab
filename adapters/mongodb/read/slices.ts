// Splits lists to fit into a command.

const uidsAtOnce = 50_000;

/** Commands are bounded by 16 MB. */
export function slices<T>(items: readonly T[], size = uidsAtOnce): T[][] {
  const cut: T[][] = [];
  for (let i = 0; i < items.length; i += size) cut.push(items.slice(i, i + size));
  return cut;
}
