import { type Method, method } from './method.ts'
import { createAccessList } from '../simulation/accessList.ts'
import { simulateV1 } from '../simulation/blocks/simulate.ts'
import { ethCall } from '../simulation/call.ts'
import { estimateGas } from '../simulation/estimate.ts'

/** Calls that leave no trace. */
export const ETH_CALL_METHODS: readonly Method[] = [
  method('eth_call', ['call', 'block?', 'stateOverrides?', 'blockOverrides?'], ethCall, { aside: 'long' }),
  method('eth_estimateGas', ['call', 'block?', 'stateOverrides?', 'blockOverrides?'], estimateGas, {
    aside: 'long',
  }),
  method('eth_createAccessList', ['call', 'block?', 'stateOverrides?', 'blockOverrides?'], createAccessList, {
    aside: 'always',
  }),
  method('eth_simulateV1', ['simulation', 'block?'], simulateV1, { aside: 'always' }),
]
