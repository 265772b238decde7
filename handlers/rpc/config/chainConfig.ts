import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { requestContractsOf } from '../../../core/chain/execution/systemContracts.ts'
import { precompileAddresses, precompileAt } from '../../../core/evm/precompiles/precompiles.ts'
import type { Rules } from '../../../core/genesis/configuration.ts'
import { forkIsAtLeast } from '../../../core/genesis/fork.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { forkHashAt } from './forkId.ts'

/** EIP-4788 and EIP-2935. */
const BEACON_ROOTS_ADDRESS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const HISTORY_STORAGE_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935'

const precompilesOf = ({ fork }: Rules): Record<string, string> =>
  Object.fromEntries(
    precompileAddresses(fork)
      .map((address): [string, string] => [precompileAt(fork, address)?.name ?? '', toHex(address)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const systemContractsOf = (chain: Chain, { fork }: Rules): Record<string, string> => {
  if (!forkIsAtLeast(fork, 'cancun')) return {}
  const contracts: Record<string, string> = { BEACON_ROOTS_ADDRESS }
  if (!forkIsAtLeast(fork, 'prague')) return contracts
  const requests = requestContractsOf(chain.configuration)
  const add = (name: string, address: Address | undefined): void => {
    if (address !== undefined) contracts[name] = toHex(address)
  }
  add('CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', requests?.consolidation)
  add('DEPOSIT_CONTRACT_ADDRESS', requests?.deposit)
  contracts['HISTORY_STORAGE_ADDRESS'] = HISTORY_STORAGE_ADDRESS
  add('WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', requests?.withdrawal)
  return contracts
}

const configAt = (chain: Chain, activationTime: bigint): Record<string, unknown> => {
  const { configuration, genesis } = chain
  const { number, difficulty } = chain.head().header
  const rules = rulesAt(configuration, number, activationTime, difficulty)
  return {
    activationTime: Number(activationTime),
    blobSchedule: {
      baseFeeUpdateFraction: Number(rules.blob?.baseFeeUpdateFraction ?? 0n),
      max: rules.blob?.maxBlobs ?? 0,
      target: rules.blob?.targetBlobs ?? 0,
    },
    chainId: toQuantity(configuration.chainId),
    forkId: toHex(
      forkHashAt(configuration, { hash: genesis.hash, timestamp: genesis.header.timestamp }, activationTime),
    ),
    precompiles: precompilesOf(rules),
    systemContracts: systemContractsOf(chain, rules),
  }
}

/** eth_config (EIP-7910): the current rules, the next ones, and the last scheduled ones. Forks by block have time 0. */
export const chainConfig = (chain: Chain): Record<string, unknown> => {
  const now = chain.head().header.timestamp
  const times = chain.configuration.forks.flatMap(({ at }) => (at.kind === 'time' ? [at.timestamp] : []))
  const genesisTime = chain.genesis.header.timestamp
  const current = times.findLast(time => time <= now) ?? 0n
  const next = times.find(time => time > now)
  const last = times.at(-1)
  return {
    current: configAt(chain, current <= genesisTime ? 0n : current),
    next: next === undefined ? null : configAt(chain, next),
    last: next === undefined || last === undefined ? null : configAt(chain, last),
  }
}
