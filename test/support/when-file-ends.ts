// Clean-up for modules that specs share. A worker loads such a module once and then runs many spec files, so that a hook at its top level
// would belong to the first file alone. `spec-setup.ts` runs for each file and does what was asked for here.

type CleanUp = () => unknown;

const cleanUps: CleanUp[] = [];

/** Runs `work` after the last test of the spec file that is running, before what was registered earlier. */
export function whenFileEnds(work: CleanUp): void {
  cleanUps.push(work);
}

/** Runs what `whenFileEnds` was given, once. */
export async function endFile(): Promise<void> {
  for (let work = cleanUps.pop(); work; work = cleanUps.pop()) await work();
}
