import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { StateChanges } from '../../../core/state/account.ts'
import type { RpcContext } from '../context.ts'
import type { Call } from '../method.ts'

/** Maximum number of blocks that are searched for preimages, newest first; older preimages stay unknown. */
const PREIMAGE_BLOCKS_MAX = 10_000n

/** Preimages by key in bare hex, without the keys that were not found. */
export type Preimages = ReadonlyMap<string, Uint8Array>

/** Tries contain hashes only; the changes of blocks contain their preimages. */
const search = async (
  { expired }: Call,
  { chain, scheduler }: RpcContext,
  keys: readonly Hash[],
  range: { readonly from: bigint; readonly to: bigint },
  candidatesIn: (changes: StateChanges) => readonly Uint8Array[],
): Promise<Preimages> => {
  const wanted = new Set(keys.map(toBareHex))
  const seen = new Set<string>()
  const found = new Map<string, Uint8Array>()
  const yieldTurn = scheduler.createYield()
  const lowest = range.to - PREIMAGE_BLOCKS_MAX > range.from ? range.to - PREIMAGE_BLOCKS_MAX : range.from
  for (let number = range.to; number >= lowest && wanted.size > 0 && !expired(); number--) {
    await yieldTurn()
    const changes = await chain.store.changesOf(number)
    for (const candidate of changes === undefined ? [] : candidatesIn(changes)) {
      const name = toBareHex(candidate)
      if (seen.has(name)) continue
      seen.add(name)
      const key = toBareHex(keccak256(candidate))
      if (wanted.delete(key)) found.set(key, candidate)
    }
  }
  return found
}

/** The addresses of accounts at block `to`. */
export const findAddresses = (
  call: Call,
  context: RpcContext,
  keys: readonly Hash[],
  to: bigint,
): Promise<Preimages> =>
  search(call, context, keys, { from: 0n, to }, ({ accounts }) => accounts.map(({ address }) => address))

/** The slots of an account's storage that exists since block `from`. */
export const findSlots = (
  call: Call,
  context: RpcContext,
  account: Address,
  keys: readonly Hash[],
  range: { readonly from: bigint; readonly to: bigint },
): Promise<Preimages> => {
  const name = toBareHex(account)
  return search(call, context, keys, range, ({ accounts }) =>
    accounts.flatMap(({ address, slots }) =>
      toBareHex(address) === name ? slots.map(({ slot }) => slot) : [],
    ),
  )
}
