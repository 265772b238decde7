import { keccak256 } from 'viem'
import { type Address, concatBytes, padStartBytes } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import { compile } from '../../support/programs/solc.ts'

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)
const keccak = (bytes: Uint8Array): bigint => bytesToBigint(fromHex(keccak256(toHex(bytes) as `0x${string}`)))

/** Where the elements of the array begin whose length stands in slot 0. */
const ELEMENTS = keccak(word(0n))

/** Where a mapping that stands at `slot` keeps the value of an address. */
const mapped = (address: Address, slot: bigint): bigint =>
  keccak(concatBytes(padStartBytes(address, 32), word(slot)))

const account = (contract: string, storage: readonly (readonly [slot: bigint, value: Uint8Array])[]) => ({
  balance: '0x0',
  code: compile(contract).runtimeBytecode,
  storage: Object.fromEntries(
    storage.map(([slot, value]) => [toHex(word(slot)), toHex(padStartBytes(value, 32))]),
  ),
})

const listed = (validators: readonly Address[]): (readonly [bigint, Uint8Array])[] => [
  [0n, word(BigInt(validators.length))],
  ...validators.map((validator, index) => [ELEMENTS + BigInt(index), validator] as const),
]

/** `Validators.sol` in a genesis file, naming these in this order. */
export const validatorContract = (validators: readonly Address[]): object =>
  account('Validators', listed(validators))

/** `AllowList.sol` in a genesis file, where each account has activated its validator. */
export const allowListContract = (
  members: readonly { readonly account: Address; readonly validator: Address }[],
): object =>
  account('AllowList', [
    ...listed(members.map(({ validator }) => validator)),
    ...members.flatMap(
      (member, index) =>
        [
          // Packed from the low end: allowed, active, index.
          [mapped(member.account, 1n), Uint8Array.of(index, 1, 1)],
          [mapped(member.validator, 2n), member.account],
        ] as const,
    ),
    [3n, word(BigInt(members.length))],
  ])
