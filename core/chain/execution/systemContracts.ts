import type { Address, Hash } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import type { BlockEnvironment } from '../../evm/transaction/environment.ts'
import { systemCallSteps } from '../../evm/transaction/execute.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import type { WorldState } from '../../state/world.ts'
import type { Steps } from '../../steps.ts'
import type { OpenHeader } from './environment.ts'

const BEACON_ROOTS: Address = fromHex('000f3df6d732807ef1319fb7b8bb8522d0beac02')
const HISTORY_STORAGE: Address = fromHex('0000f90827f1c53a10cb7a02335b175320002935')

/** The contracts of EIP-6110, EIP-7002 and EIP-7251, which the execution of a block uses. */
export type RequestContracts = {
  readonly deposit: Address
  readonly withdrawal: Address
  readonly consolidation: Address
}

/**
 * The contracts that a chain's blocks call; undefined if they call none. A QBFT chain has no beacon chain: as in Besu, it
 * uses them, and the calls of EIP-4788 and EIP-2935, only if the genesis file names all three. On other chains the genesis
 * parser adds the mainnet addresses.
 */
export const requestContractsOf = (configuration: ChainConfiguration): RequestContracts | undefined => {
  const deposit = configuration.depositContractAddress
  const withdrawal = configuration.withdrawalRequestContractAddress
  const consolidation = configuration.consolidationRequestContractAddress
  return deposit && withdrawal && consolidation && { deposit, withdrawal, consolidation }
}

function* callWhereDeployed(
  environment: BlockEnvironment,
  world: WorldState,
  contract: Address,
  data: Hash,
): Steps<void> {
  // Both EIPs: without code the call has no effect, and a failing call has no other effect.
  if (world.code(contract).length > 0) yield* systemCallSteps(environment, world, contract, data)
}

/** EIP-4788 from Cancun and EIP-2935 from Prague: stores roots and hashes for contracts, before any transaction. */
export function* callBeforeTransactions(
  environment: BlockEnvironment,
  world: WorldState,
  header: Pick<OpenHeader, 'parentHash' | 'parentBeaconBlockRoot'>,
): Steps<void> {
  const { fork } = environment.rules
  if (forkIsAtLeast(fork, 'cancun') && header.parentBeaconBlockRoot !== undefined)
    yield* callWhereDeployed(environment, world, BEACON_ROOTS, header.parentBeaconBlockRoot)
  if (forkIsAtLeast(fork, 'prague'))
    yield* callWhereDeployed(environment, world, HISTORY_STORAGE, header.parentHash)
}
