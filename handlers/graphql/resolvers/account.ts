import { EMPTY_BYTES, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import { stateAt } from '../context.ts'
import type { Resolvers } from './resolver.ts'
import type { AccountSource } from './sources.ts'

/** A missing account, or one of a missing block, has zeros, as in Besu. */
export const ACCOUNT_RESOLVERS: Resolvers<AccountSource> = {
  address: ({ address }) => address,
  balance: async ({ number, address }, _, scope) => (await scope.account(number, address))?.balance ?? 0n,
  transactionCount: async ({ number, address }, _, scope) =>
    (await scope.account(number, address))?.nonce ?? 0n,
  code: async ({ number, address }, _, scope) => {
    const account = await scope.account(number, address)
    if (account === undefined) return EMPTY_BYTES
    return (await stateAt(scope.rpc, number, state => state.code(account.codeHash))) ?? EMPTY_BYTES
  },
  storage: async ({ number, address }, { slot }: { readonly slot: string }, scope) => {
    const account = await scope.account(number, address)
    if (account === undefined) return ZERO_HASH
    const key = fromHex(slot)
    return (await stateAt(scope.rpc, number, state => state.storage(address, account, key))) ?? ZERO_HASH
  },
}
