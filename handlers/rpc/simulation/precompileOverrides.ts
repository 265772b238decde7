import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import type { Precompile } from '../../../core/evm/precompiles/precompile.ts'
import { precompileAt } from '../../../core/evm/precompiles/precompiles.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import { RpcError } from '../errors.ts'
import type { StateOverrides } from './stateOverrides.ts'

/**
 * The precompiles of a simulation; undefined if they are those of the fork. As in geth, an override of its account removes a
 * precompile from its address, and a moved precompile replaces the account at its new address. @throws RpcError if the moved
 * account is not a precompile, or moves to its own address or to an overridden account
 */
export const precompilesUnder = (
  fork: ForkName,
  overrides: StateOverrides,
): BlockEnvironment['precompileAt'] => {
  const changed = new Map<string, Precompile | undefined>()
  const overridden = new Set(overrides.map(({ address }) => toBareHex(address)))
  const moved: (readonly [to: Address, precompile: Precompile])[] = []
  for (const { address, movePrecompileTo } of overrides) {
    const precompile = precompileAt(fork, address)
    if (precompile !== undefined) changed.set(toBareHex(address), undefined)
    if (movePrecompileTo === undefined) continue
    if (precompile === undefined)
      throw new RpcError('INVALID_INPUT', { detail: `account ${toHex(address)} is not a precompile` })
    if (equalBytes(address, movePrecompileTo)) throw new RpcError('SIMULATION_MOVE_TO_ITSELF')
    if (overridden.has(toBareHex(movePrecompileTo)))
      throw new RpcError('INVALID_INPUT', {
        detail: `account ${toHex(movePrecompileTo)} is already overridden`,
      })
    moved.push([movePrecompileTo, precompile])
  }
  for (const [to, precompile] of moved) changed.set(toBareHex(to), precompile)
  if (changed.size === 0) return undefined
  return address => {
    const key = toBareHex(address)
    return changed.has(key) ? changed.get(key) : precompileAt(fork, address)
  }
}
