import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import {
  attackerAlloc,
  attackerKey,
  type Flooded,
  poolSizes,
  signedTransfer,
} from '../cluster/support/poolFlood.ts'
import type { AttackContext, AttackedNetwork } from './attack.ts'

/** Small enough that the signed floods fill it several times. */
const POOL_SIZE = 2_000
/** Accounts of the attacker. */
export const ACCOUNTS = 60
export const ETHER = 10n ** 18n
export const GWEI = 10n ** 9n
export const PER_GAS = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI }

/** The network whose genesis file gives each account of the attacker so much. */
export const fundedWith = (wei: bigint): AttackedNetwork => ({
  args: ['--logging-format=PLAIN', `--tx-pool-max-size=${POOL_SIZE}`],
  top: {
    alloc: {
      ...Object.fromEntries(
        DEVELOPMENT_ACCOUNTS.map(({ address }) => [
          toHex(address),
          { balance: `0x${(100n * ETHER).toString(16)}` },
        ]),
      ),
      ...attackerAlloc(ACCOUNTS, wei),
    },
  },
})

export const sayFlooded = async (
  { cluster, say }: AttackContext,
  { taken, refused }: Flooded,
): Promise<void> => {
  const refusals = [...refused].map(([code, count]) => `${count} refused with ${code}`).join(', ')
  say(
    `${taken} taken${refusals === '' ? '' : `, ${refusals}`}; pools of ${(await poolSizes(cluster)).join(', ')}`,
  )
}

/** Every account of the attacker, each nonce of its. */
export function* ofAccounts(
  nonces: readonly number[],
  fields: Parameters<typeof signedTransfer>[1],
): Generator<Uint8Array> {
  for (const nonce of nonces)
    for (let account = 0; account < ACCOUNTS; account++)
      yield signedTransfer(attackerKey(account), { ...PER_GAS, ...fields, nonce: BigInt(nonce) })
}

export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)
