import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import { Account, createAddressFromString } from '@ethereumjs/util'
import { CALLER_ADDRESS, calldata, LOOP_ADDRESS, type Loop } from '../execution/loops.ts'

/** Runs a loop so many times around, and gives the gas it took. */
export type LoopRunner = (iterations: number) => Promise<bigint>

/** `@ethereumjs/evm` with the state manager it ships with, its caches on. */
export const ethereumjsLoop = async (loop: Loop): Promise<LoopRunner> => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })
  const stateManager = new MerkleStateManager({ common, caches: new Caches() })
  const to = createAddressFromString(LOOP_ADDRESS)
  const caller = createAddressFromString(CALLER_ADDRESS)
  await stateManager.putAccount(caller, new Account(0n, 10n ** 24n))
  await stateManager.putAccount(to, new Account())
  await stateManager.putCode(to, loop.code)
  const evm = await createEVM({ common, stateManager })
  return async iterations => {
    const { execResult } = await evm.runCall({ to, caller, gasLimit: 10n ** 12n, data: calldata(iterations) })
    if (execResult.exceptionError !== undefined)
      throw new Error(`${loop.name}: ${execResult.exceptionError.error}`)
    return execResult.executionGasUsed
  }
}
