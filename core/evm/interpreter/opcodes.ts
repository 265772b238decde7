import type { ForkName } from '../../genesis/fork.ts'

/** An opcode: its stack items in and out, its first fork, and its fixed gas. */
export type Opcode = {
  readonly byte: number
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  readonly since: ForkName
  /** Gas in its first fork, without the part that depends on operands or state. */
  readonly gas: number
}

type Row = readonly [
  byte: number,
  name: string,
  inputs: number,
  outputs: number,
  gas: number,
  since?: ForkName,
]

const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0],
  [0x01, 'ADD', 2, 1, 3],
  [0x02, 'MUL', 2, 1, 5],
  [0x03, 'SUB', 2, 1, 3],
  [0x04, 'DIV', 2, 1, 5],
  [0x05, 'SDIV', 2, 1, 5],
  [0x06, 'MOD', 2, 1, 5],
  [0x07, 'SMOD', 2, 1, 5],
  [0x08, 'ADDMOD', 3, 1, 8],
  [0x09, 'MULMOD', 3, 1, 8],
  [0x0a, 'EXP', 2, 1, 10],
  [0x0b, 'SIGNEXTEND', 2, 1, 5],
  [0x10, 'LT', 2, 1, 3],
  [0x11, 'GT', 2, 1, 3],
  [0x12, 'SLT', 2, 1, 3],
  [0x13, 'SGT', 2, 1, 3],
  [0x14, 'EQ', 2, 1, 3],
  [0x15, 'ISZERO', 1, 1, 3],
  [0x16, 'AND', 2, 1, 3],
  [0x17, 'OR', 2, 1, 3],
  [0x18, 'XOR', 2, 1, 3],
  [0x19, 'NOT', 1, 1, 3],
  [0x1a, 'BYTE', 2, 1, 3],
  [0x1b, 'SHL', 2, 1, 3, 'constantinople'],
  [0x1c, 'SHR', 2, 1, 3, 'constantinople'],
  [0x1d, 'SAR', 2, 1, 3, 'constantinople'],
  [0x1e, 'CLZ', 1, 1, 5, 'osaka'],
  [0x20, 'KECCAK256', 2, 1, 30],
  [0x30, 'ADDRESS', 0, 1, 2],
  [0x31, 'BALANCE', 1, 1, 20],
  [0x32, 'ORIGIN', 0, 1, 2],
  [0x33, 'CALLER', 0, 1, 2],
  [0x34, 'CALLVALUE', 0, 1, 2],
  [0x35, 'CALLDATALOAD', 1, 1, 3],
  [0x36, 'CALLDATASIZE', 0, 1, 2],
  [0x37, 'CALLDATACOPY', 3, 0, 3],
  [0x38, 'CODESIZE', 0, 1, 2],
  [0x39, 'CODECOPY', 3, 0, 3],
  [0x3a, 'GASPRICE', 0, 1, 2],
  [0x3b, 'EXTCODESIZE', 1, 1, 20],
  [0x3c, 'EXTCODECOPY', 4, 0, 20],
  [0x3d, 'RETURNDATASIZE', 0, 1, 2, 'byzantium'],
  [0x3e, 'RETURNDATACOPY', 3, 0, 3, 'byzantium'],
  [0x3f, 'EXTCODEHASH', 1, 1, 400, 'constantinople'],
  [0x40, 'BLOCKHASH', 1, 1, 20],
  [0x41, 'COINBASE', 0, 1, 2],
  [0x42, 'TIMESTAMP', 0, 1, 2],
  [0x43, 'NUMBER', 0, 1, 2],
  [0x44, 'PREVRANDAO', 0, 1, 2],
  [0x45, 'GASLIMIT', 0, 1, 2],
  [0x46, 'CHAINID', 0, 1, 2, 'istanbul'],
  [0x47, 'SELFBALANCE', 0, 1, 5, 'istanbul'],
  [0x48, 'BASEFEE', 0, 1, 2, 'london'],
  [0x49, 'BLOBHASH', 1, 1, 3, 'cancun'],
  [0x4a, 'BLOBBASEFEE', 0, 1, 2, 'cancun'],
  [0x50, 'POP', 1, 0, 2],
  [0x51, 'MLOAD', 1, 1, 3],
  [0x52, 'MSTORE', 2, 0, 3],
  [0x53, 'MSTORE8', 2, 0, 3],
  [0x54, 'SLOAD', 1, 1, 50],
  [0x55, 'SSTORE', 2, 0, 0],
  [0x56, 'JUMP', 1, 0, 8],
  [0x57, 'JUMPI', 2, 0, 10],
  [0x58, 'PC', 0, 1, 2],
  [0x59, 'MSIZE', 0, 1, 2],
  [0x5a, 'GAS', 0, 1, 2],
  [0x5b, 'JUMPDEST', 0, 0, 1],
  [0x5c, 'TLOAD', 1, 1, 100, 'cancun'],
  [0x5d, 'TSTORE', 2, 0, 100, 'cancun'],
  [0x5e, 'MCOPY', 3, 0, 3, 'cancun'],
  [0x5f, 'PUSH0', 0, 1, 2, 'shanghai'],
  ...Array.from({ length: 32 }, (_, i): Row => [0x60 + i, `PUSH${i + 1}`, 0, 1, 3]),
  ...Array.from({ length: 16 }, (_, i): Row => [0x80 + i, `DUP${i + 1}`, i + 1, i + 2, 3]),
  ...Array.from({ length: 16 }, (_, i): Row => [0x90 + i, `SWAP${i + 1}`, i + 2, i + 2, 3]),
  ...Array.from({ length: 5 }, (_, i): Row => [0xa0 + i, `LOG${i}`, i + 2, 0, 375 * (i + 1)]),
  [0xf0, 'CREATE', 3, 1, 32000],
  [0xf1, 'CALL', 7, 1, 40],
  [0xf2, 'CALLCODE', 7, 1, 40],
  [0xf3, 'RETURN', 2, 0, 0],
  [0xf4, 'DELEGATECALL', 6, 1, 40, 'homestead'],
  [0xf5, 'CREATE2', 4, 1, 32000, 'constantinople'],
  [0xfa, 'STATICCALL', 6, 1, 700, 'byzantium'],
  [0xfd, 'REVERT', 2, 0, 0, 'byzantium'],
  [0xfe, 'INVALID', 0, 0, 0],
  [0xff, 'SELFDESTRUCT', 1, 0, 0],
]

/** The opcodes by byte; undefined for a byte that no fork uses. */
export const OPCODES: readonly (Opcode | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const row = ROWS.find(([known]) => known === byte)
  if (row === undefined) return undefined
  const [, name, inputs, outputs, gas, since] = row
  return { byte, name, inputs, outputs, gas, since: since ?? 'frontier' }
})

/** Changes of the fixed gas of opcodes: EIP-150, EIP-1884, and EIP-2929, which made it depend on the state. */
export const GAS_CHANGES: readonly (readonly [since: ForkName, gas: Readonly<Record<string, number>>])[] = [
  [
    'tangerineWhistle',
    {
      EXTCODESIZE: 700,
      EXTCODECOPY: 700,
      BALANCE: 400,
      SLOAD: 200,
      CALL: 700,
      CALLCODE: 700,
      DELEGATECALL: 700,
      SELFDESTRUCT: 5000,
    },
  ],
  ['istanbul', { SLOAD: 800, BALANCE: 700, EXTCODEHASH: 700 }],
  [
    'berlin',
    {
      SLOAD: 0,
      BALANCE: 0,
      EXTCODESIZE: 0,
      EXTCODECOPY: 0,
      EXTCODEHASH: 0,
      CALL: 0,
      CALLCODE: 0,
      DELEGATECALL: 0,
      STATICCALL: 0,
    },
  ],
]
