import { toHex } from '../../../core/bytes/hex.ts'
import { SECP256K1_ORDER, signTransaction } from '../../../core/block/codec/signature.ts'
import type { Authorization } from '../../../core/block/transaction.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { code, deploying, type Part } from '../../core/evm/harness.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

const CHAIN_ID = 4242n

/** The genesis of the README's network: any gas limit, no price of gas. */
export const FREE_GAS = {
  config: { zeroBaseFee: true },
  top: { gasLimit: '0x1fffffffffffff' },
  args: ['--min-gas-price=0', '--logging-format=PLAIN'],
} as const

/** More gas than any machine spends in a day. */
export const ENDLESS_GAS = 9_000_000_000_000_000n

const MEGABYTE = 2 ** 20
/** Goes back to byte 0, where every program below begins with a JUMPDEST. */
const forever = (...body: readonly Part[]): Uint8Array => code('JUMPDEST', body, 0, 'JUMP')

const staticCall = (precompile: number, size: number): readonly Part[] => [
  0,
  0,
  size,
  0,
  precompile,
  'GAS',
  'STATICCALL POP',
]

/** MODEXP of a base and a modulus of so many bytes, and an exponent of 32. */
const modexp = (size: number): readonly Part[] => [
  [size, 0, 'MSTORE', 32, 32, 'MSTORE', size, 64, 'MSTORE'],
  [96, 96 + size, 128 + size].map(at => [2n ** 255n + 12_345n, at, 'MSTORE']),
  staticCall(5, 128 + 2 * size),
]

/** Calls itself with all gas but a 64th, and then goes on for ever, at every depth. */
const DEEP = code('JUMPDEST', [0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP'], 0, 'JUMP')

/** Deploys what stands behind it, and calls that with all gas. */
const calling = (runtime: Uint8Array): Uint8Array => {
  const at = 64
  const deployer = deploying(runtime)
  const start = code(
    [deployer.length, at, 0, 'CODECOPY'],
    [deployer.length, 0, 0, 'CREATE'],
    [0, 0, 0, 0, 0, 'DUP6 GAS CALL STOP'],
  )
  const initCode = new Uint8Array(at + deployer.length)
  initCode.set(start)
  initCode.set(deployer, at)
  return initCode
}

/** Initialization code of what a block never has the time for, by what it does. */
export const SLOW_CODE: Readonly<Record<string, Uint8Array>> = {
  'a loop': Uint8Array.of(0x5b, 0x60, 0x00, 0x56),
  'a loop inside calls': calling(DEEP),
  'calls of a precompile': forever(staticCall(2, MEGABYTE / 2)),
  pairings: forever(staticCall(8, 192 * 400)),
  'one large MODEXP': forever(modexp(MEGABYTE / 2)),
  'BLAKE2 of 2^32 rounds': forever([(2n ** 32n - 1n) << 224n, 0, 'MSTORE'], staticCall(9, 213)),
  'growing memory': forever(['MSIZE', MEGABYTE, 'ADD', 1, 'SWAP1 MSTORE']),
  'hashes of much memory': forever(64 * MEGABYTE, 0, 'KECCAK256 POP'),
  logs: forever(1, 2, 3, 4, 256, 0, 'LOG4'),
  'large logs': forever(MEGABYTE, 0, 'LOG0'),
  'writes to the storage': forever('GAS GAS SSTORE'),
  // Initialization code CALLER SELFDESTRUCT.
  'self-destructs': forever([0x33ffn << 240n, 0, 'MSTORE'], [2, 0, 0, 'CREATE POP']),
  'large initialization code': forever(MEGABYTE, 0, 0, 'CREATE POP'),
}

/** A key that nobody else has, of an account that the state does not know. */
export const freshKey = (index: number): Uint8Array => {
  const key = new Uint8Array(32).fill(0x5a)
  new DataView(key.buffer).setUint32(28, index + 1)
  return key
}

/** A creation at price 0 by the holder of a key. */
export const slowCreation = (
  key: Uint8Array,
  initCode: Uint8Array,
  nonce = 0n,
): { readonly encoded: Uint8Array; readonly raw: string; readonly hash: string; readonly sender: string } => {
  const { encoded, hash } = signTransaction(
    {
      type: 0,
      chainId: CHAIN_ID,
      nonce,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      gasLimit: ENDLESS_GAS,
      to: undefined,
      value: 0n,
      data: initCode,
      ...BARE_FIELDS,
    },
    key,
  )
  return { encoded, raw: toHex(encoded), hash: toHex(hash), sender: toHex(addressOfPrivateKey(key)) }
}

/** The genesis of a network where gas is free and accounts can delegate (EIP-7702). */
export const FREE_GAS_PRAGUE = {
  ...FREE_GAS,
  config: { ...FREE_GAS.config, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
} as const

/** The first coordinate of a point of secp256k1: with any s it recovers to some account. */
const POINT_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

/** Authorizations, each by another account, that nobody signed. Nine thousand fit into the longest transaction. */
export const unsignedAuthorizations = (count: number): readonly Authorization[] =>
  Array.from({ length: count }, (_, index) => ({
    chainId: 0n,
    address: new Uint8Array(20).fill(7),
    nonce: 0n,
    yParity: BigInt(index & 1),
    r: POINT_X,
    s: SECP256K1_ORDER / 2n - BigInt(index) * 2n ** 200n,
  }))

/** A call at price 0, by the holder of a key, whose list of authorizations takes longer than a block has time. */
export const longAuthorizationList = (key: Uint8Array): string =>
  toHex(
    signTransaction(
      {
        type: 4,
        chainId: CHAIN_ID,
        nonce: 0n,
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        gasLimit: 300_000_000n,
        to: new Uint8Array(20).fill(7),
        value: 0n,
        data: new Uint8Array(0),
        accessList: [],
        maxFeePerBlobGas: 0n,
        blobVersionedHashes: [],
        authorizationList: unsignedAuthorizations(9_000),
      },
      key,
    ).encoded,
  )
