import { type Method, method } from '../../method.ts'
import { ethCall } from '../../simulation/call.ts'
import { estimateGas } from '../../simulation/estimate.ts'
import { createAccessList } from '../../simulation/accessList.ts'
import { simulateV1 } from '../../simulation/blocks/simulate.ts'

/** Simulated calls, whose changes are discarded. */
export const ETH_CALL_METHODS: readonly Method[] = [
  method({
    name: 'eth_call',
    summary: 'Runs a call without changing the state and returns its output',
    params: {
      call: 'Call',
      'block?': 'BlockNumberOrTagOrHash',
      'stateOverrides?': 'StateOverrides',
      'blockOverrides?': 'BlockOverrides',
    },
    result: 'Data',
    handle: ethCall,
    offload: 'long',
  }),
  method({
    name: 'eth_estimateGas',
    summary: 'Returns a gas limit with which a call succeeds',
    params: {
      call: 'Call',
      'block?': 'BlockNumberOrTagOrHash',
      'stateOverrides?': 'StateOverrides',
      'blockOverrides?': 'BlockOverrides',
    },
    result: 'Quantity',
    handle: estimateGas,
    offload: 'long',
  }),
  method({
    name: 'eth_createAccessList',
    summary: 'Returns the accounts and storage slots that a call accesses (EIP-2930)',
    params: {
      call: 'Call',
      'block?': 'BlockNumberOrTagOrHash',
      'stateOverrides?': 'StateOverrides',
      'blockOverrides?': 'BlockOverrides',
    },
    result: 'Object',
    handle: createAccessList,
    offload: 'always',
  }),
  method({
    name: 'eth_simulateV1',
    summary: 'Simulates blocks of calls and returns their results',
    params: { simulation: 'Simulation', 'block?': 'BlockNumberOrTagOrHash' },
    result: 'Simulated',
    handle: simulateV1,
    offload: 'always',
  }),
]
