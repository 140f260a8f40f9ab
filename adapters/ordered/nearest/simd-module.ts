// A module of WebAssembly that compares vectors by SIMD instructions, built from their opcodes: a loop of JavaScript takes one element at a time, and
// five times as long at 384 elements (test/bench/vectors.ts). The loops in `products.ts` say what each function computes.

/** Takes the addresses of two vectors and their padded size in bytes, a multiple of `stride` above 0. */
type VectorFunction = (a: number, b: number, size: number) => number;

/** What the module exports. */
export interface VectorFunctions {
  /** The dot product of two vectors of 32-bit floats. */
  readonly dotOfFloats: VectorFunction;
  /** The squared distance of two vectors of 32-bit floats. */
  readonly squareOfFloats: VectorFunction;
  /** The dot product of two vectors of signed bytes, as a signed 32-bit number. */
  readonly dotOfBytes: VectorFunction;
}

/** The bytes that one turn of each loop takes. A vector is padded with zeros to a multiple, which changes no result. */
export const stride = 64;
const lane = 16;

/**
 * The functions over the module's own memory; undefined where the engine has no WebAssembly (`node --jitless`), the processor has no such instructions, or
 * the process gets no more memory.
 */
export function openModule(pages: number): { readonly memory: ArrayBuffer; readonly functions: VectorFunctions } | undefined {
  const { memory, dotOfFloats, squareOfFloats, dotOfBytes } = exportsOf(pages);
  if (!(memory instanceof WebAssembly.Memory) || !isFunction(dotOfFloats) || !isFunction(squareOfFloats) || !isFunction(dotOfBytes)) return undefined;
  return { memory: memory.buffer, functions: { dotOfFloats, squareOfFloats, dotOfBytes } };
}

function exportsOf(pages: number): WebAssembly.Exports {
  if (typeof WebAssembly === "undefined") return {};
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(pages))).exports;
  } catch (reason) {
    if (reason instanceof WebAssembly.CompileError || reason instanceof RangeError) return {};
    throw reason;
  }
}

function isFunction(value: unknown): value is VectorFunction {
  return typeof value === "function";
}

type Code = readonly number[];

/** Whole numbers in seven bits a byte, low ones first. */
function whole(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...whole(value >>> 7)];
}
const vectorOf = (items: readonly Code[]): Code => [...whole(items.length), ...items.flat()];
const sized = (code: Code): Code => [...whole(code.length), ...code];
const section = (id: number, content: Code): Code => [id, ...sized(content)];
const name = (text: string): Code => sized([...Buffer.from(text)]);

// Types and instructions, by their names in the specification of WebAssembly.
const i32 = 0x7f;
const f32 = 0x7d;
const v128 = 0x7b;
const end: Code = [0x0b];
const loop: Code = [0x03, 0x40];
const brIf = (depth: number): Code => [0x0d, depth];
const localGet = (index: number): Code => [0x20, index];
const localSet = (index: number): Code => [0x21, index];
const localTee = (index: number): Code => [0x22, index];
const i32Const = (value: number): Code => [0x41, ...(value < 0x40 ? [value] : [(value & 0x7f) | 0x80, value >>> 7])];
const i32LtU: Code = [0x49];
const i32Add: Code = [0x6a];
const f32Add: Code = [0x92];
const simd = (opcode: number): Code => [0xfd, ...whole(opcode)];
const v128Load = (offset: number): Code => [...simd(0x00), 4, ...whole(offset)];
const i32x4ExtractLane = (index: number): Code => [...simd(0x1b), index];
const f32x4ExtractLane = (index: number): Code => [...simd(0x1f), index];
const i16x8ExtendLowS = simd(0x87);
const i16x8ExtendHighS = simd(0x88);
const i32x4Add = simd(0xae);
const i32x4DotI16x8S = simd(0xba);
const f32x4Add = simd(0xe4);
const f32x4Sub = simd(0xe5);
const f32x4Mul = simd(0xe6);

// Locals: the parameters; where `a` ends; one sum for each lane of 16 bytes in a stride, so that additions do not wait for each other; two of scratch.
const [a, b, size, aEnd, firstSum, left, right] = [0, 1, 2, 3, 4, 8, 9] as const;
const sums = [0, 1, 2, 3].map((i) => firstSum + i);

interface Loop {
  readonly result: number;
  /** Leaves on the stack what the lane at `offset` of both vectors adds to a sum. */
  readonly term: (offset: number) => Code;
  readonly addLanes: Code;
  readonly add: Code;
  readonly extractLane: (index: number) => Code;
}

function functionBody({ term, addLanes, add, extractLane }: Loop): Code {
  const turn = sums.flatMap((sum, i) => [...localGet(sum), ...term(i * lane), ...addLanes, ...localSet(sum)]);
  const advance = (pointer: number): Code => [...localGet(pointer), ...i32Const(stride), ...i32Add];
  const total = [...sums.flatMap((sum, i) => [...localGet(sum), ...(i === 0 ? [] : addLanes)]), ...localSet(firstSum)];
  const lanes = [0, 1, 2, 3].flatMap((i) => [...localGet(firstSum), ...extractLane(i), ...(i === 0 ? [] : add)]);
  const locals = vectorOf([
    [1, i32],
    [6, v128],
  ]);
  return sized([
    ...locals,
    ...[...localGet(a), ...localGet(size), ...i32Add, ...localSet(aEnd)],
    ...[...loop, ...turn, ...advance(b), ...localSet(b), ...advance(a), ...localTee(a), ...localGet(aEnd), ...i32LtU, ...brIf(0), ...end],
    ...total,
    ...lanes,
    ...end,
  ]);
}

const both = (offset: number): Code => [...localGet(a), ...v128Load(offset), ...localGet(b), ...v128Load(offset)];
const halves = (extend: Code): Code => [...localGet(left), ...extend, ...localGet(right), ...extend, ...i32x4DotI16x8S];
const ofFloats = { result: f32, addLanes: f32x4Add, add: f32Add, extractLane: f32x4ExtractLane };
const loops: Readonly<Record<keyof VectorFunctions, Loop>> = {
  dotOfFloats: { ...ofFloats, term: (offset) => [...both(offset), ...f32x4Mul] },
  squareOfFloats: {
    ...ofFloats,
    term: (offset) => [...both(offset), ...f32x4Sub, ...localTee(left), ...localGet(left), ...f32x4Mul],
  },
  dotOfBytes: {
    result: i32,
    addLanes: i32x4Add,
    add: i32Add,
    extractLane: i32x4ExtractLane,
    term: (offset) => [...both(offset), ...localSet(right), ...localSet(left), ...halves(i16x8ExtendLowS), ...halves(i16x8ExtendHighS), ...i32x4Add],
  },
};

function moduleBytes(pages: number): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(loops);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vectorOf(entries.map(([, { result }]) => [0x60, ...vectorOf([[i32], [i32], [i32]]), ...vectorOf([[result]])]))),
    ...section(3, vectorOf(entries.map((_, i) => [i]))),
    ...section(5, vectorOf([[1, ...whole(pages), ...whole(pages)]])),
    ...section(7, vectorOf([[...name("memory"), 2, 0], ...entries.map(([exported], i) => [...name(exported), 0, i])])),
    ...section(10, vectorOf(entries.map(([, each]) => functionBody(each)))),
  ]);
}
