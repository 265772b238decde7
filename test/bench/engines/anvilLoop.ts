import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { CALLER_ADDRESS, calldata, LOOP_ADDRESS, type Loop } from '../execution/loops.ts'
import type { Anvil } from './anvil.ts'

const GAS_LIMIT = toQuantity(10n ** 12n)

/** Arguments of an anvil on which loops can run as long as they like. */
export const ANVIL_LOOP_ARGS: readonly string[] = ['--hardfork', 'cancun', '--disable-block-gas-limit']

/** revm inside anvil, by `eth_call` over HTTP; the request is part of what is measured. */
export const anvilLoop = async (anvil: Anvil, loop: Loop): Promise<(iterations: number) => Promise<void>> => {
  await anvil.rpc('anvil_setCode', LOOP_ADDRESS, toHex(loop.code))
  return async iterations => {
    const call = { from: CALLER_ADDRESS, to: LOOP_ADDRESS, gas: GAS_LIMIT, data: toHex(calldata(iterations)) }
    await anvil.rpc('eth_call', call, 'latest')
  }
}
