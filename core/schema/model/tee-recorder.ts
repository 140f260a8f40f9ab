// A recorder that tells each fact on its way to another one, so that they can be recorded again elsewhere.

import type { Recorder } from "../../contracts/plugin.ts";

/** Records one thing. What it is about is found by name, in whatever model `to` writes to. */
export type Fact = (to: Recorder) => void;

export function teeRecorder(recorder: Recorder, tell: (fact: Fact) => void): Recorder {
  const telling =
    <A extends readonly unknown[]>(record: (to: Recorder, ...args: A) => void) =>
    (...args: A) => {
      tell((to) => record(to, ...args));
      record(recorder, ...args);
    };
  return {
    storedType: telling((to, ...args: Parameters<Recorder["storedType"]>) => to.storedType(...args)),
    storedField: telling((to, ...args: Parameters<Recorder["storedField"]>) => to.storedField(...args)),
    renamedType: telling((to, ...args: Parameters<Recorder["renamedType"]>) => to.renamedType(...args)),
    renamedField: telling((to, ...args: Parameters<Recorder["renamedField"]>) => to.renamedField(...args)),
    key: telling((to, ...args: Parameters<Recorder["key"]>) => to.key(...args)),
    inverse: telling((to, ...args: Parameters<Recorder["inverse"]>) => to.inverse(...args)),
    reverse: telling((to, ...args: Parameters<Recorder["reverse"]>) => to.reverse(...args)),
    exposure: telling((to, ...args: Parameters<Recorder["exposure"]>) => to.exposure(...args)),
    optionalOnAdd: telling((to, ...args: Parameters<Recorder["optionalOnAdd"]>) => to.optionalOnAdd(...args)),
    collation: telling((to, ...args: Parameters<Recorder["collation"]>) => to.collation(...args)),
    inputField: telling((to, ...args: Parameters<Recorder["inputField"]>) => to.inputField(...args)),
    computed: telling((to, ...args: Parameters<Recorder["computed"]>) => to.computed(...args)),
    operation: telling((to, ...args: Parameters<Recorder["operation"]>) => to.operation(...args)),
    directive: telling((to, ...args: Parameters<Recorder["directive"]>) => to.directive(...args)),
  };
}
