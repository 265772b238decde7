/** EVM code that runs its body as often as the first word of its calldata says. */
export type Loop = {
  readonly name: string
  readonly code: Uint8Array
  /** Of one time around, every slot warm and dirty; Berlin to Osaka agree on it. */
  readonly gasPerIteration: number
}

const word = (fill: number): number[] => [
  0x7f,
  ...Array.from({ length: 32 }, (_, i) => (fill * (i + 1) + 1) & 255),
]
const ADD = 0x01
const MUL = 0x02
const KECCAK256 = 0x20
const POP = 0x50
const MLOAD = 0x51
const MSTORE = 0x52
const SLOAD = 0x54
const SSTORE = 0x55
const DUP1 = 0x80
const push1 = (value: number): number[] => [0x60, value]

/** How often a body stands in the loop, so that counting is a small part of it. */
const REPEATS = 8
const COUNTING_GAS = 32

/** Bodies find one accumulator on the stack and leave one; the counter lies under it. */
const loop = (name: string, bodyGas: number, body: (index: number) => readonly number[]): Loop => {
  const start = 5
  const bodies = Array.from({ length: REPEATS }, (_, index) => body(index)).flat()
  // The counter from the calldata and an accumulator; the bodies; one less, and back while that is not zero.
  const prologue = [...push1(0), 0x35, ...push1(7)]
  const countDown = [0x90, ...push1(1), 0x90, 0x03, 0x90, 0x81, ...push1(start), 0x57, 0x00]
  const code = [...prologue, 0x5b, ...bodies, ...countDown]
  return { name, code: Uint8Array.from(code), gasPerIteration: REPEATS * bodyGas + COUNTING_GAS }
}

export const LOOPS: readonly Loop[] = [
  loop('arithmetic', 14, index => [...word(index + 3), MUL, ...word(index + 91), ADD]),
  loop('memory', 18, index => [DUP1, ...push1(32 * index), MSTORE, ...push1(32 * index), MLOAD, ADD]),
  loop('keccak of 64 bytes', 54, () => [...push1(0), MSTORE, ...push1(64), ...push1(0), KECCAK256]),
  loop('SLOAD', 105, index => [...push1(index), SLOAD, POP]),
  loop('SSTORE', 112, index => [...push1(1), ADD, DUP1, ...push1(index), SSTORE]),
]

/** Where the loops are installed in every engine, and who calls them. */
export const LOOP_ADDRESS = `0x${'10ad'.padStart(40, '0')}`
export const CALLER_ADDRESS = `0x${'ca11e'.padStart(40, '0')}`

export const calldata = (iterations: number): Uint8Array => {
  const data = new Uint8Array(32)
  new DataView(data.buffer).setUint32(28, iterations)
  return data
}
