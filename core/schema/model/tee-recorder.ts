// A recorder that also passes each fact to a listener, which can replay it on another model.

import type { Recorder } from "../../contracts/plugin/model-context.ts";

/** Replays one recorded fact. `to` finds its types and fields by name, in its own model. */
export type Fact = (to: Recorder) => void;

/** @param onFact receives each fact before `recorder` records it */
export function teeRecorder(recorder: Recorder, onFact: (fact: Fact) => void): Recorder {
  const teed =
    <A extends readonly unknown[]>(record: (to: Recorder, ...args: A) => void) =>
    (...args: A) => {
      onFact((to) => record(to, ...args));
      record(recorder, ...args);
    };
  return {
    storedType: teed((to, ...args: Parameters<Recorder["storedType"]>) => to.storedType(...args)),
    storedField: teed((to, ...args: Parameters<Recorder["storedField"]>) => to.storedField(...args)),
    renamedType: teed((to, ...args: Parameters<Recorder["renamedType"]>) => to.renamedType(...args)),
    renamedField: teed((to, ...args: Parameters<Recorder["renamedField"]>) => to.renamedField(...args)),
    key: teed((to, ...args: Parameters<Recorder["key"]>) => to.key(...args)),
    givenId: teed((to, ...args: Parameters<Recorder["givenId"]>) => to.givenId(...args)),
    inverse: teed((to, ...args: Parameters<Recorder["inverse"]>) => to.inverse(...args)),
    reverse: teed((to, ...args: Parameters<Recorder["reverse"]>) => to.reverse(...args)),
    exposure: teed((to, ...args: Parameters<Recorder["exposure"]>) => to.exposure(...args)),
    optionalOnAdd: teed((to, ...args: Parameters<Recorder["optionalOnAdd"]>) => to.optionalOnAdd(...args)),
    vector: teed((to, ...args: Parameters<Recorder["vector"]>) => to.vector(...args)),
    collation: teed((to, ...args: Parameters<Recorder["collation"]>) => to.collation(...args)),
    inputField: teed((to, ...args: Parameters<Recorder["inputField"]>) => to.inputField(...args)),
    outputField: teed((to, ...args: Parameters<Recorder["outputField"]>) => to.outputField(...args)),
    computed: teed((to, ...args: Parameters<Recorder["computed"]>) => to.computed(...args)),
    enableOperation: teed((to, ...args: Parameters<Recorder["enableOperation"]>) => to.enableOperation(...args)),
    disableOperation: teed((to, ...args: Parameters<Recorder["disableOperation"]>) => to.disableOperation(...args)),
    directive: teed((to, ...args: Parameters<Recorder["directive"]>) => to.directive(...args)),
  };
}
